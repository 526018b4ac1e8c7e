#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;

namespace fs = std::filesystem;

namespace {

/// Runs and expects that the input is refused with all of `messages`, exit code 2 and nothing written.
void check_refused(const Workspace& workspace, const Arguments& arguments, const Arguments& messages) {
  const auto before = workspace.files();
  const Ended ended = workspace.run(arguments);
  CHECK(ended.exit_code == 2);
  CHECK(ended.out.empty());
  for (const std::string& message : messages) CHECK_THAT(ended.err, ContainsSubstring(message));
  CHECK(workspace.files() == before);
}

/// The same for a configuration file with this text.
void check_configuration_refused(const std::string& text, const Arguments& messages) {
  const Workspace workspace;
  workspace.write("tomograph.toml", text);
  check_refused(workspace, with_plugins({"run", "--device", "toy:0", "--config", "tomograph.toml"}, {"toy"}), messages);
}

/// Puts the fixture's library, changed by `change`, into the folder `plugins` of the workspace.
template <typename Change>
fs::path place_library(const Workspace& workspace, const std::string& fixture, Change change) {
  const fs::path folder = workspace.path("plugins");
  const fs::path library = folder / (fixture + ".so");
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms{0755});
  fs::copy_file(fs::path(TOMOGRAPH_FIXTURE_DIR) / fixture / (fixture + ".so"), library);
  change(library);
  return library;
}

/// A library that cannot be used is refused with its path and this reason, everything else goes on.
void check_library_refused(const Workspace& workspace, const fs::path& library, const std::string& reason) {
  const Ended list = workspace.run(with_plugins({"list", "--plugin-dir", library.parent_path().string()}, {"toy"}));
  CHECK(list.exit_code == 0);
  CHECK_THAT(list.err, ContainsSubstring(library.string()) && ContainsSubstring(reason));
  CHECK_THAT(list.out, ContainsSubstring("toy/alpha"));
}

void check_plan_refused(const Arguments& fixtures, const Arguments& messages) {
  const Workspace workspace;
  check_refused(workspace, with_plugins({"plan"}, fixtures), messages);
  check_refused(workspace, with_plugins({"run", "--device", "toy:0"}, fixtures), messages);
}

}  // namespace

TEST_CASE("malformed TOML is refused with file, line and column") {
  check_configuration_refused("include = [\"*\"]\ndevice = \n", {"tomograph.toml:2:10"});
}

TEST_CASE("an unknown key is refused with its line and the nearest right one") {
  check_configuration_refused("devise = \"toy:0\"\n", {"tomograph.toml:1:", "devise", "did you mean 'device'?"});
}

TEST_CASE("a value of the wrong type is refused with key, line and what was expected") {
  check_configuration_refused("\ndevice = 5\n", {"tomograph.toml:2:", "device", "expected text", "found 5"});
}

TEST_CASE("a parameter out of range is refused with the range") {
  check_configuration_refused("[probes.\"toy/alpha\"]\nargument = 101\n", {"tomograph.toml:2:", "argument", "100"});
}

TEST_CASE("a parameter of the wrong type is refused") {
  check_configuration_refused("[probes.\"toy/alpha\"]\nargument = \"three\"\n",
                              {"tomograph.toml:2:", "argument", "integer"});
}

TEST_CASE("an unknown parameter and an unknown probe are refused with the nearest right ones") {
  check_configuration_refused("[probes.\"toy/alpha\"]\nargumant = 1\n",
                              {"tomograph.toml:2:", "did you mean 'argument'?"});
  check_configuration_refused("[probes.\"toy/alfa\"]\nargument = 1\n",
                              {"tomograph.toml:1:", "did you mean 'toy/alpha'?"});
}

TEST_CASE("a configuration that does not exist is named") {
  const Workspace workspace;
  check_refused(workspace, {"run", "--config", "none.toml"}, {"none.toml", "No such file"});
}

