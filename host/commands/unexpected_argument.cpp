#include "commands/unexpected_argument.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "commands/command_tree.hpp"
#include "tomograph/documents/nearest_name.hpp"

namespace tomograph::host {
namespace {

/// An argument that was left over, and the command that did.
struct LeftOver {
  const CLI::App* command = nullptr;
  std::vector<std::string> path;
  std::string argument;
};

std::optional<LeftOver> first_left_over(const CLI::App& command, const std::vector<std::string>& path) {
  if (const auto arguments = command.remaining(); !arguments.empty())
    return LeftOver{&command, path, arguments.front()};
  for (const CLI::App* below : command.get_subcommands()) {
    std::vector<std::string> longer = path;
    longer.push_back(below->get_name());
    if (auto found = first_left_over(*below, longer)) return found;
  }
  return std::nullopt;
}

std::string path_text(const std::vector<std::string>& path) {
  std::string text;
  for (const std::string& name : path) text += (text.empty() ? "" : " ") + name;
  return text;
}

std::vector<std::string> options_of(const CLI::App& program, const std::vector<std::string>& path) {
  std::vector<std::string> names;
  for (const CommandEntry& entry : command_tree(program)) {
    if (entry.path != path) continue;
    for (const CommandOption& option : entry.options)
      names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

std::vector<std::string> commands_below(const CLI::App& program, const std::vector<std::string>& path) {
  std::vector<std::string> names;
  for (const CommandEntry& entry : command_tree(program)) {
    if (entry.path.size() != path.size() + 1) continue;
    if (std::equal(path.begin(), path.end(), entry.path.begin())) names.push_back(entry.path.back());
  }
  return names;
}

}  // namespace

std::optional<std::string> unexpected_argument(const CLI::App& program) {
  const auto left_over = first_left_over(program, {});
  if (!left_over) return std::nullopt;
  const std::string owner = left_over->path.empty() ? "there is no" : path_text(left_over->path) + " has no";
  const std::string& argument = left_over->argument;
  if (argument.starts_with('-')) {
    const std::string name = argument.substr(0, argument.find('='));
    // One letter is as near to any other.
    const std::string nearest = name.starts_with("--") ? suggestion(name, options_of(program, left_over->path)) : "";
    return owner + " option " + name + nearest;
  }
  const std::vector<std::string> commands = commands_below(program, left_over->path);
  const bool is_command = std::ranges::find(commands, argument) != commands.end();
  if (commands.empty() || is_command) {
    return (left_over->path.empty() ? "" : path_text(left_over->path) + ": ") + "'" + argument + "' was not expected";
  }
  return owner + " command '" + argument + "'" + suggestion(argument, commands);
}

}  // namespace tomograph::host
