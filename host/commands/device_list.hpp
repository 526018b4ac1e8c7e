#ifndef TOMOGRAPH_HOST_COMMANDS_DEVICE_LIST_HPP
#define TOMOGRAPH_HOST_COMMANDS_DEVICE_LIST_HPP

#include <map>
#include <string>
#include <vector>

#include "commands/setup.hpp"

/// Which devices a list on the command line names.
namespace tomograph::host {

/// Whether a device as on the command line is a list or stands for all targets.
[[nodiscard]] bool names_several(const std::string& list);

/// The devices that a device as on the command line stands for, "cuda:all" in place of its targets. One for a name
/// that stands for one device, even if there is none of this name. `parameters` ("noise=false") hold for all devices.
/// @throws InputError if there is no such device, it has no targets here, a number is none of its targets, or a GPU is
/// named twice, be it by number and by UUID.
[[nodiscard]] std::vector<std::string> devices_of(const std::string& list, const Setup& setup,
                                                  const std::vector<std::string>& parameters, Log& log);

/// What one device publishes when it is opened with its own parameters and these. @throws InputError
[[nodiscard]] std::map<std::string, FactRecord> facts_when_opened(const std::string& device, Setup setup,
                                                                  const std::vector<std::string>& parameters);

}  // namespace tomograph::host

#endif