TEST_CASE("an unknown device is refused with the nearest right one") {
  const Workspace workspace;
  check_refused(workspace, {"run", "--device", "simm:small"}, {"no device 'simm'", "did you mean 'sim'?"});
  const Ended ended = workspace.run({"run", "--device", "sim:smal"});
  CHECK_THAT(ended.err, ContainsSubstring("no simulated GPU 'smal'") && ContainsSubstring("did you mean 'sim:small'?"));
  CHECK_THAT(ended.err, !ContainsSubstring("'small'") && !ContainsSubstring("known:"));
}

TEST_CASE("a file of the wrong kind or of a newer version is told as such, in one line") {
  const Workspace workspace;
  const std::string topology = Workspace::source("tests/recordings/h200.toml");
  workspace.write("mine.toml", topology);
  workspace.write("future.toml", "schema_version = 3\n" + topology.substr(topology.find("\n[provenance]")));
  const auto only_line = [&](const Arguments& arguments) {
    const Ended ended = workspace.run(arguments);
    CHECK(ended.exit_code == 2);
    CHECK(std::ranges::count(ended.err, '\n') == 1);
    return ended.err;
  };
  CHECK_THAT(only_line({"run", "--device", "sim:./mine.toml"}),
             ContainsSubstring("mine.toml: this is a topology; expected a simulated GPU"));
  CHECK_THAT(only_line({"predict", "mine.toml", "--topology", "gallery:nvidia-h200"}),
             ContainsSubstring("mine.toml: this is a topology; expected a kernel\n"));
  CHECK_THAT(only_line({"show", "future.toml"}),
             ContainsSubstring("future.toml:1:1: schema_version: 3 is of a newer Tomograph, this one reads 1 and 2\n"));
}

TEST_CASE("a parameter of the device is refused as one in a configuration file is, and all at once") {
  const Workspace workspace;
  const auto check = [&](const std::string& parameter, const Arguments& messages) {
    check_refused(workspace, {"run", "--device", "sim:small", "--device-parameter", parameter}, messages);
  };
  check("noise_scal=3", {"--device-parameter noise_scal", "sim has no parameter", "did you mean 'noise_scale'?"});
  check("noise_scale=many", {"noise_scale: expected a number from 0 to 1000, found \"many\""});
  check("seed=1.5", {"seed: expected an integer"});
  check("noise=1", {"noise: expected true or false"});
  check("noise_scale", {"--device-parameter noise_scale: expected NAME=VALUE"});
  check("=1", {"--device-parameter =1: expected NAME=VALUE"});
  check_refused(workspace,
                {"run", "--device", "sim:small", "--device-parameter", "sed=1", "--device-parameter", "noise=2"},
                {"did you mean 'seed'?", "noise: expected true or false"});
}

TEST_CASE("a parameter or a fact that is set twice is refused, as one of the two would be ignored") {
  const Workspace workspace;
  workspace.write("kernel.toml", Workspace::source("tests/bench/mdm/kernels/spmv.toml"));
  check_refused(workspace, {"run", "--device", "sim:small?seed=1&seed=1"}, {"seed: is set twice"});
  check_refused(workspace,
                {"run", "--device", "sim:small", "--device-parameter", "seed=1", "--device-parameter", "seed=2"},
                {"--device-parameter seed: is set twice"});
  check_refused(workspace,
                {"export", "superbench", "gallery:nvidia-h200", "--parameter", "node=a", "--parameter", "node=b"},
                {"--parameter node: is set twice"});
  check_refused(workspace,
                {"predict", "kernel.toml", "--topology", "gallery:nvidia-h200", "--set", "l2.latency=2x", "--set",
                 "l2.latency=200"},
                {"--set l2.latency=200: l2.latency is set already"});
}

TEST_CASE("an empty value of any option or argument is refused, as an unset variable of a shell leaves it") {
  const Workspace workspace;
  const auto check = [&](const Arguments& arguments, const std::string& name) {
    check_refused(workspace, arguments, {name + ": expected a value, found nothing"});
  };
  check({"run", "--device", ""}, "--device");
  for (const char* option : {"--output", "--evidence", "--record", "--config", "--only", "--given"}) {
    check({"run", "--device", "sim:small", option, ""}, option);
  }
  check({"predict", "kernel.toml", "--sweep", "l2.size=1,2", "--report", ""}, "--report");
  check({"report", "gallery:nvidia-h200", "-o", ""}, "--output");
  check({"show", ""}, "FILE");
  check({"fleet", "a.toml", ""}, "TOPOLOGY");
  check({"run", "--device="}, "--device");
  check({"run", "--output=", "--device", "sim:small"}, "--output");
}

