#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iomanip>
#include <sstream>

#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace fs = std::filesystem;

namespace {

const Arguments toy_run{"run", "--device", "toy:0", "--only", "fixture.*"};

Ended run_toy(const Workspace& workspace, const Arguments& more = {}) {
  Arguments arguments = with_plugins(toy_run, {"toy"});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return workspace.run(arguments);
}

}  // namespace

TEST_CASE("a run measures, writes a valid topology with its evidence, and tells what it found") {
  const Workspace workspace;
  const Ended run = run_toy(workspace);
  CHECK(run.exit_code == 0);  // although fixture.unknowable stays inconclusive
  CHECK_THAT(run.out, ContainsSubstring("fixture.alpha  9") && ContainsSubstring("inconclusive, nobody can know"));
  CHECK_THAT(run.out, ContainsSubstring("written: topology.toml, topology.evidence.json"));
  CHECK(workspace.files() == Arguments{"topology.evidence.json", "topology.toml"});
  CHECK_THAT(workspace.text("topology.toml"), StartsWith("#:schema "));
  const Ended validated = workspace.run({"validate", "topology.toml"});
  CHECK(validated.exit_code == 0);

  const Json found = shown_topology(workspace);
  CHECK(fact(found, "fixture.alpha").at("value") == 9);
  CHECK(fact(found, "fixture.beta").at("value") == 81);
  CHECK(fact(found, "device.name").at("source") == "api");
  CHECK(found.at("outcomes").at("fixture.unknowable").at("status") == "inconclusive");
  CHECK(found.at("outcomes").at("fixture.unknowable").at("reason") == "nobody can know");
}

TEST_CASE("a run ends on one screen with what was found and the next commands, which work; -v lists the probes") {
  const Workspace workspace;
  const Ended run = workspace.run(
      {"run", "--device", "replay:" TOMOGRAPH_SOURCE_DIR "/tests/recordings/h200.rec", "--output", "my gpu.toml"});
  CHECK(run.exit_code == 0);
  CHECK(std::ranges::count(run.out, '\n') <= 60);
  CHECK_THAT(run.out, ContainsSubstring("L1 data cache") && !ContainsSubstring("data-cache/l1.size"));
  const auto next = run.out.find("\nNext\n");
  REQUIRE(next != std::string::npos);
  std::istringstream lines(run.out.substr(next + 6));
  int commands = 0;
  for (std::string line; std::getline(lines, line); ++commands) {
    INFO(line);
    std::istringstream words(line.substr(0, line.find("  #")));
    Arguments arguments;
    for (std::string word; words >> std::quoted(word, '\''); arguments.push_back(word)) {
    }
    REQUIRE(arguments.front() == "tomograph");
    CHECK(workspace.run({arguments.begin() + 1, arguments.end()}).exit_code <= 1);
  }
  CHECK(commands == 3);
  CHECK_THAT(run_toy(workspace, {"-v"}).out, ContainsSubstring("toy/alpha") && ContainsSubstring("Next"));
}

TEST_CASE("a required fact that was not measured ends the run with 1 and is named with its reason") {
  const Workspace workspace;
  CHECK(run_toy(workspace, {"--require", "fixture.[ab]*", "--require", "device.name"}).exit_code == 0);
  const Ended run = run_toy(workspace, {"--require", "fixture.*", "--require", "l2.size"});
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.err,
             ContainsSubstring("required, but not measured: fixture.unknowable: inconclusive, nobody can know") &&
                 ContainsSubstring("required, but not measured: l2.size: this run did not ask for it"));
  CHECK(fact(shown_topology(workspace), "fixture.beta").at("value") == 81);
}

TEST_CASE("a required fact that nobody measures is bad input, with the nearest name") {
  const Workspace workspace;
  const Ended run = run_toy(workspace, {"--require", "fixture.alhpa"});
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.err, ContainsSubstring("matches no fact; did you mean 'fixture.alpha'?"));
  CHECK(workspace.files().empty());
}

TEST_CASE("on a pipe, progress is plain lines on standard error") {
  const Workspace workspace;
  const Ended run = run_toy(workspace);
  CHECK_THAT(run.err, ContainsSubstring("toy/gamma"));
  CHECK(run.err.find('\x1b') == std::string::npos);
  CHECK(run.err.find('\r') == std::string::npos);
  CHECK(run.out.find('\x1b') == std::string::npos);
}

