#include "cli/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace bta::cli_test {

Terminal::Terminal(unsigned short columns) : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
  std::array<char, 64> name{};
  if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0 ||
      ::ptsname_r(master_, name.data(), name.size()) != 0)
    throw std::runtime_error("no terminal");
  path_ = name.data();
  slave_ = ::open(path_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);  // else reading ends before it begins
  if (slave_ < 0) throw std::runtime_error("cannot open " + path_);
  const winsize size{24, columns, 0, 0};
  ::ioctl(slave_, TIOCSWINSZ, &size);
  reader_ = std::thread([this] {
    std::array<char, 4096> buffer{};
    for (ssize_t n = 0; (n = ::read(master_, buffer.data(), buffer.size())) > 0;)
      text_.append(buffer.data(), static_cast<std::size_t>(n));
  });
}

Terminal::~Terminal() {
  close_slave();
  ::close(master_);
}

std::string Terminal::written() {
  close_slave();
  return text_;
}

void Terminal::close_slave() {
  if (slave_ >= 0) ::close(std::exchange(slave_, -1));
  if (reader_.joinable()) reader_.join();
}

}  // namespace bta::cli_test
