#ifndef TOMOGRAPH_HOST_COMMANDS_EXIT_CODE_HPP
#define TOMOGRAPH_HOST_COMMANDS_EXIT_CODE_HPP

#include <functional>
#include <string_view>

#include "reporting/log.hpp"

namespace tomograph::host {

/// The exit code of a command that does `work`: 0, or 1 if an exporter, a model or the file system failed, which is
/// then logged. Other exceptions pass.
[[nodiscard]] int exit_code_of(const std::function<void()>& work, Log& log);

/// Runs a program's `main` and writes what is left in the buffer of standard output. Exceptions end it with bad_input.
/// If standard output cannot be written, the exit code is 1. Both are told on standard error, after the name of
/// `program`.
[[nodiscard]] int exit_code_of_program(std::string_view program, const std::function<int()>& main);

}  // namespace tomograph::host

#endif