TEST_CASE("the option --json gives the topology and nothing else on standard output") {
  const Workspace workspace;
  const Ended run = run_toy(workspace, {"--json"});
  CHECK(facts(Json::parse(run.out)) == facts(shown_topology(workspace)));
}

TEST_CASE("a recorded run replays to the same facts") {
  const Workspace workspace;
  REQUIRE(run_toy(workspace, {"--record", "run.rec"}).exit_code == 0);
  const Ended replay = workspace.run(
      with_plugins({"run", "--device", "replay:run.rec", "--only", "fixture.*", "--output", "replayed.toml"}, {"toy"}));
  CHECK(replay.exit_code == 0);
  const Json replayed = shown_topology(workspace, "replayed.toml");
  CHECK(facts(replayed).dump() == facts(shown_topology(workspace)).dump());
}

TEST_CASE("two runs write the same facts byte for byte") {
  const Workspace workspace;
  (void)run_toy(workspace);
  const std::string first = facts(shown_topology(workspace)).dump();
  (void)run_toy(workspace);
  CHECK(facts(shown_topology(workspace)).dump() == first);
}

TEST_CASE("probes that run at the same time find what they find one after the other, byte for byte") {
  const Workspace workspace;
  for (const std::string jobs : {"1", "3"}) {
    Arguments arguments{"run", "--device", "sim:h200", "--jobs", jobs, "--output", jobs + ".toml"};
    for (const char* fact : {"l1_data.line_size", "read_only.line_size", "constant_l1.line_size", "shared.*"}) {
      arguments.insert(arguments.end(), {"--only", fact});
    }
    REQUIRE(workspace.run(arguments).exit_code == 0);
  }
  const Json alone = shown_topology(workspace, "1.toml");
  const Json together = shown_topology(workspace, "3.toml");
  CHECK(facts(alone).size() > 5);
  CHECK(facts(together).dump() == facts(alone).dump());
  CHECK(together.at("outcomes") == alone.at("outcomes"));
  CHECK(workspace.text("3.evidence.json") == workspace.text("1.evidence.json"));
}

TEST_CASE("the option --only pulls in what the chosen probes need, and plan says why") {
  const Workspace workspace;
  const Ended plan = workspace.run(with_plugins({"plan", "--only", "fixture.beta"}, {"toy"}));
  CHECK(plan.exit_code == 0);
  CHECK(plan.out.find("toy/alpha") < plan.out.find("toy/beta"));
  CHECK_THAT(plan.out, ContainsSubstring("provides fixture.alpha for toy/beta"));
  CHECK_THAT(plan.out, ContainsSubstring("asked for by 'fixture.beta'"));
  CHECK(plan.out.find("toy/gamma") == std::string::npos);
  const Json json = Json::parse(workspace.run(with_plugins({"plan", "--json", "--only", "toy/beta"}, {"toy"})).out);
  CHECK(json.at("probes").size() == 2);
}

TEST_CASE("facts that are given are used and not measured again") {
  const Workspace workspace;
  REQUIRE(workspace.run(with_plugins({"run", "--device", "toy:0", "--only", "toy/alpha"}, {"toy"})).exit_code == 0);
  fs::rename(workspace.path("topology.toml"), workspace.path("known.toml"));
  const Ended run =
      workspace.run(with_plugins({"run", "--device", "toy:0", "--only", "toy/beta", "--given", "known.toml"}, {"toy"}));
  CHECK(run.exit_code == 0);
  const Json found = shown_topology(workspace);
  CHECK(fact(found, "fixture.beta").at("value") == 81);
  CHECK_FALSE(found.at("probes").contains("toy/alpha"));
}

TEST_CASE("facts that are given of another GPU are taken with a warning") {
  const Workspace workspace;
  const std::vector<std::string> small{"run", "--device", "sim:small", "--only", "shared.banks", "--given"};
  const auto given = [&](const char* file) {
    std::vector<std::string> arguments = small;
    arguments.emplace_back(file);
    const Ended run = workspace.run(arguments);
    CHECK(run.exit_code == 0);
    return run.err;
  };
  CHECK_THAT(given("gallery:nvidia-h200"), ContainsSubstring("of another GPU, \"NVIDIA H200\"; this one is \"Small\""));
  fs::rename(workspace.path("topology.toml"), workspace.path("known.toml"));
  CHECK_THAT(given("known.toml"), !ContainsSubstring("another GPU"));
}

