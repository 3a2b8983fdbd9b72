// A terminal for a child process to write to: the slave's path, and what arrived at the master.
#pragma once

#include <string>
#include <thread>

namespace bta::cli_test {

class Terminal {
 public:
  explicit Terminal(unsigned short columns);
  Terminal(const Terminal&) = delete;
  Terminal(Terminal&&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  Terminal& operator=(Terminal&&) = delete;
  ~Terminal();

  const std::string& path() const { return path_; }
  /// Everything written; call it when no process has the terminal open any more.
  std::string written();

 private:
  void close_slave();

  int master_ = -1, slave_ = -1;
  std::string path_, text_;
  std::thread reader_;
};

}  // namespace bta::cli_test
