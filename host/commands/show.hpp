#ifndef TOMOGRAPH_HOST_COMMANDS_SHOW_HPP
#define TOMOGRAPH_HOST_COMMANDS_SHOW_HPP

#include <functional>

namespace CLI {
class App;
}

namespace tomograph::host {

/// Adds `tomograph show`. If the user chooses it, sets `selected` to the function that `main` runs: it returns the exit
/// code or throws InputError. `selected` must outlive `app`.
void add_show_command(CLI::App& app, std::function<int()>& selected);

}  // namespace tomograph::host

#endif
