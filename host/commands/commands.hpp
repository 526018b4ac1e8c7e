#ifndef TOMOGRAPH_HOST_COMMANDS_COMMANDS_HPP
#define TOMOGRAPH_HOST_COMMANDS_COMMANDS_HPP

#include <CLI/CLI.hpp>

/// One function per verb, each in a file of the verb's name: adds the verb to `app`. When the user calls it,
/// it puts its exit code into `exit_code`; whatever it throws is bad usage, configuration or input (exit code 2).
namespace tomograph::host {

void add_run(CLI::App& app, int& exit_code);
void add_plan(CLI::App& app, int& exit_code);
void add_list(CLI::App& app, int& exit_code);
void add_show(CLI::App& app, int& exit_code);
void add_validate(CLI::App& app, int& exit_code);

}  // namespace tomograph::host

#endif
