#include "house/house_rules.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace bta::house {
namespace {

using Names = std::set<std::string>;

/// Room -> the other rooms it may include. A new room is a new row.
const std::map<std::string, Names> rooms = {
    {"base", {}},
    {"model", {"base"}},
    {"hardware", {"base"}},
    {"input", {"base", "model", "hardware"}},
    {"cost", {"base", "model", "hardware"}},
    {"plan", {"base", "model", "hardware", "cost"}},
    {"executor", {"base", "model", "hardware", "cost"}},  // of cost only what is shared, below
    {"verify", {"base", "model", "hardware", "cost", "plan", "executor"}},
    {"report", {"base", "model", "hardware", "cost", "plan", "verify"}},
    {"cli", {"base", "model", "hardware", "input", "cost", "plan", "verify", "report"}},
    {"main.cpp", {"base", "model", "hardware", "input", "cost", "plan", "verify", "report", "cli"}},
};

/// What the executor may see of the cost model: agreement of the two means something.
const Names shared_with_executor = {"cost/operators.h", "cost/phases.h", "cost/workload.h"};

/// First part of a library's include path -> the rooms that may include it.
const std::map<std::string, Names> libraries = {
    {"yaml-cpp", {"input"}},      {"csv.h", {"input"}},    {"nlohmann", {"input", "report"}},
    {"CLI", {"cli", "main.cpp"}}, {"Eigen", {"executor"}},
};

/// What ends the process or writes to a standard stream.
const std::regex loud_word(
    R"(\b(?:exit|_exit|_Exit|quick_exit|abort|terminate|printf|puts|putchar|perror|fmt::print)\s*\()"
    R"(|\b(?:cout|cerr|clog|stdout|stderr)\b)");

std::string first_part(const std::string& path) {
  return path.substr(0, path.find('/'));
}

struct Include {
  int line = 0;
  std::string path;
  bool quoted = false;
};

std::vector<Include> includes_of(const std::string& text) {
  static const std::regex include(R"re(^\s*#\s*include\s*(["<])([^">]*)[">].*)re");
  std::vector<Include> found;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::smatch match;
    if (std::regex_match(line, match, include)) found.push_back({number, match[2], match[1] == "\""});
  }
  return found;
}

std::string at(const SourceFile& file, int line) {
  return "src/" + file.path + ":" + std::to_string(line) + ": ";
}

/// `text[begin, end)` becomes spaces, line breaks stay.
void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < std::min(end, text.size()); ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

std::size_t past(std::string_view text, std::string_view mark, std::size_t from) {
  const std::size_t found = text.find(mark, from);
  return found == std::string_view::npos ? text.size() : found + mark.size();
}

/// Position after the quoted literal that opens at `open`; a backslash hides the next character.
std::size_t past_literal(std::string_view text, std::size_t open) {
  for (std::size_t i = open + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[open] || text[i] == '\n') {
      return i + 1;
    }
  }
  return text.size();
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Position after the comment or literal that opens at `i`, or `i` when none does.
std::size_t past_non_code(std::string_view text, std::size_t i) {
  const std::string_view rest = text.substr(i);
  if (rest.starts_with("//"))
    return text.find('\n', i) == std::string_view::npos ? text.size() : text.find('\n', i);
  if (rest.starts_with("/*")) return past(text, "*/", i + 2);
  if (rest.starts_with("R\"")) {
    const std::string delimiter(rest.substr(2, rest.find('(') - 2));
    return past(text, ")" + delimiter + "\"", i + 2);
  }
  const bool digit_separator = text[i] == '\'' && i > 0 && is_word(text[i - 1]);
  if (text[i] == '"' || (text[i] == '\'' && !digit_separator)) return past_literal(text, i);
  return i;
}

}  // namespace

std::string code_of(std::string_view text) {
  std::string code(text);
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = past_non_code(text, i);
    blank(code, i, end);
    i = std::max(i + 1, end);
  }
  return code;
}

std::vector<SourceFile> source_files() {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(BTA_SOURCE_DIR) / "src";
  std::vector<SourceFile> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const fs::path& path = entry.path();
    if (path.extension() != ".h" && path.extension() != ".cpp") continue;
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    files.push_back({path.lexically_relative(root).generic_string(), text.str()});
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

std::vector<std::string> include_breaches(const SourceFile& file) {
  const std::string room = first_part(file.path);
  const auto rule = rooms.find(room);
  if (rule == rooms.end()) return {"src/" + file.path + ": no rule says what '" + room + "' may include"};

  std::vector<std::string> breaches;
  for (const Include& include : includes_of(file.text)) {
    const std::string other = first_part(include.path);
    const bool ours = rooms.contains(other);
    if (include.quoted && !ours) {
      breaches.push_back(at(file, include.line) + "\"" + include.path + "\" is not written from src/ on");
    } else if (ours && other != room && !rule->second.contains(other)) {
      breaches.push_back(at(file, include.line) + room + " must not include " + other);
    }
  }
  return breaches;
}

std::vector<std::string> sharing_breaches(const SourceFile& file) {
  std::vector<std::string> breaches;
  if (first_part(file.path) != "executor") return breaches;
  for (const Include& include : includes_of(file.text))
    if (first_part(include.path) == "cost" && !shared_with_executor.contains(include.path))
      breaches.push_back(at(file, include.line) + "the executor must not know " + include.path);
  return breaches;
}

std::vector<std::string> library_breaches(const SourceFile& file) {
  std::vector<std::string> breaches;
  for (const Include& include : includes_of(file.text)) {
    const auto rule = libraries.find(first_part(include.path));
    if (rule != libraries.end() && !rule->second.contains(first_part(file.path))) {
      breaches.push_back(at(file, include.line) + "<" + include.path + "> does not belong into " +
                         first_part(file.path));
    }
  }
  return breaches;
}

std::vector<std::string> silence_breaches(const SourceFile& file) {
  const std::string room = first_part(file.path);
  if (room == "cli" || room == "main.cpp") return {};
  std::vector<std::string> breaches;
  std::istringstream lines(code_of(file.text));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::smatch match;
    if (std::regex_search(line, match, loud_word)) {
      breaches.push_back(at(file, number) + "the library never prints or exits: " + match.str());
    }
  }
  return breaches;
}

std::vector<std::string> size_breaches(const SourceFile& file) {
  const auto lines = std::ranges::count(file.text, '\n');
  if (lines < max_lines) return {};
  return {"src/" + file.path + ": " + std::to_string(lines) + " lines, a file stays below " +
          std::to_string(max_lines)};
}

}  // namespace bta::house
