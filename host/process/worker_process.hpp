#ifndef TOMOGRAPH_HOST_PROCESS_WORKER_PROCESS_HPP
#define TOMOGRAPH_HOST_PROCESS_WORKER_PROCESS_HPP

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "process/channel.hpp"
#include "process/worker_output.hpp"

namespace tomograph::host {

/// A process that runs the code of plugins: this program with the hidden verb "worker". It leads its own process group,
/// so that Ctrl-C reaches only the host, and it dies with the host. Everything that it forks ends with it: the process
/// is a warden, and plugins run in its child (warden.hpp).
class WorkerProcess {
 public:
  /// While the host waits for the process, `take_line` receives what the process writes to standard output and error.
  /// @throws std::system_error if the process cannot be started.
  explicit WorkerProcess(const std::filesystem::path& program, WorkerOutput::TakeLine take_line = {});
  /// Kills what still runs.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// How long the process may take for an answer, from now on. Time in which it is ready to run but gets no processor
  /// does not count, so that no outcome depends on what else the machine does.
  class TimeLimit {
   public:
    TimeLimit(const WorkerProcess& process, double seconds);
    /// Moves on while the process waits for a processor.
    [[nodiscard]] Channel::Clock::time_point deadline() const;

   private:
    const WorkerProcess* process_;
    Channel::Clock::duration limit_;
    Channel::Clock::time_point begun_ = Channel::Clock::now();
    Channel::Clock::duration waited_before_;
  };

  /// See Channel::send and Channel::receive.
  [[nodiscard]] bool send(const Json& message) { return channel_.send(message); }
  [[nodiscard]] Channel::Received receive(const TimeLimit& limit, int interruption = -1);
  /// Reads what the process has written so far. To be called after a call into a plugin.
  void take_output() { output_.flush(); }
  /// Ends the process and its children at once.
  void kill();
  /// Tells the process to close its device and exit, and does not wait for that. Only dismiss() may follow.
  void release() { channel_.close(); }
  /// Lets the process close its device and exit. Kills it if that takes more than a few seconds.
  void dismiss();
  /// How the process ended whose connection has closed, e.g. "was killed by SIGSEGV (segmentation fault)".
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
  std::optional<int> wait_status_;  ///< none while it runs, or if it is lost
};

/// Path of the running program.
[[nodiscard]] std::filesystem::path this_program();

}  // namespace tomograph::host

#endif