TEST_CASE("what is wrong with a description of the user's own is told without the names of other GPUs") {
  const Workspace workspace;
  workspace.write("gpu.toml", Workspace::source("plugins/devices/sim/gpus/small.toml") + "\nways = 3\n");
  for (const char* device : {"sim:./gpu.toml", "sim:gpu.toml", "sim:./none.toml"}) {
    const Ended ended = workspace.run({"run", "--device", device});
    CHECK(ended.exit_code == 2);
    CHECK_THAT(ended.err, ContainsSubstring(".toml:") && !ContainsSubstring("sim:h200"));
  }
}

TEST_CASE("an unknown target is refused with the nearest right one") {
  const Workspace workspace;
  for (const char* device : {"sim:smal", "sim:small,sim:smal", "sim:small,smal"}) {
    check_refused(workspace, {"run", "--device", device}, {"sim:smal", "did you mean 'sim:small'?"});
  }
}

TEST_CASE("what is wrong with a parameter in the name of a device is told with that name") {
  const Workspace workspace;
  const auto error_of = [&](const std::string& device) {
    const Ended ended = workspace.run({"run", "--device", device});
    CHECK(ended.exit_code == 2);
    CHECK(workspace.files().empty());
    return ended.err;
  };
  CHECK(error_of("sim:small?seed") ==
        "tomograph: device sim:small?seed: after '?', parameters are expected as NAME=VALUE, found 'seed'\n");
  CHECK(error_of("sim:small?sed=1") ==
        "tomograph: --device sim:small?sed=1: sed: sim has no parameter \"sed\"; did you mean 'seed'?\n");
  CHECK(error_of("sim:small,sim:small?noise=2") ==
        "tomograph: --device sim:small?noise=2: noise: expected true or false, found 2\n");
}

TEST_CASE("validate says of what it cannot check why it cannot") {
  const Workspace workspace;
  const auto check = [&](const std::string& text, const std::string& message) {
    workspace.write("file.toml", text);
    check_refused(workspace, {"validate", "file.toml"}, {message});
  };
  check("", "file.toml: is empty");
  check("# nothing but a comment\n", "file.toml: is empty");
  check("colour = 1\nsmell = 2\n", "file.toml: kind not recognised, name it with --kind");
  check("devise = \"sim:small\"\n", "file.toml:1:1: devise: unknown key; did you mean 'device'?");
  check("name = \"x\"\nsm_cont = 4\nsm_clock_mhz = 1000\n", "did you mean 'sm_count'?");
  workspace.write("file.toml", "");
  CHECK(workspace.run({"validate", "--kind", "configuration", "file.toml"}).exit_code == 0);
  fs::create_directory(workspace.path("plugins"));
  fs::permissions(workspace.path("plugins"), fs::perms{0755});
  check_refused(workspace, {"validate", "plugins"}, {"plugins: no plugins in this folder"});
}

TEST_CASE("validate refuses a kernel that no model can read") {
  const Workspace workspace;
  const std::string sound = Workspace::source("tests/bench/mdm/kernels/spmv.toml");
  workspace.write("kernel.toml", sound);
  CHECK(workspace.run({"validate", "kernel.toml"}).exit_code == 0);
  const std::string needed = "previous = [\"sum\"]";
  REQUIRE(sound.find(needed) != std::string::npos);
  workspace.write("kernel.toml",
                  std::string(sound).replace(sound.find(needed), needed.size(), "previous = [\"none\"]"));
  check_refused(workspace, {"validate", "kernel.toml"}, {"kernel.toml:", "none"});
}

