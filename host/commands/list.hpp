#ifndef TOMOGRAPH_HOST_COMMANDS_LIST_HPP
#define TOMOGRAPH_HOST_COMMANDS_LIST_HPP

#include <functional>

namespace CLI {
class App;
}

namespace tomograph::host {

/// Adds `tomograph list`; see add_show_command.
void add_list_command(CLI::App& app, std::function<int()>& selected);

}  // namespace tomograph::host

#endif
