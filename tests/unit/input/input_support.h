// Short ways to read a description from a test's own text and to see what it says.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "input/read_model.h"

namespace bta::test {

/// Every diagnostic on a line of its own; empty for a value.
template <class T>
std::string problems(const Result<T>& result) {
  std::string lines;
  if (result) return lines;
  for (const Diagnostic& diagnostic : result.error()) lines += to_string(diagnostic) + "\n";
  return lines;
}

inline Result<ModelFile> model_from_yaml(const std::string& text,
                                         const std::vector<Override>& overrides = {}) {
  return read_model({"m.yaml", text, false, "m"}, overrides);
}
inline Result<ModelFile> model_from_json(const std::string& text,
                                         const std::vector<Override>& overrides = {}) {
  return read_model({"config.json", text, true, "folder"}, overrides);
}
inline Result<Wafer> wafer_from_yaml(const std::string& text, const std::vector<Override>& overrides = {}) {
  return read_wafer({"w.yaml", text, false, "w"}, overrides);
}

/// The model, or a failed test that shows why there is none.
inline Model good(const Result<ModelFile>& file) {
  REQUIRE_MESSAGE(file.has_value(), problems(file));
  return file.value().model;
}

inline const GroupedQueryAttention& attention_of(const Model& model, std::size_t layer = 0) {
  return std::get<GroupedQueryAttention>(model.layers.at(layer).attention);
}
inline const MoeMlp& moe_at(const Model& model, std::size_t layer = 0) {
  return std::get<MoeMlp>(model.layers.at(layer).feed_forward);
}
inline const DenseMlp& dense_at(const Model& model, std::size_t layer = 0) {
  return std::get<DenseMlp>(model.layers.at(layer).feed_forward);
}

inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.good(), path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// `text` with the first `from` replaced; `from` must be there.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

/// A folder that is gone after the test.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("bta-input-test-" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  Folder(Folder&&) = delete;
  Folder& operator=(Folder&&) = delete;
  ~Folder() { std::filesystem::remove_all(path); }

  std::string file(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::binary) << text;
    return (path / name).string();
  }
};

inline const std::string tiny_model =
    "hidden_size: 64\n"
    "num_layers: 2\n"
    "num_heads: 4\n"
    "num_kv_heads: 2\n"
    "head_dim: 16\n"
    "num_experts: 8\n"
    "top_k: 2\n"
    "moe_intermediate_size: 32\n"
    "vocab_size: 100\n"
    "tie_embeddings: false\n";

}  // namespace bta::test
