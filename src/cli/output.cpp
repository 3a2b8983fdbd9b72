#include "cli/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "cli/arguments.h"

namespace bta::cli {
namespace {

namespace fs = std::filesystem;

/// 0, or the error.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// What the file would have if it were created or written in the ordinary way.
mode_t mode_for(const std::string& target) {
  struct stat existing {};
  if (::stat(target.c_str(), &existing) == 0) return existing.st_mode & 07777U;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666U & ~mask;
}

bool is_written_directly(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status);
}

/// The file itself where the path is a link to it, so that the link stays.
std::string resolved(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? path : target.string();
}

Diagnostics cannot_write(const std::string& option, const std::string& path, int error) {
  return {option_error(option, fmt::format("cannot write {}: {}", path, std::strerror(error)))};
}

}  // namespace

Result<Output> Output::open(const std::string& path, const std::string& option) {
  if (path == "-") return Output("stdout", STDOUT_FILENO);
  if (path.empty()) return Diagnostics{option_error(option, "is empty; a file name or - is needed")};
  if (is_written_directly(path)) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return cannot_write(option, path, errno);
    return Output(path, descriptor);
  }
  Output output(path, -1);
  output.target_ = resolved(path);
  const fs::path folder = fs::path(output.target_).parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0)
    return cannot_write(option, path, errno);
  return output;
}

Output::Output(Output&& other) noexcept
    : shown_(std::move(other.shown_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

Output::~Output() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

bool Output::write(std::string_view text) {
  if (!target_.empty() && !create_temporary()) return fail(errno);
  const int error = write_all(descriptor_, text);
  if (error == EPIPE) return true;
  if (error != 0) return fail(error);
  return temporary_.empty() || put_in_place();
}

bool Output::create_temporary() {
  std::string name = target_ + ".XXXXXX";
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ >= 0) temporary_ = name;
  return descriptor_ >= 0;
}

bool Output::put_in_place() {
  const bool stored = ::fchmod(descriptor_, mode_for(target_)) == 0 && ::fsync(descriptor_) == 0 &&
                      ::close(std::exchange(descriptor_, -1)) == 0 &&
                      ::rename(temporary_.c_str(), target_.c_str()) == 0;
  if (!stored) return fail(errno);
  temporary_.clear();
  return true;
}

bool Output::fail(int error) {
  say_errors({{.file = "bta-plan",
               .line = 0,
               .column = 0,
               .key = {},
               .message = fmt::format("cannot write {}: {}", shown_, std::strerror(error))}});
  return false;
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  const auto whole = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  };
  return a == b || (a != "-" && b != "-" && whole(a) == whole(b));
}

void say_note(std::string_view text) {
  std::fputs(fmt::format("bta-plan: note: {}\n", text).c_str(), stderr);
}

void say_errors(const Diagnostics& errors) {
  for (const Diagnostic& error : errors) std::fputs((to_string(error) + "\n").c_str(), stderr);
}

}  // namespace bta::cli
