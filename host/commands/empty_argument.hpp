#ifndef TOMOGRAPH_HOST_COMMANDS_EMPTY_ARGUMENT_HPP
#define TOMOGRAPH_HOST_COMMANDS_EMPTY_ARGUMENT_HPP

#include <span>

namespace CLI {
class App;
}

namespace tomograph::host {

/// Makes `program` and its commands refuse an empty value of any option or argument, as an unset variable of a shell
/// leaves it: parsing then throws CLI::ValidationError. `program` must outlive its parsing.
void refuse_empty_arguments(CLI::App& program);

/// The same for "--output=", which would take the argument after it. @throws InputError
void refuse_options_without_value(std::span<const char* const> arguments);

}  // namespace tomograph::host

#endif
