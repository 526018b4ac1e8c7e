#ifndef TOMOGRAPH_HOST_COMMANDS_MANUAL_HPP
#define TOMOGRAPH_HOST_COMMANDS_MANUAL_HPP

#include <functional>
#include <map>
#include <span>
#include <string>

#include "commands/command_tree.hpp"

namespace CLI {
class App;
}

namespace tomograph::host {

/// The manual pages by file name, in man(7): "tomograph.1" and "tomograph-COMMAND.1". `date` is like 2026-11-22.
[[nodiscard]] std::map<std::string, std::string> manual_pages(std::span<const CommandEntry> tree,
                                                              const std::string& date);

/// Adds the hidden command `tomograph manual FOLDER`, with which the build makes the pages; see add_completion_command.
void add_manual_command(CLI::App& app, std::function<int()>& selected);

}  // namespace tomograph::host

#endif