TEST_CASE("parameters of the configuration reach the probe") {
  const Workspace workspace;
  workspace.write("tomograph.toml", "device = \"toy:0\"\n[probes.\"toy/alpha\"]\nargument = 7\n");
  REQUIRE(
      workspace.run(with_plugins({"run", "--config", "tomograph.toml", "--only", "toy/alpha"}, {"toy"})).exit_code ==
      0);
  CHECK(fact(shown_topology(workspace), "fixture.alpha").at("value") == 49);
}

TEST_CASE("parameters of the device on the command line override those of the configuration, one by one") {
  const Workspace workspace;
  workspace.write("tomograph.toml", "device = \"sim:small\"\n[devices.sim]\nseed = 7\nnoise_scale = 2.5\n");
  REQUIRE(workspace
              .run({"run", "--config", "tomograph.toml", "--only", "l1_data.latency", "--device-parameter",
                    "noise_scale=3", "--device-parameter", "noise=false"})
              .exit_code == 0);
  const Json parameters = shown_topology(workspace).at("provenance").at("device").at("parameters");
  CHECK(parameters == Json{{"gpu", 0}, {"seed", 7}, {"noise_scale", 3}, {"noise", false}});
}

TEST_CASE("one probe again with other parameters changes its facts and curves, and leaves the others") {
  const Workspace workspace;
  (void)run_toy(workspace);
  const Json old_curves = Json::parse(workspace.text("topology.evidence.json")).at("evidence");
  const Json old = shown_topology(workspace);
  workspace.write("again.toml",
                  "device = \"toy:0\"\ngiven = [\"topology.toml\"]\ninclude = [\"toy/alpha\"]\n"
                  "[probes.\"toy/alpha\"]\nargument = 7\n");
  const Ended run = workspace.run(with_plugins({"run", "--config", "again.toml"}, {"toy"}));
  CHECK_THAT(run.err, !ContainsSubstring("toy/beta"));
  const Json found = shown_topology(workspace);
  CHECK(fact(found, "fixture.alpha").at("value") == 49);
  CHECK(fact(found, "fixture.beta") == fact(old, "fixture.beta"));
  CHECK(found.at("probes").size() == 1);
  const Json curves = Json::parse(workspace.text("topology.evidence.json")).at("evidence");
  CHECK(curves.at("toy/beta") == old_curves.at("toy/beta"));
  CHECK(curves.at("toy/alpha") != old_curves.at("toy/alpha"));
}

TEST_CASE("what the configuration leaves out is skipped with the reason, and the rest is measured") {
  const Workspace workspace;
  workspace.write("quick.toml",
                  "device = \"toy:0\"\ninclude = [\"toy/*\"]\nexclude = [\"toy/alpha\"]\nmax_probe_seconds = 0.001\n");
  CHECK(workspace.run(with_plugins({"run", "--config", "quick.toml"}, {"toy"})).exit_code == 0);
  CHECK(shown_topology(workspace).at("outcomes").at("fixture.gamma").at("category") == "configuration");
  workspace.write("most.toml", "device = \"toy:0\"\ninclude = [\"toy/*\"]\nexclude = [\"toy/alpha\"]\n");
  const Ended run = workspace.run(with_plugins({"run", "--config", "most.toml"}, {"toy"}));
  CHECK_THAT(run.err, ContainsSubstring("[1/1] toy/gamma: measured"));
  const Json outcomes = shown_topology(workspace).at("outcomes");
  CHECK(outcomes.at("fixture.alpha").at("reason") == "excluded by 'toy/alpha'");
  CHECK(outcomes.at("fixture.beta").at("reason") == "needs fixture.alpha, whose provider toy/alpha is excluded");
  CHECK(outcomes.at("fixture.gamma").at("status") == "measured");
}

TEST_CASE("the topology names the files of its configuration with their hashes, in the order in which they count") {
  const Workspace workspace;
  workspace.write("team.toml", "device = \"toy:0\"\nmax_probe_seconds = 1\n");
  workspace.write("mine.toml", "extends = [\"team.toml\"]\ninclude = [\"toy/alpha\"]\n");
  REQUIRE(workspace.run(with_plugins({"run", "--config", "mine.toml"}, {"toy"})).exit_code == 0);
  const Json provenance = shown_topology(workspace).at("provenance");
  CHECK(provenance.at("device").at("name") == "toy:0");
  CHECK(provenance.at("options").at("max_probe_seconds") == 1);
  CHECK_FALSE(provenance.at("machine").at("name").get<std::string>().empty());
  CHECK(provenance.at("machine").at("kernel").get<std::string>().starts_with("Linux "));
  const Json& files = provenance.at("configuration");
  REQUIRE(files.size() == 2);
  CHECK(fs::equivalent(files[0].at("path").get<std::string>(), workspace.path("team.toml")));
  CHECK(fs::equivalent(files[1].at("path").get<std::string>(), workspace.path("mine.toml")));
  CHECK(files[0].at("sha256").get<std::string>().size() == 64);
  CHECK(files[0].at("sha256") != files[1].at("sha256"));
}

