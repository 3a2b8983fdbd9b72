// Every family's example counts the parameters of its published checkpoint, and docs/models.md says so.
#include <algorithm>
#include <cmath>
#include <fstream>

#include "base/split.h"
#include "input/hf_families.h"
#include "input/hf_refused.h"
#include "model/parameters.h"
#include "unit/input/input_support.h"

namespace {

using namespace bta::test;

bta::Model fixture(const std::string& name) {
  return good(model_from_json(text_of(BTA_TEST_DATA "/models/" + name + "/config.json")));
}

struct Published {
  const char* name;
  std::int64_t total, active, active_without_embedding;
};

// Examples that are not built in; those that are have the hash of the built-in model, whose counts stand in
// tests/validation. Active: total without the experts a token does not visit.
const Published published[] = {
    {"mistral-7b-v0.1", 7'241'732'096, 7'241'732'096, 7'110'660'096},
    {"phi-3-mini-4k", 3'821'079'552, 3'821'079'552, 3'722'578'944},
    {"qwen2.5-7b", 7'615'616'512, 7'615'616'512, 7'070'619'136},
    {"ling-mini-2.0", 16'255'643'392, 1'432'973'056, 1'111'060'224},
};

std::string documentation() {
  return text_of(BTA_SOURCE_DIR "/docs/models.md");
}

/// 11610068224 as "11,610,068,224"
std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; digits.insert(at, ",")) at -= 3;
  return digits;
}

/// "6.7 B" and "124 M" as numbers.
double published_size(const std::string& cell) {
  return std::stod(cell) * (cell.find('B') != std::string::npos ? 1e9 : 1e6);
}

/// The cells of the rows of the table that begins with this header, back-quotes taken off.
std::vector<std::vector<std::string>> table(const std::string& header) {
  std::ifstream file(BTA_SOURCE_DIR "/docs/models.md");
  std::vector<std::vector<std::string>> rows;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("|")) inside = false;
    if (inside && line.starts_with("| `")) {
      std::erase(line, '`');
      rows.push_back(bta::split(line, '|'));
      for (std::string& cell : rows.back()) {
        cell.erase(0, cell.find_first_not_of(' '));
        cell.erase(cell.find_last_not_of(' ') + 1);
      }
    }
    if (line.starts_with(header)) inside = true;
  }
  return rows;
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("examples that are not built in count their published parameters to the last one") {
  for (const Published& row : published) {
    CAPTURE(row.name);
    const bta::ParameterCount count = bta::count_parameters(fixture(row.name));
    CHECK(count.total() == row.total);
    CHECK(count.active() == row.active);
    CHECK(count.active_without_input_embedding() == row.active_without_embedding);
  }
}

TEST_CASE("MTP and vision are counted apart where their weights are known") {
  using Parts = std::vector<bta::ModelPart>;
  CHECK(fixture("deepseek-v3").beside == Parts{{"MTP", 11'610'068'224}});
  CHECK(fixture("glm-4.5").beside == Parts{{"MTP", 3'988'069'792}});
  CHECK(fixture("llama-4-scout").beside == Parts{{"vision", 871'932'416}});
  CHECK(fixture("kimi-k2").beside.empty());
  const bta::Model ernie = fixture("ernie-4.5-21b-a3b");
  CHECK(ernie.beside.empty());
  CHECK(ernie.notes.back() == "num_nextn_predict_layers 1: MTP is left out of every number");
}

TEST_CASE("docs/models.md has a row for every family and no other, with the count of its example") {
  std::vector<std::string> rows, families;
  for (const auto& cells : table("| model_type")) {
    rows.push_back(cells.at(1) + " " + cells.at(2));
    const std::string example = cells.at(5);
    if (example == "-") continue;
    CAPTURE(example);
    const bta::Model model = fixture(example);
    const std::int64_t total = bta::count_parameters(model).total();
    CHECK(cells.at(7) == std::to_string(total));
    CHECK(cells.at(4) == (bta::moe_of(model) != nullptr ? "MoE" : "dense"));
    const bool has_remark = cells.at(6).ends_with(")");
    const double size = published_size(cells.at(6)), counted = static_cast<double>(total);
    CHECK((has_remark || std::abs(size - counted) < 0.013 * counted));
  }
  for (const bta::HfFamily& family : bta::hf_families()) {
    std::string names(family.architecture);
    for (const std::string_view other : family.also)
      if (!other.empty()) names += ", " + std::string(other);
    families.push_back(std::string(family.model_type) + " " + names);
  }
  CHECK(rows == families);
}

TEST_CASE("docs/models.md has the MTP and vision that are counted apart") {
  const auto beside = [](const std::string& name) { return grouped(fixture(name).beside.at(0).parameters); };
  const std::string text = documentation();
  const std::string mtp = "(" + beside("deepseek-v3") + " and " + beside("glm-4.5") + ")";
  const std::string vision = "(Scout: " + beside("llama-4-scout") + ")";
  CHECK(text.find("| DeepSeek-V3, GLM-4.5 | counted apart " + mtp) != std::string::npos);
  CHECK(text.find("| Llama 4 | counted apart " + vision) != std::string::npos);
}

TEST_CASE("docs/models.md lists every family that is refused with its reason") {
  std::vector<std::string> rows, refused;
  for (const auto& cells : table("| refused"))
    rows.push_back(cells.at(1) + " " + cells.at(2) + " " + cells.at(3));
  for (const bta::HfRefused& row : bta::hf_refused())
    refused.push_back(std::string(row.model_type) + " " + std::string(row.architecture) + " " +
                      std::string(row.mechanism));
  CHECK(rows == refused);
}

TEST_SUITE_END();

}  // namespace
