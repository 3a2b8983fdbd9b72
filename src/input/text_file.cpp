#include "input/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/characters.h"

namespace bta {
namespace {

Diagnostics about(const std::string& path, std::string message) {
  return {{path, 0, 0, "", std::move(message)}};
}

std::string reason(int error_number) {
  return std::generic_category().message(error_number);
}

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

Result<std::string> read_all(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) return about(path, fmt::format("the file cannot be opened: {}", reason(errno)));
  std::string bytes;
  for (std::size_t got = 1, used = 0; got > 0; used += got) {
    if (used > largest_file_bytes) return about(path, "the file is larger than 16 MiB; no description is");
    bytes.resize(used + 65536);
    got = std::fread(bytes.data() + used, 1, bytes.size() - used, file.get());
    if (got == 0) bytes.resize(used);
  }
  if (std::ferror(file.get()) != 0)
    return about(path, fmt::format("the file cannot be read: {}", reason(errno)));
  return bytes;
}

/// Bytes of the well-formed character that `text` begins with (RFC 3629), 0 if there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues_character(text[i])) return 0;
  }
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate_or_beyond = (lead == 0xED && byte(1) > 0x9F) || (lead == 0xF4 && byte(1) > 0x8F);
  return overlong || surrogate_or_beyond ? 0 : length;
}

}  // namespace

bool is_utf8(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  while (true) {
    text.remove_prefix(
        static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_ascii) - text.begin()));
    if (text.empty()) return true;
    const std::size_t length = character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
}

Result<std::string> read_text_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return about(path, "this is a folder; a file is needed");
  Result<std::string> bytes = read_all(path);
  if (!bytes) return bytes;
  std::string& text = bytes.value();
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  if (text.find('\0') != std::string::npos)
    return about(path, "the file holds NUL bytes; UTF-8 text is needed");
  if (!is_utf8(text)) return about(path, "the file is not UTF-8 text");
  return bytes;
}

}  // namespace bta