TEST_CASE("an impossible GPU is refused with file, line and the rule it breaks") {
  const std::string sound = Workspace::source("plugins/devices/sim/gpus/unequal-sets.toml");
  const auto check = [&](const std::string& line, const std::string& broken, const std::string& rule) {
    const Workspace workspace;
    const std::size_t at = sound.find("\n" + line + "\n") + 1;
    REQUIRE(at != 0);
    workspace.write("gpu.toml", sound.substr(0, at) + broken + sound.substr(at + line.size()));
    const auto number = std::to_string(1 + std::count(sound.begin(), sound.begin() + std::ptrdiff_t(at), '\n'));
    check_refused(workspace, {"run", "--device", "sim:./gpu.toml"}, {"gpu.toml:" + number + ":", rule});
    check_refused(workspace, {"validate", "gpu.toml"}, {"gpu.toml:" + number + ":", rule.substr(0, rule.find(' '))});
  };
  check("size = 327680", "size = 327680\nsets = 128", "l2.size: is 327680, but sets, ways and lines make 163840 B");
  check("sector_size = 32", "sector_size = 256", "cache.l1.sector_size: is 256, larger than the line of 128 B");
  check("replacement = { way_probability = [0.1, 0.2, 0.3, 0.25, 0.15] }",
        "replacement = { way_probability = [0.1, 0.2, 0.3, 0.25, 0.1] }",
        "cache.read_only.replacement.way_probability: adds up to 0.950000, must add up to 1");
  check("index = { kind = \"bits\", bits = [6, 8] }", "index = { kind = \"bits\", bits = [6, 6] }",
        "cache.texture.index.bits: names bit 6 twice");
  check("latency = 34", "latency = -34", "cache.l1.latency: expected an integer from 1 to 1000000, found -34");
}

TEST_CASE("a pattern without match is refused with the nearest right one") {
  const Workspace workspace;
  const Arguments messages{"pattern 'fixture.alpa' matches no probe and no fact", "did you mean 'fixture.alpha'?"};
  check_refused(workspace, with_plugins({"plan", "--only", "fixture.alpa"}, {"toy"}), messages);
  check_refused(workspace, with_plugins({"run", "--device", "toy:0", "--only", "fixture.alpa"}, {"toy"}), messages);
}

TEST_CASE("an unknown verb and an unknown option are refused with the nearest right ones") {
  const Workspace workspace;
  const auto check = [&](const Arguments& arguments, const std::string& message) {
    const Ended ended = workspace.run(arguments);
    CHECK(ended.exit_code == 2);
    CHECK(ended.err == "tomograph: " + message + "\n");
  };
  check({"runn", "--device", "toy:0"}, "there is no command 'runn'; did you mean 'run'?");
  check({"quite-another"}, "there is no command 'quite-another'");
  check({"list", "devises", "--json"}, "list has no command 'devises'; did you mean 'devices'?");
  check({"run", "--devise", "toy:0", "--jsob", "2"}, "run has no option --devise; did you mean '--device'?");
  check({"list", "devices", "--jsn"}, "list has no option --jsn; did you mean '--json'?");
  check({"fleet", "--outptu=x"}, "fleet has no option --outptu; did you mean '--output'?");
  check({"run", "-x"}, "run has no option -x");
  check({"--versoin"}, "there is no option --versoin; did you mean '--version'?");
  check({"run", "toy:0"}, "run: 'toy:0' was not expected");
  CHECK(workspace.run({"run", "--devise", "--help"}).exit_code == 0);
}

TEST_CASE("a plugin folder that does not exist is named") {
  const Workspace workspace;
  check_refused(workspace, {"list", "--plugin-dir", "nowhere"}, {"nowhere", "no such plugin folder"});
}

TEST_CASE("a file that is no library is refused as a plugin") {
  const Workspace workspace;
  const fs::path library = place_library(
      workspace, "impostor", [](const fs::path& file) { std::ofstream(file, std::ios::trunc) << "not a library\n"; });
  check_library_refused(workspace, library, "it is not a shared library");
}

TEST_CASE("a library for another architecture is refused as a plugin") {
  const Workspace workspace;
  const fs::path library = place_library(workspace, "impostor", [](const fs::path& file) {
    constexpr std::streamoff machine_field = 18;
    constexpr char s390 = 22;
    std::fstream(file, std::ios::binary | std::ios::in | std::ios::out).seekp(machine_field).put(s390).put(0);
  });
  check_library_refused(workspace, library, "it was built for another architecture");
}

