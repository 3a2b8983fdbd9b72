#include "golden/golden_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace bta::golden {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string compared(const std::string& expected, const std::string& found) {
  std::istringstream expected_lines(expected), found_lines(found);
  std::string result;
  while (expected_lines || found_lines) {
    std::string want, have;
    const bool wanted = static_cast<bool>(std::getline(expected_lines, want));
    const bool had = static_cast<bool>(std::getline(found_lines, have));
    if (wanted == had && want == have) continue;
    if (wanted) result += "-" + want + "\n";
    if (had) result += "+" + have + "\n";
  }
  return result.empty() ? "they differ in the last line break\n" : result;
}

}  // namespace

std::string difference(const std::string& file, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(BTA_SOURCE_DIR) / "tests/golden/data" / file;
  const char* const update = std::getenv("BTA_UPDATE_GOLDENS");
  if (update != nullptr && std::string(update) == "1") {
    std::ofstream(path, std::ios::binary) << text;
    return "";
  }
  if (!std::filesystem::exists(path)) return path.string() + " is missing; BTA_UPDATE_GOLDENS=1 writes it\n";
  const std::string expected = read(path);
  return expected == text ? "" : path.string() + ":\n" + compared(expected, text);
}

}  // namespace bta::golden
