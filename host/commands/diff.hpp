#ifndef TOMOGRAPH_HOST_COMMANDS_DIFF_HPP
#define TOMOGRAPH_HOST_COMMANDS_DIFF_HPP

#include <functional>

namespace CLI {
class App;
}

namespace tomograph::host {

/// Adds `tomograph diff`; see add_show_command.
void add_diff_command(CLI::App& app, std::function<int()>& selected);

}  // namespace tomograph::host

#endif
