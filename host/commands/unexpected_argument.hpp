#ifndef TOMOGRAPH_HOST_COMMANDS_UNEXPECTED_ARGUMENT_HPP
#define TOMOGRAPH_HOST_COMMANDS_UNEXPECTED_ARGUMENT_HPP

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace tomograph::host {

/// What is wrong with the first argument that the program has parsed and no command expects, with the name that may be
/// meant: "run has no option --devise; did you mean '--device'?". Nothing if all are expected.
[[nodiscard]] std::optional<std::string> unexpected_argument(const CLI::App& program);

}  // namespace tomograph::host

#endif
