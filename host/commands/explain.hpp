#ifndef TOMOGRAPH_HOST_COMMANDS_EXPLAIN_HPP
#define TOMOGRAPH_HOST_COMMANDS_EXPLAIN_HPP

#include <functional>

namespace CLI {
class App;
}

namespace tomograph::host {

/// Adds `tomograph explain`; see add_show_command.
void add_explain_command(CLI::App& app, std::function<int()>& selected);

}  // namespace tomograph::host

#endif
