#include "process/interruption.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace tomograph::host {
namespace {

bool is_ignored(int signal) {
  struct sigaction current {};
  return ::sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
}

}  // namespace

Interruption::Interruption() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  if (!is_ignored(SIGHUP)) sigaddset(&signals, SIGHUP);
  if (const int error = ::pthread_sigmask(SIG_BLOCK, &signals, &before_); error != 0) {
    throw std::system_error(error, std::generic_category(), "cannot block signals");
  }
  descriptor_ = Descriptor(::signalfd(-1, &signals, SFD_CLOEXEC));
  if (descriptor_.get() < 0) throw std::system_error(errno, std::generic_category(), "cannot watch signals");
}

/// Discards signals that have arrived: the run has already ended because of them.
Interruption::~Interruption() {
  while (requested()) {
    signalfd_siginfo signal{};
    if (::read(descriptor_.get(), &signal, sizeof signal) <= 0) break;
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool Interruption::requested() const {
  pollfd watched{descriptor_.get(), POLLIN, 0};
  return ::poll(&watched, 1, 0) > 0;
}

}  // namespace tomograph::host
