#ifndef TOMOGRAPH_HOST_PROCESS_INTERRUPTION_HPP
#define TOMOGRAPH_HOST_PROCESS_INTERRUPTION_HPP

#include <csignal>

#include "process/channel.hpp"

namespace tomograph::host {

/// While it lives, SIGINT, SIGTERM and SIGHUP make a descriptor readable instead of ending this process. A SIGHUP that
/// the caller ignores, as nohup does, stays ignored. Create it before any other thread, so that all threads block the
/// signals.
class Interruption {
 public:
  /// @throws std::system_error
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_.get(); }
  /// Whether one of the signals has arrived.
  [[nodiscard]] bool requested() const;

 private:
  sigset_t before_{};
  Descriptor descriptor_;
};

}  // namespace tomograph::host

#endif
