#ifndef TOMOGRAPH_HOST_RUNNING_WORKER_PROCESS_HPP
#define TOMOGRAPH_HOST_RUNNING_WORKER_PROCESS_HPP

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "running/channel.hpp"

namespace tomograph::host {

/// A process in which the code of plugins runs: this program again, with the hidden verb "worker". It leads a
/// process group of its own, so that Ctrl-C reaches the host alone, and it dies with the host.
class WorkerProcess {
 public:
  /// @throws std::system_error if the process cannot be started.
  explicit WorkerProcess(const std::filesystem::path& program);
  /// Kills what still runs.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  [[nodiscard]] Channel& channel() { return channel_; }
  /// Ends the process and its children at once.
  void kill();
  /// Lets the process close its device and end by itself; kills it if it does not within a few seconds.
  void dismiss();
  /// How the process, whose connection has closed, ended, e.g. "was killed by SIGSEGV (segmentation fault)".
  [[nodiscard]] std::string ending();

 private:
  WorkerProcess(const std::filesystem::path& program, std::pair<Descriptor, Descriptor> ends);
  /// Whether the process ended before the deadline; then `wait_status_` says how.
  bool reap(Channel::Clock::time_point deadline);

  Channel channel_;
  pid_t pid_ = -1;
  bool reaped_ = false;
  int wait_status_ = 0;
};

/// Path of the running program.
[[nodiscard]] std::filesystem::path this_program();

}  // namespace tomograph::host

#endif