TEST_CASE("the recording that a killed run left half-written is removed by the next run in that folder") {
  const Workspace workspace;
  workspace.write("slow.toml", "[probes.\"toy/gamma\"]\npause_seconds = 3600.0\n");
  Arguments slow = with_plugins(toy_run, {"toy"});
  slow.insert(slow.end(), {"--config", "slow.toml", "--record", "run.rec"});
  CHECK(workspace.run_and_signal(slow, "toy/beta", SIGKILL).exit_code == 128 + SIGKILL);
  REQUIRE(workspace.files().front().starts_with(".run.rec."));
  (void)run_toy(workspace);
  CHECK(workspace.files() == Arguments{"slow.toml", "topology.evidence.json", "topology.toml"});
}

TEST_CASE("Ctrl-C leaves a valid partial topology, which --resume completes without measuring again") {
  const Workspace workspace;
  workspace.write("slow.toml", "[probes.\"toy/gamma\"]\npause_seconds = 3600.0\n");
  Arguments slow = with_plugins(toy_run, {"toy"});
  slow.insert(slow.end(), {"--config", "slow.toml"});
  const Ended interrupted = workspace.run_and_signal(slow, "toy/beta", SIGINT);
  CHECK(interrupted.exit_code == 130);
  CHECK_THAT(interrupted.out, ContainsSubstring("tomograph run --resume --output topology.toml"));
  CHECK(workspace.run({"validate", "topology.toml"}).exit_code == 0);
  const Json partial = shown_topology(workspace);
  CHECK(fact(partial, "fixture.beta").at("value") == 81);
  CHECK(partial.at("outcomes").at("fixture.gamma").at("status") == "skipped");
  CHECK(partial.at("outcomes").at("fixture.gamma").at("category") == "interrupted");

  const Ended resumed = run_toy(workspace, {"--resume"});
  CHECK(resumed.err.find("toy/alpha") == std::string::npos);
  const Json complete = shown_topology(workspace);
  CHECK(fact(complete, "fixture.gamma").at("value") == 121);
  CHECK(fact(complete, "fixture.alpha") == fact(partial, "fixture.alpha"));
  CHECK(complete.at("probes").at("toy/alpha") == partial.at("probes").at("toy/alpha"));
}

TEST_CASE("a run is resumed on the device that it began with, and with its parameters") {
  const Workspace workspace;
  workspace.write("gpu.toml", Workspace::source("plugins/devices/sim/gpus/small.toml"));
  const auto run = [&](const Arguments& more) {
    Arguments arguments{"run", "--only", "l1_data.line_size"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return workspace.run(arguments);
  };
  REQUIRE(run({"--device", "sim:./gpu.toml?seed=7"}).exit_code == 0);
  const std::string before = workspace.text("topology.toml");
  const auto check_refused = [&](const Arguments& more, const std::string& message) {
    const Ended resumed = run(more);
    CHECK(resumed.exit_code == 2);
    CHECK(resumed.err == "tomograph: topology.toml" + message + "\n");
    CHECK(workspace.text("topology.toml") == before);
  };
  check_refused({"--resume", "--device-parameter", "seed=8"},
                " was measured with seed=7, it cannot be resumed with seed=8");
  check_refused({"--resume", "--device", "sim:./gpu.toml?seed=7&noise_scale=50"},
                " was measured with noise_scale=1, it cannot be resumed with noise_scale=50");
  CHECK(run({"--resume"}).exit_code == 0);
  CHECK(shown_topology(workspace).at("/provenance/device/parameters/seed"_json_pointer) == 7);
  const Arguments named{"--device", "sim:./gpu.toml", "--output", "{uuid}.toml"};
  Arguments with_seed = named;
  with_seed.insert(with_seed.end(), {"--device-parameter", "seed=7"});
  REQUIRE(run(with_seed).exit_code == 0);
  Arguments again = named;
  again.emplace_back("--resume");
  CHECK(run(again).exit_code == 0);
  const Json resumed = shown_topology(workspace, "sim-gpu-toml.toml");
  CHECK(resumed.at("/provenance/device/parameters/seed"_json_pointer) == 7);
  workspace.write("topology.toml", before);
  workspace.write("gpu.toml", workspace.text("gpu.toml") + "\n# changed\n");
  check_refused({"--resume"}, ": was measured on sim:./gpu.toml, which has changed since, so it cannot be resumed");
}

TEST_CASE("a resumed run keeps what happened to the device while probes ran that do not run again") {
  const Workspace workspace;
  (void)workspace.run(with_plugins({"run", "--device", "toy:0", "--only", "toy/beta"}, {"toy"}));
  const std::string happened = R"([[provenance.findings]]
kind = "throttled"
probes = ["toy/beta", "toy/gamma"]
reasons = ["thermal"]
)";
  workspace.write("topology.toml", workspace.text("topology.toml") + happened);
  (void)run_toy(workspace, {"--resume"});
  const Json findings = shown_topology(workspace).at("provenance").at("findings");
  REQUIRE(findings.size() == 1);
  CHECK(findings.at(0).at("probes") == Json{"toy/beta"});
  CHECK(findings.at(0).at("reasons") == Json{"thermal"});
}

