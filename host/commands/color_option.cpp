#include "commands/color_option.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "reporting/terminal.hpp"

namespace tomograph::host {

void add_color_option(CLI::App& command, std::string& when) {
  command.add_option("--color", when, "When to use colours")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
}

bool wants_color(const std::string& when) {
  if (when == "always") return true;
  return when != "never" && use_color(ColorMode::automatic, stdout);
}

}  // namespace tomograph::host
