// bta-plan with its output caught: called in this process, or started where the process is what is tested
// (streams, signals, variables, folder).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace bta::cli_test {

struct Run {
  int code = -1;  // exit code; -1 when a signal ended it
  int signal = 0;
  std::string out;  // stdout
  std::string err;  // stderr
};

/// Where a process differs from the test's own surroundings.
struct Surroundings {
  std::vector<std::pair<std::string, std::string>> variables;
  std::string folder;       // to run in
  std::string stdout_file;  // instead of catching it, e.g. /dev/full
  bool stdout_closed_pipe = false;
  std::string stderr_file;  // instead of catching it, e.g. a terminal
};

/// In this process. What it writes on stdout and stderr is caught; for one thread.
Run run(const std::vector<std::string>& arguments);

/// The program itself, as a child process.
Run run_process(const std::vector<std::string>& arguments, const Surroundings& surroundings = {});

/// A fresh folder, removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  TemporaryFolder(TemporaryFolder&&) = delete;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::vector<std::string> names() const;

 private:
  std::filesystem::path folder_;
};

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& text);

}  // namespace bta::cli_test
