#include "commands/empty_argument.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>

#include "tomograph/documents/input_error.hpp"

namespace tomograph::host {
namespace {

void require_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (std::ranges::find(option->results(), "") == option->results().end()) continue;
    throw CLI::ValidationError(option->get_name(), "expected a value, found nothing");
  }
  for (const CLI::App* below : command.get_subcommands()) require_values(*below);
}

}  // namespace

void refuse_empty_arguments(CLI::App& program) {
  program.final_callback([&program] { require_values(program); });
}

void refuse_options_without_value(std::span<const char* const> arguments) {
  for (const std::string_view argument : arguments) {
    if (argument == "--") return;
    if (!argument.starts_with("--") || argument.find('=') != argument.size() - 1) continue;
    throw InputError(std::string(argument.substr(0, argument.size() - 1)) + ": expected a value, found nothing");
  }
}

}  // namespace tomograph::host
