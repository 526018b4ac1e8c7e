#ifndef TOMOGRAPH_HOST_PROCESS_WORKER_OUTPUT_HPP
#define TOMOGRAPH_HOST_PROCESS_WORKER_OUTPUT_HPP

#include <functional>
#include <string>

#include "process/channel.hpp"

namespace tomograph::host {

/// What a worker, or whatever runs in it, writes to its standard output and standard error: taken line by line, so
/// that it never mixes with the data and messages of the host. Lines are cut where they are too long.
class WorkerOutput {
 public:
  using TakeLine = std::function<void(const std::string& line)>;

  /// `pipe` does not block. Without `take_line` all is dropped.
  WorkerOutput(Descriptor pipe, TakeLine take_line) : pipe_(std::move(pipe)), take_line_(std::move(take_line)) {}

  /// Readable when there is output; closed when there will be no more.
  [[nodiscard]] const Descriptor& descriptor() const { return pipe_; }
  /// Takes some of what is there now. Returns whether there was anything.
  bool read();
  /// Takes what is there, up to a bound, and the line that was begun: a call has ended.
  void flush();

 private:
  void add(std::string_view text);
  void end_line();

  Descriptor pipe_;
  TakeLine take_line_;
  std::string line_;
};

}  // namespace tomograph::host

#endif
