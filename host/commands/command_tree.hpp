#ifndef TOMOGRAPH_HOST_COMMANDS_COMMAND_TREE_HPP
#define TOMOGRAPH_HOST_COMMANDS_COMMAND_TREE_HPP

#include <string>
#include <vector>

namespace CLI {
class App;
}

/// The commands and options of the program, for shells' completions and manual pages.
namespace tomograph::host {

struct CommandOption {
  std::vector<std::string> names = {};    ///< "--verbose", "-v"; of a positional its name alone
  std::string description = {};           ///< one sentence without its full stop
  std::vector<std::string> choices = {};  ///< the only values; empty: any
  bool is_fact = false;                   ///< its value is a fact's key, which `tomograph list facts` names
  bool takes_value = false;
  bool is_positional = false;
  bool is_required = false;
};

struct CommandEntry {
  std::vector<std::string> path = {};  ///< {} is the program itself, {"list", "devices"} a command of a command
  std::string description = {};
  std::vector<CommandOption> options = {};
};

/// The program and all its commands, each before its own commands; hidden ones are left out. A command's options
/// include those that it passes on to the command above it.
[[nodiscard]] std::vector<CommandEntry> command_tree(const CLI::App& program);

}  // namespace tomograph::host

#endif