TEST_CASE("without a GPU the simulated H200 is measured, and one line says so") {
  const Workspace workspace;
  const Ended run = workspace.run(with_plugins({"run", "--only", "toy/alpha"}, {"toy"}));
  CHECK_THAT(run.err, ContainsSubstring("sim:h200"));
  CHECK_THAT(shown_topology(workspace).at("provenance").at("device").at("name").get<std::string>(),
             StartsWith("sim:h200"));
}

TEST_CASE("{uuid} stands for the simulated H200 where no device was asked for") {
  const Workspace workspace;
  (void)workspace.run(with_plugins({"run", "--only", "toy/alpha", "--output", "{uuid}.toml"}, {"toy"}));
  CHECK(workspace.files() == Arguments{"sim-h200.evidence.json", "sim-h200.toml"});
}

TEST_CASE("what the device does not support is skipped, not failed") {
  const Workspace workspace;
  const Ended run = workspace.run(with_plugins({"run", "--device", "sim:small", "--only", "toy/alpha"}, {"toy"}));
  CHECK(run.exit_code == 0);
  CHECK(shown_topology(workspace).at("outcomes").at("fixture.alpha").at("status") == "skipped");
}

TEST_CASE("the help and the documentation give each exit code the same meaning") {
  std::string documented = Workspace::source("docs/using.md");
  std::erase(documented, '`');
  const std::string help = Workspace().run({"--help"}).out;
  std::istringstream lines(help.substr(help.find("Exit codes:\n") + std::string("Exit codes:\n").size()));
  std::string code;
  std::size_t meanings = 0;
  for (std::string line; std::getline(lines, line) && line.starts_with("  "); ++meanings) {
    constexpr std::size_t indent = 7;
    if (line.at(2) != ' ') code = line.substr(2, line.find(' ', 2) - 2);
    const std::size_t row = documented.find("\n| " + code + " | ");
    REQUIRE(row != std::string::npos);
    CHECK_THAT(documented.substr(row, documented.find('\n', row + 1) - row), ContainsSubstring(line.substr(indent)));
  }
  CHECK(meanings == 8);
}

TEST_CASE("bare tomograph prints its help and ends with 0") {
  const Workspace workspace;
  const Ended help = workspace.run({});
  CHECK(help.exit_code == 0);
  for (const char* verb : {"run", "plan", "list", "show", "validate"}) CHECK_THAT(help.out, ContainsSubstring(verb));
  CHECK(help.err.empty());
}

TEST_CASE("a device without targets has one plain line in the list") {
  CHECK_THAT(Workspace().run({"list", "devices"}).out, ContainsSubstring("\n  none available\n"));
}

TEST_CASE("list names devices, probes and facts, for people and for machines") {
  const Workspace workspace;
  const Ended list = workspace.run(with_plugins({"list"}, {"toy"}));
  CHECK(list.exit_code == 0);
  CHECK_THAT(list.out,
             ContainsSubstring("toy/beta") && ContainsSubstring("fixture.beta") && ContainsSubstring("replay"));
  CHECK_NOTHROW(Json::parse(workspace.run(with_plugins({"list", "--json"}, {"toy"})).out));
}
