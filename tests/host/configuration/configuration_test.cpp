#include "configuration/configuration.hpp"

#include "catch.hpp"
#include "temporary_folder.hpp"

using namespace tomograph::host;
using Catch::Matchers::ContainsSubstring;

namespace {

/// A plugin with one probe and one device, as `list` would describe it.
std::vector<PluginDescription> plugins() {
  PluginDescription plugin;
  plugin.id = "data-cache";
  ProbeDescription probe;
  probe.id = "data-cache/l1.size";
  probe.parameters = {
      {.name = "max_bytes",
       .help = "",
       .type = ValueType::integer,
       .minimum = 1,
       .maximum = 1048576,
       .default_value = 524288},
      {.name = "threshold", .help = "", .type = ValueType::real, .minimum = 0, .maximum = 1, .default_value = 0.5},
      {.name = "shuffle", .help = "", .type = ValueType::boolean, .default_value = true}};
  DeviceDescription device;
  device.id = "sim";
  device.parameters = {
      {.name = "seed", .help = "", .type = ValueType::integer, .minimum = 0, .maximum = 1e9, .default_value = 1}};
  plugin.probes = {probe};
  plugin.devices = {device};
  return {plugin};
}

Configuration configuration_of(const std::string& text) {
  const TemporaryFolder folder;
  return read_configuration(folder.write("tomograph.toml", text));
}

std::vector<std::string> problems_of(const std::string& text) {
  std::vector<std::string> messages;
  for (Problem problem : check_configuration(configuration_of(text), plugins())) {
    problem.file = "f";
    messages.push_back(to_string(problem));
  }
  return messages;
}

std::vector<std::string> refusal_of(const std::string& text) {
  std::vector<std::string> messages;
  try {
    static_cast<void>(configuration_of(text));
  } catch (const InputError& error) {
    for (Problem problem : error.problems()) {
      problem.file = "f";
      messages.push_back(to_string(problem));
    }
  }
  return messages;
}

using Messages = std::vector<std::string>;

}  // namespace

TEST_CASE("an unknown key is refused with the nearest right name") {
  CHECK(refusal_of("device = \"sim:h200\"\nplugin_dir = [\".\"]\n") ==
        Messages{"f:2:1: plugin_dir: unknown key; did you mean 'plugin_dirs'?"});
}

TEST_CASE("every problem of a configuration is reported, in the order of the file") {
  CHECK(refusal_of("include = \"l1_data.*\"\nexclude = [3]\ncolour = true\n") ==
        Messages{"f:1:1: include: expected an array, found \"l1_data.*\"",
                 "f:2:12: exclude[0]: expected text that is not empty, found 3", "f:3:1: colour: unknown key"});
}

TEST_CASE("an unknown probe, parameter or device is refused with the nearest right name") {
  CHECK(
      problems_of("[probes.\"data-cache/l1.sise\"]\nmax_bytes = 1\n") ==
      Messages{"f:1:9: probes.\"data-cache/l1.sise\": there is no probe or model \"data-cache/l1.sise\"; did you mean "
               "'data-cache/l1.size'?"});
  CHECK(problems_of("[probes.\"data-cache/l1.size\"]\nmaxbytes = 1\n") ==
        Messages{"f:2:1: probes.\"data-cache/l1.size\".maxbytes: data-cache/l1.size has no parameter \"maxbytes\"; did "
                 "you mean 'max_bytes'?"});
  CHECK(problems_of("[devices.simm]\nseed = 1\n") ==
        Messages{"f:1:10: devices.simm: there is no device \"simm\"; did you mean 'sim'?"});
  CHECK(problems_of("device = \"sin:h200\"\n") ==
        Messages{"f:1:1: device: there is no device \"sin\"; did you mean 'sim'?"});
}

TEST_CASE("a parameter of the wrong type or range is refused naming what was expected") {
  CHECK(problems_of("[probes.\"data-cache/l1.size\"]\nmax_bytes = 2097152\nshuffle = 1\nthreshold = 1.5\n") ==
        Messages{"f:2:1: probes.\"data-cache/l1.size\".max_bytes: expected an integer from 1 to 1048576, found 2097152",
                 "f:3:1: probes.\"data-cache/l1.size\".shuffle: expected true or false, found 1",
                 "f:4:1: probes.\"data-cache/l1.size\".threshold: expected a number from 0 to 1, found 1.5"});
  CHECK(problems_of("[probes.\"data-cache/l1.size\"]\nmax_bytes = 4.5\n").size() == 1);
  CHECK(problems_of("[devices.sim]\nseed = -1\n") ==
        Messages{"f:2:1: devices.sim.seed: expected an integer from 0 to 1000000000, found -1"});
}

TEST_CASE("parameters that the user does not set have their defaults") {
  const Configuration configuration = configuration_of("[probes.\"data-cache/l1.size\"]\nthreshold = 1\n");
  const ProbeDescription probe = plugins()[0].probes[0];
  CHECK(check_configuration(configuration, plugins()).empty());
  CHECK(probe_parameters(configuration, probe) ==
        ParameterValues{{"max_bytes", 524288}, {"threshold", 1}, {"shuffle", true}});
  CHECK(device_parameters(configuration, plugins()[0].devices[0]) == ParameterValues{{"seed", 1}});
  CHECK(device_parameters(Configuration{}, plugins()[0].devices[0]) == ParameterValues{{"seed", 1}});
}

TEST_CASE("folders and targets in a configuration are relative to its folder") {
  const TemporaryFolder folder;
  const auto file =
      folder.write("tomograph.toml", "device = \"sim:./my.toml\"\nplugin_dirs = [\"./plugins\", \"/opt/x\"]\n");
  const Configuration configuration = read_configuration(file);
  CHECK(configuration.device == "sim:" + (folder / "my.toml").string());
  CHECK(configuration.plugin_dirs == std::vector<std::filesystem::path>{folder / "plugins", "/opt/x"});
}

TEST_CASE("a configuration may say nothing, or only a device by name") {
  CHECK_FALSE(configuration_of("").device.has_value());
  CHECK(configuration_of("device = \"sim:h200\"\n").device == "sim:h200");
}

TEST_CASE("a later complaint about a pattern can name its place") {
  const Configuration configuration = configuration_of("include = [\n  \"l1_data.*\",\n  \"nonsense\",\n]\n");
  CHECK_THAT(to_string(configuration.at("/include/1", "include[1]", "matches nothing")),
             ContainsSubstring("tomograph.toml:3:3: include[1]: matches nothing"));
}
