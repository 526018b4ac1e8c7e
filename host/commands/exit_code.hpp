#ifndef TOMOGRAPH_HOST_COMMANDS_EXIT_CODE_HPP
#define TOMOGRAPH_HOST_COMMANDS_EXIT_CODE_HPP

#include <functional>

#include "reporting/log.hpp"

namespace tomograph::host {

/// The exit code of a command that does `work`: 0, or 1 if an exporter, a model or the file system failed, which is
/// then logged. Other exceptions pass.
[[nodiscard]] int exit_code_of(const std::function<void()>& work, Log& log);

}  // namespace tomograph::host

#endif
