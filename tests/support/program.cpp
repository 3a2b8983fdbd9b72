#include "support/program.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "cli/command_line.h"

namespace bta::cli_test {
namespace {

int open_for_writing(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY, 0600);
  if (descriptor < 0) throw std::runtime_error("cannot open " + path);
  return descriptor;
}

/// The writing end of a pipe that nobody reads.
int closed_pipe() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  ::close(ends[0]);
  return ends[1];
}

[[noreturn]] void become_program(std::vector<std::string> words, const Surroundings& surroundings, int out,
                                 int err) {
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  for (const auto& [name, value] : surroundings.variables) ::setenv(name.c_str(), value.c_str(), 1);
  if (!surroundings.folder.empty() && ::chdir(surroundings.folder.c_str()) != 0) ::_exit(126);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

/// While it lives, what is written to a descriptor goes into memory.
class Caught {
 public:
  explicit Caught(int descriptor)
      : descriptor_(descriptor), original_(::dup(descriptor)), memory_(::memfd_create("caught", 0)) {
    if (original_ < 0 || memory_ < 0 || ::dup2(memory_, descriptor_) < 0)
      throw std::runtime_error("cannot catch a stream");
  }
  Caught(const Caught&) = delete;
  Caught& operator=(const Caught&) = delete;
  ~Caught() {
    restore();
    ::close(memory_);
  }

  std::string text() {
    restore();
    return read_file("/proc/self/fd/" + std::to_string(memory_));
  }

 private:
  void restore() {
    if (original_ < 0) return;
    ::dup2(original_, descriptor_);
    ::close(std::exchange(original_, -1));
  }

  int descriptor_, original_, memory_;
};

}  // namespace

Run run(const std::vector<std::string>& arguments) {
  static_cast<void>(std::fflush(nullptr));
  Caught out(STDOUT_FILENO), err(STDERR_FILENO);
  const int code = cli::run_command_line(arguments);
  return {code, 0, out.text(), err.text()};
}

Run run_process(const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  const TemporaryFolder folder;
  std::vector<std::string> words = {BTA_PLAN_EXECUTABLE};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::string out_file =
      surroundings.stdout_file.empty() ? folder.path("out") : surroundings.stdout_file;
  const int out = surroundings.stdout_closed_pipe ? closed_pipe() : open_for_writing(out_file);
  const std::string err_file =
      surroundings.stderr_file.empty() ? folder.path("err") : surroundings.stderr_file;
  const int err = open_for_writing(err_file);
  const pid_t child = ::fork();
  if (child == 0) become_program(words, surroundings, out, err);
  ::close(out);
  ::close(err);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) throw std::runtime_error("cannot run bta-plan");
  Run result{
      WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0, {}, {}};
  if (surroundings.stdout_file.empty() && !surroundings.stdout_closed_pipe) result.out = read_file(out_file);
  if (surroundings.stderr_file.empty()) result.err = read_file(err_file);
  return result;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "bta-plan-test.XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::vector<std::string> TemporaryFolder::names() const {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    found.push_back(entry.path().filename());
  std::ranges::sort(found);
  return found;
}

std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace bta::cli_test