TEST_CASE("a library that is cut off is refused as a plugin") {
  const Workspace workspace;
  const fs::path library =
      place_library(workspace, "impostor", [](const fs::path& file) { fs::resize_file(file, 5000); });
  check_library_refused(workspace, library, "");
}

TEST_CASE("a plugin library that others can write is refused with the remedy") {
  const Workspace workspace;
  const fs::path library =
      place_library(workspace, "impostor", [](const fs::path& file) { fs::permissions(file, fs::perms{0777}); });
  check_library_refused(workspace, library, "chmod go-w");
}

TEST_CASE("a plugin folder that others can write is refused with the remedy") {
  const Workspace workspace;
  const fs::path library = place_library(
      workspace, "toy", [](const fs::path& file) { fs::permissions(file.parent_path(), fs::perms{0777}); });
  check_refused(workspace, {"list", "--plugin-dir", library.parent_path().string()},
                {library.parent_path().string(), "written by others", "chmod go-w"});
}

TEST_CASE("two providers of one fact are named before anything runs") {
  check_plan_refused({"toy", "two-providers"}, {"fact fixture.disputed has more than one provider",
                                                "two-providers/first", "two-providers/second"});
}

TEST_CASE("an output folder that is not there is named before anything runs") {
  const Workspace workspace;
  for (const char* option : {"--output", "--evidence", "--record"}) {
    Arguments run = with_plugins({"run", "--device", "toy:0", "--only", "fixture.*"}, {"toy"});
    run.insert(run.end(), {option, "none/file"});
    check_refused(workspace, run, {"none"});
  }
}

TEST_CASE("no output overwrites a file that the command reads, nor another output") {
  const Workspace workspace;
  for (const char* name : {"gpu.toml", "in.toml", "k.toml", "c.toml", "run.rec"}) workspace.write(name, "");
  workspace.write("gpu.toml", Workspace::source("plugins/devices/sim/gpus/small.toml"));
  const auto check = [&](const Arguments& arguments, const std::string& kept, const std::string& message) {
    const std::string before = workspace.text(kept);
    check_refused(workspace, arguments, {message});
    CHECK(workspace.text(kept) == before);
  };
  const Arguments run = {"run", "--device", "sim:./gpu.toml", "--only", "l1_data.size"};
  const auto run_with = [&](Arguments more) {
    more.insert(more.begin(), run.begin(), run.end());
    return more;
  };
  check({"fleet", "in.toml", "-o", "in.toml"}, "in.toml", "is read by this command (TOPOLOGY)");
  for (const char* input : {"k.toml", "in.toml"}) {
    check({"predict", "k.toml", "--topology", "in.toml", "--sweep", "l2.size=1..2", "--report", input}, input,
          "so it cannot be its --report");
  }
  check(run_with({"--output", "gpu.toml"}), "gpu.toml",
        "gpu.toml: is read by this command (--device), so it cannot be its --output");
  check(run_with({"--record", "./gpu.toml"}), "gpu.toml", "is read by this command (--device)");
  check(run_with({"--config", "c.toml", "--output", "c.toml"}), "c.toml", "is read by this command (--config)");
  check({"run", "--device", "replay:run.rec", "--record", "run.rec"}, "run.rec", "is read by this command (--device)");
  check(run_with({"--output", "a", "--record", "a"}), "run.rec", "is written by this command (--output)");
  check(run_with({"--output", "a.toml", "--record", "a.evidence.json"}), "run.rec",
        "a.evidence.json: is written by this command (--evidence), so it cannot be its --record");
  check({"run", "--device", "sim:small,sim:h200", "--output", "a.toml", "--record", "a.toml"}, "run.rec",
        "is written by this command (--output)");
}

TEST_CASE("an option that may be repeated leaves the arguments after its value to the command") {
  const Workspace workspace;
  const std::string known = "gallery:nvidia-h200";
  CHECK(workspace.run({"explain", "--plugin-dir", ".", "l2.size", known}).exit_code == 0);
  CHECK(workspace.run({"explain", "l2.size", "--plugin-dir", ".", "--plugin-dir", ".", known}).exit_code == 0);
  CHECK(workspace.run({"export", "csv", "--plugin-dir", ".", known}).exit_code == 0);
  CHECK(workspace.run({"diff", known, "--only", "l2.*", known}).exit_code == 0);
}

