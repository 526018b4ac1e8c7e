#ifndef TOMOGRAPH_HOST_COMMANDS_EXIT_CODE_HPP
#define TOMOGRAPH_HOST_COMMANDS_EXIT_CODE_HPP

#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "reporting/log.hpp"

namespace tomograph::host {

/// Exit code of bad usage, configuration or input.
inline constexpr int bad_input = 2;

/// What an exit code says of a command; of one without a name, what it says of all others.
struct ExitCodeMeaning {
  int code = 0;
  std::string_view command;
  std::string_view text;
};

/// In the words of docs/using.md, for the help and the manual pages.
inline constexpr std::array<ExitCodeMeaning, 8> exit_code_meanings{{
    {0, "", "no probe failed, though facts may be inconclusive"},
    {0, "diff", "the same"},
    {0, "fleet", "none is odd"},
    {1, "",
     "a probe failed, crashed, timed out or could not run, a fact of --require PATTERN was not measured, or an output "
     "was not written"},
    {1, "diff", "different"},
    {1, "fleet", "a GPU is odd, or a file does not count"},
    {bad_input, "", "bad usage, configuration or input; nothing was written"},
    {130, "", "interrupted with Ctrl-C; the topology is valid"},
}};

/// The meanings as the lines of a help text.
[[nodiscard]] std::string exit_code_help();

/// The exit code of a command that does `work`: 0, or 1 if an exporter, a model or the file system failed, which is
/// then logged. Other exceptions pass.
[[nodiscard]] int exit_code_of(const std::function<void()>& work, Log& log);

/// Runs a program's `main` and writes what is left in the buffer of standard output. Exceptions end it with bad_input.
/// If standard output cannot be written, the exit code is 1. Both are told on standard error, after the name of
/// `program`.
[[nodiscard]] int exit_code_of_program(std::string_view program, const std::function<int()>& main);

}  // namespace tomograph::host

#endif
