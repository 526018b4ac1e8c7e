#include "commands/device_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "commands/device_name.hpp"
#include "tomograph/documents/input_error.hpp"

namespace tomograph::host {
namespace {

using Targets = std::map<std::string, std::vector<std::string>>;  ///< names of all targets by device

std::vector<std::string> targets_of(const std::string& id, const Setup& setup, Log& log) {
  Workers workers(this_program(), {[&](const LogLine& line) { log.write(line); }, {}, {}});
  const ChosenDevice device = find_device(setup, id);
  std::vector<std::string> names;
  try {
    for (const FoundTarget& target : workers.targets(device)) names.push_back(id + ":" + target.name);
  } catch (const std::runtime_error& error) {
    throw InputError("device '" + id + "' cannot list its targets: " + error.what());
  }
  if (names.empty()) throw InputError("device '" + id + "' has no targets here");
  return names;
}

bool is_number(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Targets that are numbers count what is there, so a mistake shows before anything is measured.
void require_target(const DeviceName& device, const std::vector<std::string>& targets) {
  if (!is_number(device.target) || std::ranges::find(targets, device.plain()) != targets.end()) return;
  throw InputError("there is no " + device.plain() + "; there are " + joined(targets));
}

void require_different(std::vector<std::string> devices) {
  std::ranges::sort(devices);
  const auto twice = std::ranges::adjacent_find(devices);
  if (twice != devices.end()) throw InputError("--device names " + *twice + " twice");
}

/// The UUID of a device that opens; a device that does not, or has none, gives an empty text.
std::string uuid_of(const std::string& device, const Setup& setup, const std::vector<std::string>& parameters) {
  try {
    const auto facts = facts_when_opened(device, setup, parameters);
    const auto uuid = facts.find("device.uuid");
    return uuid == facts.end() ? std::string() : uuid->second.value.get<std::string>();
  } catch (const InputError&) {
    return {};  // the run of this device tells the reason
  }
}

/// Whether some devices are named as in the list of their targets and others are not, e.g. by number and by UUID.
bool are_named_in_two_ways(const std::vector<std::string>& devices, const std::vector<std::string>& targets) {
  const auto is_listed = [&](const std::string& device) {
    return std::ranges::find(targets, parsed_device_name(device).plain()) != targets.end();
  };
  return std::ranges::any_of(devices, is_listed) && !std::ranges::all_of(devices, is_listed);
}

/// Opens devices to compare their UUIDs where their names do not tell whether they are different GPUs.
void require_different_gpus(const std::vector<std::string>& devices, Targets targets, const Setup& setup,
                            const std::vector<std::string>& parameters, Log& log) {
  std::map<std::string, std::vector<std::string>> by_id;
  for (const std::string& device : devices) by_id[parsed_device_name(device).id].push_back(device);
  std::map<std::string, std::string> by_uuid;
  for (const auto& [id, names] : by_id) {
    if (names.size() < 2) continue;
    if (!targets.contains(id)) targets[id] = targets_of(id, setup, log);
    if (!are_named_in_two_ways(names, targets[id])) continue;
    for (const std::string& name : names) {
      const std::string uuid = uuid_of(name, setup, parameters);
      const auto [first, is_new] = by_uuid.emplace(uuid, name);
      if (is_new || uuid.empty()) continue;
      throw InputError(fmt::format("--device names one GPU twice: {} and {} are {}", first->second, name, uuid));
    }
  }
}

}  // namespace

bool names_several(const std::string& list) {
  return listed_devices(list).size() > 1 || parsed_device_name(list).target == all_targets;
}

std::map<std::string, FactRecord> facts_when_opened(const std::string& device, Setup setup,
                                                    const std::vector<std::string>& parameters) {
  ChosenDevice chosen = find_device(setup, device);
  override_device_parameters(setup.configuration, *chosen.device, parameters, device);
  chosen.parameters = Json(device_parameters(setup.configuration, *chosen.device));
  Workers workers(this_program(), {});
  auto facts = open_device(chosen, workers);
  workers.dismiss();
  return facts;
}

std::vector<std::string> devices_of(const std::string& list, const Setup& setup,
                                    const std::vector<std::string>& parameters, Log& log) {
  std::vector<std::string> devices;
  Targets targets;
  for (const std::string& name : listed_devices(list)) {
    const DeviceName device = parsed_device_name(name);
    const bool is_numbered = is_number(device.target);
    if ((device.target == all_targets || is_numbered) && !targets.contains(device.id)) {
      targets[device.id] = targets_of(device.id, setup, log);
    }
    if (device.target == all_targets) {
      devices.insert(devices.end(), targets[device.id].begin(), targets[device.id].end());
    } else {
      if (is_numbered) require_target(device, targets[device.id]);
      devices.push_back(name);
    }
  }
  require_different(devices);
  require_different_gpus(devices, std::move(targets), setup, parameters, log);
  return devices;
}

}  // namespace tomograph::host
