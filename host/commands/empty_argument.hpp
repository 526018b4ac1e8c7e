#ifndef TOMOGRAPH_HOST_COMMANDS_EMPTY_ARGUMENT_HPP
#define TOMOGRAPH_HOST_COMMANDS_EMPTY_ARGUMENT_HPP

namespace CLI {
class App;
}

namespace tomograph::host {

/// Makes `program` and its commands refuse an empty value of any option or argument, as an unset variable of a shell
/// leaves it: parsing then throws CLI::ValidationError. `program` must outlive its parsing.
void refuse_empty_arguments(CLI::App& program);

}  // namespace tomograph::host

#endif
