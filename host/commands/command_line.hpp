#ifndef TOMOGRAPH_HOST_COMMANDS_COMMAND_LINE_HPP
#define TOMOGRAPH_HOST_COMMANDS_COMMAND_LINE_HPP

namespace tomograph::host {

/// Exit code of bad usage, configuration or input.
inline constexpr int bad_input = 2;

/// Performs the command that the arguments of `main` name, or prints the help. Returns the exit code. Throws InputError
/// for bad input.
int run_command_line(int argc, char** argv);

}  // namespace tomograph::host

#endif
