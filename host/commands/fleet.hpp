#ifndef TOMOGRAPH_HOST_COMMANDS_FLEET_HPP
#define TOMOGRAPH_HOST_COMMANDS_FLEET_HPP

#include <functional>

namespace CLI {
class App;
}

namespace tomograph::host {

/// Adds `tomograph fleet`; see add_show_command.
void add_fleet_command(CLI::App& app, std::function<int()>& selected);

}  // namespace tomograph::host

#endif
