#include "input/text_file.h"

#include <unistd.h>

#include <filesystem>

#include "unit/input/input_support.h"

namespace {

namespace fs = std::filesystem;
using bta::is_utf8;
using bta::test::problems;

/// A file with these bytes that is gone after the test.
struct File {
  std::string path = (fs::temp_directory_path() / ("bta-text-file-" + std::to_string(::getpid()))).string();
  explicit File(const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  File(File&&) = delete;
  File& operator=(File&&) = delete;
  ~File() { fs::remove(path); }
};

std::string problem(const std::string& bytes) {
  const File file(bytes);
  const std::string text = problems(bta::read_text_file(file.path));
  return text.empty() ? "" : text.substr(file.path.size());
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("a byte-order mark is not part of the text") {
  const File file(
      "\xEF\xBB\xBF"
      "a: 1\n");
  CHECK(bta::read_text_file(file.path).value() == "a: 1\n");
}

TEST_CASE("files that are no text say why") {
  CHECK(problem("a: \xFF\n") == ": error: the file is not UTF-8 text\n");
  CHECK(problem(std::string("a\0b", 3)) == ": error: the file holds NUL bytes; UTF-8 text is needed\n");
  CHECK(problem(std::string("\xFF\xFE"
                            "a\0",
                            4)) == ": error: the file holds NUL bytes; UTF-8 text is needed\n");
}

TEST_CASE("the largest file is read and one byte more is refused") {
  CHECK(problem(std::string(bta::largest_file_bytes, 'x')).empty());
  CHECK(problem(std::string(bta::largest_file_bytes + 1, 'x')) ==
        ": error: the file is larger than 16 MiB; no description is\n");
}

TEST_CASE("folders, missing files and endless ones say so") {
  CHECK(problems(bta::read_text_file("/tmp")) == "/tmp: error: this is a folder; a file is needed\n");
  CHECK(problems(bta::read_text_file("/no/such")) ==
        "/no/such: error: the file cannot be opened: No such file or directory\n");
  CHECK(problems(bta::read_text_file("/dev/zero")) ==
        "/dev/zero: error: the file is larger than 16 MiB; no description is\n");
}

TEST_CASE("UTF-8 is checked to the letter of its definition") {
  for (const char* const good :
       {"", "a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF"}) {
    CHECK(is_utf8(good));
  }
  for (const char* const bad :
       {"\x80", "\xC3", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82", "\xE2\x82z", "a\xFF"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_utf8(bad));
  }
}

TEST_SUITE_END();

}  // namespace
