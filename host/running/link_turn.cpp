#include "running/link_turn.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "running/workers.hpp"

namespace tomograph::host {
namespace {

/// A lock cannot be awaited together with a descriptor. Asked so often, it delays a probe of seconds by a percent.
constexpr int milliseconds_between_tries = 20;

[[noreturn]] void fail(int error, const std::filesystem::path& file) {
  throw std::system_error(error, std::generic_category(), file.string());
}

/// Opens the lock file. In a folder where everyone can write, another user may have put something in its place.
Descriptor opened(const std::filesystem::path& file) {
  constexpr mode_t for_owner = 0600;
  Descriptor descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, for_owner));
  struct stat status {};
  if (descriptor.get() < 0 || ::fstat(descriptor.get(), &status) != 0) fail(errno, file);
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) fail(EPERM, file);
  return descriptor;
}

bool is_taken(const Descriptor& lock, const std::filesystem::path& file) {
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return true;
  if (errno != EWOULDBLOCK && errno != EINTR) fail(errno, file);
  return false;
}

}  // namespace

std::filesystem::path link_turn_file() {
  return std::filesystem::temp_directory_path() / ("tomograph-links-" + std::to_string(::geteuid()) + ".lock");
}

Descriptor take_link_turn(const std::filesystem::path& file, int interruption, const std::function<void()>& waits) {
  Descriptor lock = opened(file);
  if (is_taken(lock, file)) return lock;
  waits();
  pollfd watched{interruption, POLLIN, 0};
  while (!is_taken(lock, file)) {
    if (::poll(&watched, 1, milliseconds_between_tries) > 0) throw Interrupted();
  }
  return lock;
}

}  // namespace tomograph::host
