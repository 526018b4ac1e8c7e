#include "commands/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <vector>

namespace tomograph::host {
namespace {

/// "list devices".
std::string path_text(const CommandEntry& entry) { return fmt::format("{}", fmt::join(entry.path, " ")); }

/// Whether a command is one of this command.
bool is_below(const CommandEntry& command, const CommandEntry& entry) {
  return command.path.size() == entry.path.size() + 1 &&
         std::equal(entry.path.begin(), entry.path.end(), command.path.begin());
}

std::vector<std::string> commands_below(std::span<const CommandEntry> tree, const CommandEntry& entry) {
  std::vector<std::string> names;
  for (const CommandEntry& other : tree) {
    if (is_below(other, entry)) names.push_back(other.path.back());
  }
  return names;
}

std::vector<std::string> option_names(const CommandEntry& entry) {
  std::vector<std::string> names;
  for (const CommandOption& option : entry.options) {
    if (!option.is_positional) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// The first line of a description: the shells show one.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Bash

/// Appended to a list of words: the keys of all facts.
constexpr const char* keys_of_facts = "' '$(tomograph list facts 2>/dev/null | cut -d' ' -f1)";

/// The values that may follow an option, or stand in the place of a positional.
std::string bash_values(std::span<const CommandEntry> tree) {
  std::string text;
  for (const CommandEntry& entry : tree) {
    for (const CommandOption& option : entry.options) {
      if (option.is_positional || option.choices.empty()) continue;
      for (const std::string& name : option.names) {
        text += fmt::format("    '{} {}') COMPREPLY=($(compgen -W '{}' -- \"$current\")); return ;;\n",
                            path_text(entry), name, fmt::join(option.choices, " "));
      }
    }
  }
  return text;
}

std::string bash_words(std::span<const CommandEntry> tree) {
  std::string text;
  for (const CommandEntry& entry : tree) {
    std::vector<std::string> words = commands_below(tree, entry);
    std::string facts;
    for (const CommandOption& option : entry.options) {
      if (option.is_positional) words.insert(words.end(), option.choices.begin(), option.choices.end());
      if (option.is_fact) facts = keys_of_facts;
    }
    text += fmt::format("    '{}') options='{}'; words='{}'{} ;;\n", path_text(entry),
                        fmt::join(option_names(entry), " "), fmt::join(words, " "), facts);
  }
  return text;
}

std::string bash_completion(std::span<const CommandEntry> tree) {
  std::vector<std::string> paths;
  for (const CommandEntry& entry : tree.subspan(1)) paths.push_back("'" + path_text(entry) + "'");
  return fmt::format(R"(# Completion of tomograph for bash, made by `tomograph completion bash`.
_tomograph() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  local command='' options='' words='' word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD - 1}}"; do
    case "${{command:+$command }}$word" in
    {}) command="${{command:+$command }}$word" ;;
    esac
  done
  case "$command $previous" in
{}  esac
  case "$command" in
{}  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *)
      COMPREPLY=($(compgen -W "$words" -- "$current"))
      [ -z "$command" ] || COMPREPLY+=($(compgen -f -- "$current")) ;;
  esac
}}
complete -o filenames -F _tomograph tomograph
)",
                     fmt::join(paths, " | "), bash_values(tree), bash_words(tree));
}

// Zsh

/// Text within single quotes and square brackets of _arguments.
std::string zsh_text(const std::string& text) {
  std::string escaped = replaced(first_line(text), "'", "'\\''");
  for (const char* special : {"[", "]", ":"}) escaped = replaced(escaped, special, std::string("\\") + special);
  return escaped;
}

std::string zsh_value(const CommandOption& option) {
  if (option.is_fact) return std::string("($(tomograph list facts 2>/dev/null | cut -d\" \" -f1))");
  return option.choices.empty() ? "_files" : fmt::format("({})", fmt::join(option.choices, " "));
}

/// A fact has its place; the other positionals stand together, since _arguments takes one rest.
std::string zsh_positionals(const CommandEntry& entry) {
  std::string text;
  for (const CommandOption& option : entry.options) {
    if (!option.is_positional) continue;
    text += fmt::format(" \\\n        '{}:{}:{}'", option.is_fact ? "1" : "*", zsh_text(option.names.front()),
                        zsh_value(option));
    if (!option.is_fact) break;
  }
  return text;
}