TEST_CASE("a topology may be given to the run that replaces it") {
  const Workspace workspace;
  const Arguments run = with_plugins({"run", "--device", "toy:0", "--only", "fixture.*"}, {"toy"});
  REQUIRE(workspace.run(run).exit_code == 0);
  Arguments again = run;
  again.insert(again.end(), {"--given", "topology.toml"});
  CHECK(workspace.run(again).exit_code == 0);
  Arguments resumed = run;
  resumed.emplace_back("--resume");
  CHECK(workspace.run(resumed).exit_code == 0);
}

TEST_CASE("a read-only output folder is named before anything runs, the old file stays") {
  const Workspace workspace;
  const Arguments run = with_plugins({"run", "--device", "toy:0", "--only", "fixture.*"}, {"toy"});
  REQUIRE(workspace.run(run).exit_code == 0);
  const std::string before = workspace.text("topology.toml");
  const Ended ended = workspace.run_on_read_only_folder(run);
  CHECK(ended.exit_code == 2);
  CHECK_THAT(ended.err, ContainsSubstring("topology.toml") && ContainsSubstring("Permission denied"));
  CHECK(workspace.text("topology.toml") == before);
}

TEST_CASE("a full disk leaves the old files as they were and nothing half-written") {
  const Workspace workspace;
  const Arguments run = with_plugins({"run", "--device", "toy:0", "--only", "fixture.*"}, {"toy"});
  REQUIRE(workspace.run(run).exit_code == 0);
  const std::string before = workspace.text("topology.toml");
  const auto files = workspace.files();
  constexpr std::uint64_t bytes_left = 1000;
  const Ended ended = workspace.run_on_full_disk(run, bytes_left);
  CHECK(ended.exit_code == 1);
  CHECK_THAT(ended.err, ContainsSubstring("topology.toml") && ContainsSubstring("File too large"));
  CHECK(workspace.text("topology.toml") == before);
  CHECK(workspace.files() == files);
}

TEST_CASE("every command whose output cannot be written ends with 1 and says so") {
  const Workspace workspace;
  REQUIRE(workspace.run(with_plugins({"run", "--device", "toy:0", "--only", "fixture.*"}, {"toy"})).exit_code == 0);
  for (const Arguments& arguments : {Arguments{"--help"},
                                     {"--version"},
                                     {"show"},
                                     {"show", "--json"},
                                     {"list"},
                                     {"list", "devices"},
                                     {"plan"},
                                     {"explain", "l1_data.size"},
                                     {"diff", "topology.toml", "topology.toml"},
                                     {"export", "csv"},
                                     {"validate", "topology.toml"},
                                     {"fleet", "topology.toml"},
                                     {"completion", "bash"},
                                     with_plugins({"run", "--device", "toy:0", "--only", "fixture.*"}, {"toy"})}) {
    const Ended ended = workspace.run_into_full(STDOUT_FILENO, arguments);
    INFO(arguments.front());
    CHECK(ended.exit_code == 1);
    CHECK_THAT(ended.err, ContainsSubstring("tomograph: standard output cannot be written\n"));
  }
}

TEST_CASE("a recording that is none, cut off or altered is refused with what is wrong") {
  const Workspace workspace;
  REQUIRE(
      workspace.run(with_plugins({"run", "--device", "toy:0", "--only", "toy/alpha", "--record", "run.rec"}, {"toy"}))
          .exit_code == 0);
  const Arguments replay = with_plugins({"run", "--device", "replay:run.rec", "--only", "toy/alpha"}, {"toy"});
  const std::string whole = workspace.text("run.rec");

  workspace.write("run.rec", whole.substr(0, 100));
  check_refused(workspace, replay, {"run.rec", "is cut off: it ends at byte 100 of " + std::to_string(whole.size())});
  std::string altered = whole;
  altered[120] = static_cast<char>(altered[120] + 1);
  workspace.write("run.rec", altered);
  check_refused(workspace, replay, {"run.rec", "was altered"});
  workspace.write("run.rec", "something else");
  check_refused(workspace, replay, {"run.rec", "is no recording"});
  fs::remove(workspace.path("run.rec"));
  check_refused(workspace, replay, {"run.rec", "No such file"});
}

