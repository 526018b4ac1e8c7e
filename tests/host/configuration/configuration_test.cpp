#include "configuration/configuration.hpp"

#include "catch.hpp"
#include "temporary_folder.hpp"

using namespace tomograph;
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

TEST_CASE("arguments override parameters of a device, typed as in a file, and text needs no quotes") {
  Configuration configuration = configuration_of("[devices.sim]\nseed = 7\n");
  auto device = plugins().front().devices.front();
  device.parameters.push_back({.name = "mode", .help = "", .type = ValueType::text, .default_value = "quick"});
  override_parameters(configuration, device, "--device-parameter",
                      std::vector<std::string>{"seed=8", "mode=very thorough"});
  CHECK(device_parameters(configuration, device) == ParameterValues{{"seed", 8}, {"mode", "very thorough"}});
  override_parameters(configuration, device, "--device-parameter", std::vector<std::string>{"mode=\"quoted\""});
  CHECK(device_parameters(configuration, device).at("mode") == "quoted");
  CHECK_THROWS_AS(
      override_parameters(configuration, device, "--device-parameter", std::vector<std::string>{"seed=true"}),
      InputError);
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

namespace {

/// A team's profile in a folder of its own, and a user's file that extends it.
struct Profiles {
  Profiles() { std::filesystem::create_directory(folder / "team"); }
  [[nodiscard]] Configuration user(const std::string& text) const {
    return read_configuration(folder.write("tomograph.toml", text));
  }
  [[nodiscard]] std::string refusal(const std::string& text) const {
    try {
      static_cast<void>(user(text));
    } catch (const InputError& error) {
      const std::string message = error.what();
      return message.substr(message.find(folder.path().string()) + folder.path().string().size() + 1);
    }
    return "no complaint";
  }
  TemporaryFolder folder;
};

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("a file that extends another says what it says itself, and the rest is the other's") {
  const Profiles profiles;
  profiles.folder.write("team/profile.toml",
                        "device = \"sim:./gpu.toml\"\nplugin_dirs = [\"plugins\"]\ngiven = [\"old.toml\"]\n"
                        "include = [\"l1_data.*\", \"l2.*\"]\nexclude = [\"l2.sets\"]\nmax_probe_seconds = 2\n"
                        "[probes.\"data-cache/l1.size\"]\nmax_bytes = 7\nshuffle = false\n");
  const Configuration configuration = profiles.user(
      "extends = [\"team/profile.toml\"]\nplugin_dirs = [\"mine\"]\ninclude = []\nmax_probe_seconds = 0.5\n"
      "[probes.\"data-cache/l1.size\"]\nmax_bytes = 9\n[devices.sim]\nseed = 3\n");
  const auto& folder = profiles.folder;
  CHECK(configuration.device == "sim:" + (folder / "team/gpu.toml").string());
  CHECK(configuration.plugin_dirs == std::vector<std::filesystem::path>{folder / "mine", folder / "team/plugins"});
  CHECK(configuration.given == std::vector<std::filesystem::path>{folder / "team/old.toml"});
  CHECK(configuration.include.empty());
  CHECK(configuration.exclude == Strings{"l2.sets"});
  CHECK(configuration.max_probe_seconds == 0.5);
  CHECK(configuration.probes.at("data-cache/l1.size") == ParameterValues{{"max_bytes", 9}, {"shuffle", false}});
  CHECK(configuration.devices.at("sim") == ParameterValues{{"seed", 3}});
  CHECK(configuration.files ==
        std::vector<std::filesystem::path>{folder / "team/profile.toml", folder / "tomograph.toml"});
}

TEST_CASE("of several files that are extended the last one counts most, and files that they extend less") {
  const Profiles profiles;
  profiles.folder.write("base.toml", "include = [\"base\"]\nexclude = [\"base\"]\ndevice = \"sim:base\"\n");
  profiles.folder.write("a.toml", "extends = [\"base.toml\"]\ninclude = [\"a\"]\nexclude = [\"a\"]\n");
  profiles.folder.write("b.toml", "include = [\"b\"]\n");
  const Configuration configuration = profiles.user("extends = [\"a.toml\", \"b.toml\"]\n");
  CHECK(configuration.include == Strings{"b"});
  CHECK(configuration.exclude == Strings{"a"});
  CHECK(configuration.device == "sim:base");
  CHECK(profiles.user("extends = [\"base.toml\", \"a.toml\"]\n").include == Strings{"a"});
}

TEST_CASE("files that extend each other in a circle are refused at the line that closes it") {
  const Profiles profiles;
  const std::string folder = profiles.folder.path().string() + "/";
  profiles.folder.write("team/profile.toml", "device = \"sim:h200\"\nextends = [\n  \"../tomograph.toml\",\n]\n");
  CHECK(profiles.refusal("extends = [\"team/profile.toml\"]\n") ==
        "team/profile.toml:3:3: extends[0]: files that extend each other in a circle: " + folder +
            "tomograph.toml extends " + folder + "team/profile.toml extends " + folder + "tomograph.toml");
  CHECK(profiles.refusal("extends = [\"./tomograph.toml\"]\n") ==
        "tomograph.toml:1:12: extends[0]: files that extend each other in a circle: " + folder +
            "tomograph.toml extends " + folder + "tomograph.toml");
}

TEST_CASE("a file that might never end is not extended") {
  const Profiles profiles;
  CHECK(profiles.refusal("extends = [\"/dev/zero\"]\n") ==
        "tomograph.toml:1:12: extends[0]: there is no file /dev/zero");
}

TEST_CASE("files that extend each other twice are refused before they double too often") {
  const Profiles profiles;
  for (int i = 0; i < 40; ++i) {
    const std::string next = std::to_string(i + 1) + ".toml";
    profiles.folder.write(std::to_string(i) + ".toml", "extends = [\"" + next + "\", \"" + next + "\"]\n");
  }
  profiles.folder.write("40.toml", "include = []\n");
  CHECK_THAT(profiles.refusal("extends = [\"0.toml\"]\n"), ContainsSubstring("after more than 100 other files"));
}

TEST_CASE("a device of any length is read") {
  CHECK(configuration_of("device = \"sim:" + std::string(100'000, 'a') + "\"\n").device->size() == 100'004);
  CHECK(refusal_of("device = \"" + std::string(100'000, 'a') + "\"\n").size() == 1);
}

TEST_CASE("a mistake in a file that is extended is told at its place there") {
  const Profiles profiles;
  CHECK(profiles.refusal("extends = [\"team/profile.toml\"]\n") ==
        "tomograph.toml:1:12: extends[0]: there is no file " + profiles.folder.path().string() + "/team/profile.toml");
  profiles.folder.write("team/profile.toml", "\nincldue = []\n");
  CHECK(profiles.refusal("extends = [\"team/profile.toml\"]\n") ==
        "team/profile.toml:2:1: incldue: unknown key; did you mean 'include'?");
  profiles.folder.write("team/profile.toml", "[devices.sim]\nseed = 2\nsede = 1\n");
  const Configuration configuration = profiles.user("extends = [\"team/profile.toml\"]\n[devices.sim]\nseed = -1\n");
  const auto problems = check_configuration(configuration, plugins());
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].file == (profiles.folder / "team/profile.toml").string());
  CHECK(problems[0].line == 3);
  CHECK(problems[1].file == (profiles.folder / "tomograph.toml").string());
  CHECK(problems[1].line == 3);
}
