#include "commands/empty_argument.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

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

}  // namespace tomograph::host
