#ifndef TOMOGRAPH_HOST_COMMANDS_NEW_HPP
#define TOMOGRAPH_HOST_COMMANDS_NEW_HPP

#include <functional>

namespace CLI {
class App;
}

namespace tomograph::host {

/// Adds `tomograph new`; see add_show_command.
void add_new_command(CLI::App& app, std::function<int()>& selected);

}  // namespace tomograph::host

#endif
