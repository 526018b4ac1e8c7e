#ifndef TOMOGRAPH_HOST_COMMANDS_SHOW_HPP
#define TOMOGRAPH_HOST_COMMANDS_SHOW_HPP

#include <functional>

namespace CLI {
class App;
}

namespace tomograph::host {

/// Adds `tomograph show`. When the user chooses it, `selected` becomes what `main` shall run: it returns the exit
/// code, or throws InputError. `selected` outlives `app`.
void add_show_command(CLI::App& app, std::function<int()>& selected);

}  // namespace tomograph::host

#endif
