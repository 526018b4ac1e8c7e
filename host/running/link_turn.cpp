#include "running/link_turn.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "running/workers.hpp"

namespace tomograph::host {
namespace {

/// A lock cannot be awaited together with a descriptor. Asked so often, it delays a probe of seconds by a thousandth.
constexpr int milliseconds_between_tries = 2;

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

/// Bytes of the file that are locked. Who waits for the turn keeps the queue's head, so that turns of others, which may
/// overlap, do not keep it waiting for ever. Who waits for the host is not yet in the queue.
enum class TurnByte : off_t { turn, head_of_queue, host };

/// Asks for a byte with F_OFD_SETLK (lock, share or unlock it: F_WRLCK, F_RDLCK, F_UNLCK) or F_OFD_GETLK. Returns
/// whether the request succeeded, and in the latter case whether the byte is free.
bool ask_for_byte(const Descriptor& file, int request, TurnByte byte, short kind, const std::filesystem::path& name) {
  struct flock lock {};
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(byte);
  lock.l_len = 1;
  if (::fcntl(file.get(), request, &lock) == 0) return request == F_OFD_SETLK || lock.l_type == F_UNLCK;
  if (errno != EAGAIN && errno != EACCES && errno != EINTR) fail(errno, name);
  return false;
}

bool lock_byte(const Descriptor& file, TurnByte byte, short kind, const std::filesystem::path& name) {
  return ask_for_byte(file, F_OFD_SETLK, byte, kind, name);
}

}  // namespace

std::filesystem::path link_turn_file() {
  return std::filesystem::temp_directory_path() / ("tomograph-links-" + std::to_string(::geteuid()) + ".lock");
}

LinkLocks take_link_turn(const std::filesystem::path& file, LinkTurn turn, int interruption,
                         const std::function<void()>& waits) {
  bool waited = false;
  const auto wait_for = [&](const std::function<bool()>& is_taken) {
    pollfd watched{interruption, POLLIN, 0};
    while (!is_taken()) {
      if (!std::exchange(waited, true)) waits();
      if (::poll(&watched, 1, milliseconds_between_tries) > 0) throw Interrupted();
    }
  };
  LinkLocks locks;
  if (turn == LinkTurn::link_to_host) {
    locks.host = opened(file);
    wait_for([&] { return lock_byte(locks.host, TurnByte::host, F_WRLCK, file); });
  }
  locks.turn = opened(file);
  const short kind = turn == LinkTurn::links_to_gpus ? F_WRLCK : F_RDLCK;
  wait_for([&] { return lock_byte(locks.turn, TurnByte::head_of_queue, F_WRLCK, file); });
  wait_for([&] { return lock_byte(locks.turn, TurnByte::turn, kind, file); });
  lock_byte(locks.turn, TurnByte::head_of_queue, F_UNLCK, file);
  return locks;
}

bool is_link_to_host_taken(const std::filesystem::path& file) {
  return !ask_for_byte(opened(file), F_OFD_GETLK, TurnByte::host, F_WRLCK, file);
}

bool is_link_turn_awaited(const std::filesystem::path& file) {
  return !ask_for_byte(opened(file), F_OFD_GETLK, TurnByte::head_of_queue, F_WRLCK, file);
}

}  // namespace tomograph::host
