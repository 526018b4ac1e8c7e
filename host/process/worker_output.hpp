#ifndef TOMOGRAPH_HOST_PROCESS_WORKER_OUTPUT_HPP
#define TOMOGRAPH_HOST_PROCESS_WORKER_OUTPUT_HPP

#include <functional>
#include <string>

#include "process/channel.hpp"

namespace tomograph::host {

/// Standard output and standard error of a worker, read line by line, so that they do not mix with the output of the
/// host. Long lines are cut.
class WorkerOutput {
 public:
  using TakeLine = std::function<void(const std::string& line)>;

  /// `pipe` is non-blocking. Without `take_line`, the output is dropped.
  WorkerOutput(Descriptor pipe, TakeLine take_line) : pipe_(std::move(pipe)), take_line_(std::move(take_line)) {}

  /// Readable when there is output; closed at the end of the output.
  [[nodiscard]] const Descriptor& descriptor() const { return pipe_; }
  /// Reads a part of the available output. Returns whether there was any.
  bool read();
  /// Reads the available output, up to a limit, and passes on an unfinished line. To be called at the end of a call.
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
