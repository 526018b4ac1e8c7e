#ifndef TOMOGRAPH_HOST_COMMANDS_EXPORT_HPP
#define TOMOGRAPH_HOST_COMMANDS_EXPORT_HPP

#include <functional>

namespace CLI {
class App;
}

namespace tomograph::host {

/// Adds `tomograph export`; see add_show_command.
void add_export_command(CLI::App& app, std::function<int()>& selected);

/// Adds `tomograph report`: `export html`, into a file.
void add_report_command(CLI::App& app, std::function<int()>& selected);

}  // namespace tomograph::host

#endif
