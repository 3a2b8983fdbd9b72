// bta-plan: the best batch tiling for training mixture-of-experts models on wafer-scale chips.
// setlocale is never called: input and output are the same in every locale.
#include <fcntl.h>

#include <csignal>
#include <string>
#include <vector>

#include "cli/command_line.h"

int main(int argc, char** argv) {
  for (int descriptor = 0; descriptor <= 2; ++descriptor)  // else a file could become stdout or stderr
    if (::fcntl(descriptor, F_GETFD) == -1) static_cast<void>(::open("/dev/null", O_RDWR));
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is no error, see cli/output.h
  return bta::cli::run_command_line(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
