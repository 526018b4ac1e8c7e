#ifndef TOMOGRAPH_HOST_PROCESS_WORKER_PROCESS_HPP
#define TOMOGRAPH_HOST_PROCESS_WORKER_PROCESS_HPP

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "process/channel.hpp"
#include "process/worker_output.hpp"

namespace tomograph::host {

/// A process in which the code of plugins runs: this program again, with the hidden verb "worker". It leads a
/// process group of its own, so that Ctrl-C reaches the host alone, and it dies with the host. Whatever it forks ends
/// with it: the process is a warden, and plugins run in its child (warden.hpp).
class WorkerProcess {
 public:
  /// `take_line` gets what the process writes to its standard output and error, while the host waits for it.
  /// @throws std::system_error if the process cannot be started.
  explicit WorkerProcess(const std::filesystem::path& program, WorkerOutput::TakeLine take_line = {});
  /// Kills what still runs.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// As Channel::send and Channel::receive.
  [[nodiscard]] bool send(const Json& message) { return channel_.send(message); }
  [[nodiscard]] Channel::Reception receive(std::optional<Channel::Clock::time_point> deadline, int interruption = -1);
  /// Takes the rest of what the process has written until now, after a call into a plugin.
  void take_output() { output_.flush(); }
  /// Ends the process and its children at once.
  void kill();
  /// Lets the process close its device and end by itself; kills it if it does not within a few seconds.
  void dismiss();
  /// How the process, whose connection has closed, ended, e.g. "was killed by SIGSEGV (segmentation fault)".
  [[nodiscard]] std::string ending();

 private:
  using Ends = std::pair<Descriptor, Descriptor>;
  WorkerProcess(const std::filesystem::path& program, Ends connection, Ends output, WorkerOutput::TakeLine take_line);
  /// Whether the process ended before the deadline; then `wait_status_` says how it ended.
  bool reap(Channel::Clock::time_point deadline);

  Channel channel_;
  WorkerOutput output_;
  pid_t pid_ = -1;
  bool reaped_ = false;
  int wait_status_ = 0;
};

/// Path of the running program.
[[nodiscard]] std::filesystem::path this_program();

}  // namespace tomograph::host

#endif
