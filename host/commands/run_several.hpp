#ifndef TOMOGRAPH_HOST_COMMANDS_RUN_SEVERAL_HPP
#define TOMOGRAPH_HOST_COMMANDS_RUN_SEVERAL_HPP

#include <string>

#include "commands/run_options.hpp"

/// Measuring several GPUs at the same time.
namespace tomograph::host {

/// Measures each device of a list with a run of this program of its own, all at the same time, and reports their
/// progress. One that fails does not concern the others. Ctrl-C ends all runs in good order. Returns the greatest exit
/// code.
/// @throws InputError, before anything is measured, for what would keep each run from beginning.
[[nodiscard]] int run_several(const RunOptions& options, const Setup& setup, const std::string& list);

}  // namespace tomograph::host

#endif
