#ifndef TOMOGRAPH_HOST_COMMANDS_RUN_SEVERAL_HPP
#define TOMOGRAPH_HOST_COMMANDS_RUN_SEVERAL_HPP

#include <string>
#include <vector>

#include "commands/run_options.hpp"

/// Measuring several GPUs at the same time.
namespace tomograph::host {

/// The devices that a device as on the command line stands for, "cuda:all" in place of its targets. One for a name
/// that stands for one device, even if there is none of this name.
/// @throws InputError if there is no such device, it has no targets here, a number is none of its targets, or a device
/// is named twice.
[[nodiscard]] std::vector<std::string> devices_of(const std::string& list, const Setup& setup, Log& log);

/// Whether a device as on the command line is a list or stands for all targets.
[[nodiscard]] bool names_several(const std::string& list);

/// Measures each device of a list with a run of this program of its own, all at the same time, and reports their
/// progress. One that fails does not concern the others. Ctrl-C ends all runs in good order. Returns the greatest exit
/// code.
/// @throws InputError, before anything is measured, for what would keep each run from beginning.
[[nodiscard]] int run_several(const RunOptions& options, const Setup& setup, const std::string& list);

}  // namespace tomograph::host

#endif