std::string zsh_arguments(const CommandEntry& entry) {
  std::string text = zsh_positionals(entry);
  for (const CommandOption& option : entry.options) {
    if (option.is_positional) continue;
    for (const std::string& name : option.names) {
      const std::string value = option.takes_value ? ":value:" + zsh_value(option) : "";
      text += fmt::format(" \\\n        '*{}[{}]{}'", name, zsh_text(option.description), value);
    }
  }
  return text;
}

std::string zsh_commands(std::span<const CommandEntry> tree) {
  std::string text;
  for (const CommandEntry& entry : tree) {
    if (entry.path.size() == 1) {
      text += fmt::format("        '{}:{}'\n", entry.path.front(), zsh_text(entry.description));
    }
  }
  return text;
}

std::string zsh_completion(std::span<const CommandEntry> tree) {
  std::string cases;
  for (const CommandEntry& entry : tree.subspan(1)) {
    if (entry.path.size() != 1) continue;
    const auto below = commands_below(tree, entry);
    const std::string first = below.empty() ? "" : fmt::format(" \\\n        '1:command:({})'", fmt::join(below, " "));
    cases += fmt::format("    {})\n      _arguments{}{} ;;\n", entry.path.front(), first, zsh_arguments(entry));
  }
  return fmt::format(R"(#compdef tomograph
# Completion of tomograph for zsh, made by `tomograph completion zsh`.
_tomograph() {{
  local context state line
  _arguments -C '1:command:->command' '*::argument:->argument'{}
  case $state in
    command)
      local -a commands=(
{}      )
      _describe command commands ;;
    argument)
      case $words[1] in
{}      esac ;;
  esac
}}
_tomograph "$@"
)",
                     zsh_arguments(tree.front()), zsh_commands(tree), cases);
}

// Fish

std::string fish_text(const std::string& text) {
  return "'" + replaced(replaced(first_line(text), "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish_option(const std::string& condition, const CommandOption& option) {
  std::string line = "complete -c tomograph -n " + condition;
  if (option.is_fact) return line + " -a '(tomograph list facts 2>/dev/null | string replace -r \"  +\" \\t)'\n";
  if (option.is_positional) {
    return option.choices.empty() ? "" : line + fmt::format(" -a '{}'\n", fmt::join(option.choices, " "));
  }
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.choices.empty()) {
    line += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
  } else if (option.takes_value) {
    line += " -r";
  }
  return line + " -d " + fish_text(option.description) + "\n";
}

std::string fish_completion(std::span<const CommandEntry> tree) {
  std::string text = "# Completion of tomograph for fish, made by `tomograph completion fish`.\n";
  for (const CommandEntry& entry : tree) {
    std::string condition = "__fish_use_subcommand";
    if (!entry.path.empty()) {
      condition =
          fmt::format("'__fish_seen_subcommand_from {}'", fmt::join(entry.path, "; and __fish_seen_subcommand_from "));
    }
    for (const CommandOption& option : entry.options) text += fish_option(condition, option);
    for (const CommandEntry& other : tree) {
      if (!is_below(other, entry)) continue;
      text += fmt::format("complete -c tomograph -n {} -a {} -d {}\n", condition, other.path.back(),
                          fish_text(other.description));
    }
  }
  return text;
}

}  // namespace

std::string completion(std::string_view shell, std::span<const CommandEntry> tree) {
  if (shell == "bash") return bash_completion(tree);
  return shell == "zsh" ? zsh_completion(tree) : fish_completion(tree);
}

void add_completion_command(CLI::App& app, std::function<int()>& selected) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("completion", "Print the completion of commands and options for a shell");
  verb->add_option("SHELL", *shell, "The shell")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  verb->callback([&app, shell, &selected] {
    selected = [&app, shell] {
      fmt::print("{}", completion(*shell, command_tree(app)));
      return 0;
    };
  });
}

}  // namespace tomograph::host
