#ifndef TOMOGRAPH_HOST_COMMANDS_REPEATABLE_HPP
#define TOMOGRAPH_HOST_COMMANDS_REPEATABLE_HPP

namespace CLI {
class Option;
}

namespace tomograph::host {

/// Lets an option of a list be given several times, with one value each time. It leaves the arguments after that to
/// others.
void make_repeatable(CLI::Option* option);

}  // namespace tomograph::host

#endif
