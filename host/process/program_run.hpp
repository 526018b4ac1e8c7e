#ifndef TOMOGRAPH_HOST_PROCESS_PROGRAM_RUN_HPP
#define TOMOGRAPH_HOST_PROCESS_PROGRAM_RUN_HPP

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "process/channel.hpp"
#include "process/worker_output.hpp"

namespace tomograph::host {

/// A run of a program, watched by this one. It leads its own process group, so that Ctrl-C reaches only the watcher,
/// and it receives SIGTERM if the watching thread dies, so that it can end in good order.
class ProgramRun {
 public:
  /// `take_line` receives each line of standard error; standard output is collected.
  /// @throws std::system_error if no process can be started.
  ProgramRun(const std::filesystem::path& program, const std::vector<std::string>& arguments,
             WorkerOutput::TakeLine take_line);
  /// Ends the program with SIGTERM if it still runs, and waits for it.
  ~ProgramRun();
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;

  /// Readable when there is something to `read`; -1 once the output has ended.
  [[nodiscard]] int output() const { return output_.get(); }
  [[nodiscard]] int errors() const { return errors_.descriptor().get(); }
  /// Reads what is there. Never waits.
  void read_output();
  void read_errors();

  /// Whether both outputs have ended, as they do with the program.
  [[nodiscard]] bool has_ended() const { return output() < 0 && errors() < 0; }
  void signal(int number) const;
  /// Waits for the end. Returns the exit code, or 128 and the number of the signal that killed the program; 1 if it is
  /// lost.
  int wait();
  /// What was written to standard output.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  using Ends = std::pair<Descriptor, Descriptor>;
  ProgramRun(const std::filesystem::path& program, const std::vector<std::string>& arguments,
             WorkerOutput::TakeLine take_line, Ends output, Ends errors);

  Descriptor output_;
  WorkerOutput errors_;
  std::string text_;
  pid_t pid_ = -1;
  int exit_code_ = -1;
};

/// Waits until one of the programs has written something and reads it, or until `interruption` (-1: there is none)
/// becomes readable. Returns whether it did. `milliseconds`: how long it waits at most; -1: for ever.
bool read_what_comes(const std::vector<ProgramRun*>& programs, int interruption, int milliseconds = -1);

}  // namespace tomograph::host

#endif
