#ifndef TOMOGRAPH_HOST_COMMANDS_COMPLETION_HPP
#define TOMOGRAPH_HOST_COMMANDS_COMPLETION_HPP

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "commands/command_tree.hpp"

namespace CLI {
class App;
}

namespace tomograph::host {

/// The completion of `tomograph` for the shell "bash", "zsh" or "fish". The first entry of the tree is the program.
[[nodiscard]] std::string completion(std::string_view shell, std::span<const CommandEntry> tree);

/// Adds `tomograph completion`, which describes `app` with all commands that it has when it is run; see
/// add_show_command. `app` must outlive `selected`.
void add_completion_command(CLI::App& app, std::function<int()>& selected);

}  // namespace tomograph::host

#endif
