#ifndef TOMOGRAPH_HOST_COMMANDS_COMMAND_LINE_HPP
#define TOMOGRAPH_HOST_COMMANDS_COMMAND_LINE_HPP

#include <functional>

namespace CLI {
class App;
}

namespace tomograph::host {

/// Adds the program's options and all its commands to `app`. The command that the user chooses sets `selected` to the
/// function that performs it. Both must live until that was called.
void add_commands(CLI::App& app, std::function<int()>& selected);

/// Performs the command that the arguments of `main` name, or prints the help. Returns the exit code. Throws InputError
/// for bad input.
int run_command_line(int argc, char** argv);

}  // namespace tomograph::host

#endif
