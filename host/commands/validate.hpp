#ifndef TOMOGRAPH_HOST_COMMANDS_VALIDATE_HPP
#define TOMOGRAPH_HOST_COMMANDS_VALIDATE_HPP

#include <functional>

namespace CLI {
class App;
}

namespace tomograph::host {

/// Adds `tomograph validate`; see add_show_command.
void add_validate_command(CLI::App& app, std::function<int()>& selected);

}  // namespace tomograph::host

#endif
