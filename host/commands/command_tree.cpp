#include "commands/command_tree.hpp"

#include <CLI/CLI.hpp>
#include <sstream>

namespace tomograph::host {
namespace {

/// CLI11 keeps the choices in the name of the value's type: "TEXT:{auto,always,never}".
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}', begin);
  std::vector<std::string> choices;
  if (begin == std::string::npos || end == std::string::npos) return choices;
  std::istringstream list(type.substr(begin + 1, end - begin - 1));
  for (std::string choice; std::getline(list, choice, ',');) choices.push_back(choice);
  return choices;
}

CommandOption described(const CLI::Option& option) {
  CommandOption described{.description = option.get_description(),
                          .choices = choices_of(option),
                          .takes_value = option.get_expected_min() > 0,
                          .is_positional = option.get_positional(),
                          .is_required = option.get_required()};
  if (described.is_positional) {
    described.names = {option.get_name(true)};
    described.is_fact = described.names.front() == "FACT";
    return described;
  }
  for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
  return described;
}

void collect(const CLI::App& app, const std::vector<std::string>& path, std::vector<CommandEntry>& tree) {
  CommandEntry entry{.path = path, .description = app.get_description()};
  for (const CLI::Option* option : app.get_options()) entry.options.push_back(described(*option));
  if (app.get_fallthrough() && app.get_parent() != nullptr) {
    for (const CLI::Option* option : app.get_parent()->get_options()) {
      const CommandOption passed = described(*option);
      if (passed.names != std::vector<std::string>{"--help", "-h"}) entry.options.push_back(passed);
    }
  }
  tree.push_back(std::move(entry));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
    std::vector<std::string> below = path;
    below.push_back(command->get_name());
    collect(*command, below, tree);
  }
}

}  // namespace

std::vector<CommandEntry> command_tree(const CLI::App& program) {
  std::vector<CommandEntry> tree;
  collect(program, {}, tree);
  return tree;
}

}  // namespace tomograph::host
