
#include "configuration/configuration.hpp"

#include <vector>

#include "memory_file.hpp"
#include "tomograph/documents/input_error.hpp"

namespace {

namespace host = tomograph::host;

/// A plugin whose probe and device take a parameter of each type.
std::vector<host::PluginDescription> plugins() {
  const std::vector<host::ParameterDeclaration> parameters{
      {.name = "flag", .help = "", .type = host::ValueType::boolean, .default_value = true},
      {.name = "count", .help = "", .type = host::ValueType::integer, .minimum = 0, .maximum = 9, .default_value = 1},
      {.name = "share", .help = "", .type = host::ValueType::real, .minimum = 0, .maximum = 1, .default_value = 0.5},
      {.name = "name", .help = "", .type = host::ValueType::text, .default_value = ""}};
  host::PluginDescription plugin;
  plugin.probes.emplace_back().id = "data-cache/l1.size";
  plugin.probes.back().parameters = parameters;
  plugin.devices.emplace_back().id = "sim";
  plugin.devices.back().parameters = parameters;
  return {plugin};
}

}  // namespace

/// Whatever a configuration says, it is read or refused with the place of each problem; so is what it says to plugins.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<host::PluginDescription> known = plugins();
  const MemoryFile file(data, size);
  try {
    const host::Configuration configuration = host::read_configuration(file.path());
    static_cast<void>(host::check_configuration(configuration, known));
    static_cast<void>(host::probe_parameters(configuration, known.front().probes.front()));
  } catch (const tomograph::InputError& refused) {
    if (refused.problems().empty()) __builtin_trap();
  }
  return 0;
}
