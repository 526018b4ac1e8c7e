#ifndef TOMOGRAPH_HOST_COMMANDS_COLOR_OPTION_HPP
#define TOMOGRAPH_HOST_COMMANDS_COLOR_OPTION_HPP

#include <string>

namespace CLI {
class App;
}

namespace tomograph::host {

/// Adds `--color auto|always|never`, which sets `when`. `when` must outlive the command.
void add_color_option(CLI::App& command, std::string& when);

/// Whether to write colours to standard output.
[[nodiscard]] bool wants_color(const std::string& when);

}  // namespace tomograph::host

#endif
