#ifndef TOMOGRAPH_HOST_COMMANDS_RUN_HPP
#define TOMOGRAPH_HOST_COMMANDS_RUN_HPP

#include <functional>

namespace CLI {
class App;
}

namespace tomograph::host {

/// Adds `tomograph run`; see add_show_command.
void add_run_command(CLI::App& app, std::function<int()>& selected);

}  // namespace tomograph::host

#endif
