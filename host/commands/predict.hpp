#ifndef TOMOGRAPH_HOST_COMMANDS_PREDICT_HPP
#define TOMOGRAPH_HOST_COMMANDS_PREDICT_HPP

#include <functional>

namespace CLI {
class App;
}

namespace tomograph::host {

/// Adds `tomograph predict`. If it is chosen, `selected` is set to what runs it and returns the exit code.
void add_predict_command(CLI::App& app, std::function<int()>& selected);

}  // namespace tomograph::host

#endif
