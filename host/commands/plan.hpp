#ifndef TOMOGRAPH_HOST_COMMANDS_PLAN_HPP
#define TOMOGRAPH_HOST_COMMANDS_PLAN_HPP

#include <functional>

namespace CLI {
class App;
}

namespace tomograph::host {

/// Adds `tomograph plan`; see add_show_command.
void add_plan_command(CLI::App& app, std::function<int()>& selected);

}  // namespace tomograph::host

#endif