TEST_CASE("an experiment that the recording does not hold fails its probe and is named") {
  const Workspace workspace;
  REQUIRE(
      workspace.run(with_plugins({"run", "--device", "toy:0", "--only", "toy/alpha", "--record", "run.rec"}, {"toy"}))
          .exit_code == 0);
  const Ended replay =
      workspace.run(with_plugins({"run", "--device", "replay:run.rec", "--only", "fixture.*"}, {"toy"}));
  CHECK(replay.exit_code == 1);
  const Json found = shown_topology(workspace, "topology.toml");
  CHECK(fact(found, "fixture.alpha").at("value") == 9);
  CHECK(found.at("outcomes").at("fixture.gamma").at("status") == "failed");
  CHECK_THAT(found.at("outcomes").at("fixture.gamma").at("reason").get<std::string>(),
             ContainsSubstring("recording run.rec does not hold fixture.square/1, argument 11") &&
                 ContainsSubstring("has other argument"));
}

TEST_CASE("a topology to be resumed or given must be there and be one") {
  const Workspace workspace;
  const Arguments run = with_plugins({"run", "--device", "toy:0"}, {"toy"});
  Arguments resume = run;
  resume.push_back("--resume");
  check_refused(workspace, resume, {"topology.toml", "nothing to resume"});
  Arguments given = run;
  given.insert(given.end(), {"--given", "known.toml"});
  check_refused(workspace, given, {"known.toml", "No such file"});
  workspace.write("known.toml", "schema_version = 1\n[l1_data.size]\nvalue = [\n");
  check_refused(workspace, given, {"known.toml:3:"});
}

TEST_CASE(
    "a given fact of another type than its plugin declares is refused before a probe reads it, and so is one to be "
    "resumed") {
  const Workspace workspace;
  const Arguments run = with_plugins({"run", "--device", "toy:0", "--only", "toy/alpha"}, {"toy"});
  REQUIRE(workspace.run(run).exit_code == 0);
  std::string known = workspace.text("topology.toml");
  const std::string value = "[fixture.alpha]\nvalue = 9";
  REQUIRE(known.find(value) != std::string::npos);
  workspace.write("known.toml", known.replace(known.find(value), value.size(), "[fixture.alpha]\nvalue = \"large\""));
  Arguments given = with_plugins({"run", "--device", "toy:0", "--output", "other.toml"}, {"toy"});
  given.insert(given.end(), {"--given", "known.toml"});
  check_refused(workspace, given,
                {"known.toml: fixture.alpha.value: is \"large\"", "toy/alpha publishes values of type integer"});
  fs::rename(workspace.path("known.toml"), workspace.path("topology.toml"));
  Arguments resumed = run;
  resumed.push_back("--resume");
  check_refused(workspace, resumed, {"topology.toml: fixture.alpha.value: is \"large\""});
}

TEST_CASE("a device that states an impossible fact is refused with the key and what was expected") {
  const Workspace workspace;
  std::string text = workspace.source("plugins/devices/sim/gpus/small.toml");
  const std::string right = "[api]";
  const std::size_t place = text.find(right);
  REQUIRE(place != std::string::npos);
  const std::size_t line = text.find("\"l2.nominal_size\"");
  if (line != std::string::npos) text.erase(line, text.find('\n', line) - line + 1);
  text.insert(text.find(right) + right.size(), "\n\"l2.nominal_size\" = -5");
  workspace.write("impossible.toml", text);
  const Ended run = workspace.run({"run", "--device", "sim:./impossible.toml", "--only", "l2.latency"});
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.err, ContainsSubstring("l2.nominal_size") && ContainsSubstring("expected integer of at least 0"));
  CHECK(workspace.files() == std::vector<std::string>{"impossible.toml"});
}
