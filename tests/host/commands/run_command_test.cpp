#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "catch.hpp"
#include "temporary_folder.hpp"
#include "tomograph/recording.hpp"
#include "topology/topology_file.hpp"
#include "wait_until.hpp"

using namespace tomograph::host;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

struct Finished {
  int code = -1;
  std::string out;
  std::string err;
};

/// The program in a folder of its own.
class CommandLine {
 public:
  CommandLine() {
    if (fs::exists(DESCRIBED_PLUGINS))
      fs::copy(DESCRIBED_PLUGINS, folder.path() / "cache", fs::copy_options::recursive);
  }

  [[nodiscard]] std::string command(const std::string& arguments, const std::string& starter = {}) const {
    return "cd '" + folder.path().string() + "' && XDG_CACHE_HOME='" + folder.path().string() + "/cache' exec " +
           starter + "'" + TOMOGRAPH_BINARY + "' " + arguments + " --plugin-dir '" + TOY_PLUGIN_DIR + "' >out 2>err";
  }
  [[nodiscard]] Finished run(const std::string& arguments, const std::string& starter = {}) const {
    const int status = std::system(command(arguments, starter).c_str());
    return {WEXITSTATUS(status), content_of(folder.path() / "out"), content_of(folder.path() / "err")};
  }
  [[nodiscard]] Topology topology() const { return read_topology(folder.path() / "topology.toml"); }
  [[nodiscard]] bool wrote_nothing() const {
    const auto is_ours = [](const fs::directory_entry& entry) {
      const std::string name = entry.path().filename().string();
      return name == "out" || name == "err" || name == "cache";
    };
    return std::all_of(fs::directory_iterator(folder.path()), fs::directory_iterator(), is_ours);
  }

  TemporaryFolder folder;
};

}  // namespace

TEST_CASE("the exit code is 0 if no probe failed, also where one is inconclusive, and 1 if one did") {
  const CommandLine line;
  const Finished good = line.run("run --device toy:good --only toy/product --only toy/skipping");
  CHECK(good.code == 0);
  CHECK(line.topology().facts.at("toy.product").value == 42);
  CHECK(line.topology().provenance.at("device").at("name") == "toy:good");
  CHECK(fs::exists(line.folder.path() / "topology.evidence.json"));
  CHECK(line.run("run --device toy:good --only toy/unsure").code == 0);
  const Finished bad = line.run("run --device toy:good --only toy/crash");
  CHECK(bad.code == 1);
  CHECK_THAT(bad.err, ContainsSubstring("error: toy/crash crashed: "));
  CHECK(line.topology().outcomes.at("toy.crash").status == OutcomeStatus::crashed);
}

TEST_CASE("results do not wait for the device to close, which the program waits for") {
  const CommandLine line;
  line.folder.write("lingering", "");
  CHECK(line.run("run --device toy:lingering --only toy/product").code == 0);
  CHECK(content_of(line.folder.path() / "lingering") == "opened\nclosed after the topology\n");
}

TEST_CASE("two runs differ in provenance and seconds only") {
  const CommandLine line;
  const auto run_once = [&] {
    REQUIRE(line.run("run --device toy:good --only 'toy/product' --only toy/dependant --only toy/failing").code == 1);
    Topology topology = line.topology();
    topology.provenance = Json::object();
    for (auto& [id, run] : topology.probes) run.seconds = run.executing_seconds = run.plugin_seconds = 0;
    return to_toml(topology) + content_of(line.folder.path() / "topology.evidence.json");
  };
  CHECK(run_once() == run_once());
}

TEST_CASE("bad device, target, pattern and folder end with 2, the nearest right name, and nothing written") {
  const CommandLine line;
  const auto refused = [&](const std::string& arguments, const std::string& message) {
    const Finished finished = line.run(arguments);
    CHECK(finished.code == 2);
    CHECK_THAT(finished.err, ContainsSubstring(message));
    CHECK(finished.out.empty());
    CHECK(line.wrote_nothing());
  };
  refused("run --device tyo:good --only toy/product", "did you mean 'toy'?");
  refused("run --device toy:god --only toy/product", "did you mean 'toy:good'?");
  refused("run --device toy --only toy/product", "toy:good");
  refused("run --device toy:good --only toy/prodcut", "did you mean 'toy/product'?");
  refused("run --device toy:good --only toy/product --output no/such/folder/t.toml", "no/such/folder");
  refused("run --device toy:good --only toy/product --resume", "nothing to resume");
  refused("run --device toy:good --plugin-dir nowhere", "nowhere: there is no such plugin folder");
  refused("run --devise toy:good", "--devise");
}

TEST_CASE("an output folder that cannot be written is refused before anything runs") {
  const CommandLine line;
  const fs::path locked = line.folder / "locked";
  fs::create_directory(locked);
  fs::permissions(locked,
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  fs::permissions(line.folder.path(), fs::perms::others_exec, fs::perm_options::add);
  // Root may write anywhere, so it becomes somebody else.
  const std::string nobody = ::geteuid() == 0 ? "setpriv --reuid=65534 --clear-groups " : "";
  const Finished finished = line.run("run --device toy:good --only toy/product --output locked/t.toml", nobody);
  const bool is_out_of_reach = finished.err.find("plugin folder cannot be read: ") != std::string::npos;
  if (finished.code == 126 || finished.code == 127 || is_out_of_reach)
    skip_here("nobody but root can start the program where it lies");
  CHECK(finished.code == 2);
  CHECK_THAT(finished.err, ContainsSubstring("locked"));
  CHECK(finished.out.empty());
  CHECK(fs::is_empty(locked));
}

TEST_CASE("a disk that is full at the end is an error, and the old topology stays as it was") {
  const CommandLine line;
  const fs::path topology = line.folder.write("topology.toml", "old");
  // Files of more than one block fail as on a full disk; the log goes through a pipe.
  const std::string command = "cd '" + line.folder.path().string() + "' && (trap '' XFSZ; ulimit -f 1; '" +
                              TOMOGRAPH_BINARY + "' run --device toy:good --only 'toy/product' --plugin-dir '" +
                              TOY_PLUGIN_DIR + "' 2>&1; echo \"exit code $?\") | cat >out";
  REQUIRE(std::system(command.c_str()) == 0);
  const std::string out = content_of(line.folder / "out");
  CHECK_THAT(out, ContainsSubstring("exit code 1") && ContainsSubstring("topology.toml"));
  CHECK(content_of(topology) == "old");
}

TEST_CASE("a run without a real device measures the simulated stand-in and says so in one line") {
  const CommandLine line;
  const Finished finished = line.run("run --only toy/mourner");
  if (finished.code == 0 && finished.err.find("simulated") == std::string::npos) skip_here("there is a GPU here");
  CHECK_THAT(finished.err, ContainsSubstring("sim:h200"));
}

TEST_CASE("given facts are not measured again unless they are asked for") {
  const CommandLine line;
  REQUIRE(line.run("run --device toy:good --only toy/product --output given.toml").code == 0);
  CHECK(line.run("run --device toy:good --only toy/dependant --given given.toml").code == 0);
  CHECK(line.topology().facts.at("toy.dependant").value == 43);
  CHECK(line.topology().facts.at("toy.product").value == 42);
  CHECK_FALSE(line.topology().probes.contains("toy/product"));
  CHECK(line.run("run --device toy:good --only 'toy.product' --given given.toml").code == 0);
  CHECK(line.topology().probes.contains("toy/product"));
}

TEST_CASE("Ctrl-C leaves a valid partial topology and recording, and --resume completes it") {
  const CommandLine line;
  const fs::path started = line.folder.path() / "started";
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("TOY_STARTED", started.c_str(), 1);
    const std::string command =
        line.command("run --device toy:good --only toy/product --only toy/slow --record run.rec");
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    std::_Exit(127);
  }
  REQUIRE(wait_until([&] { return fs::exists(started); }));
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 130);
  const Topology partial = line.topology();
  CHECK(partial.outcomes.at("toy.product").status == OutcomeStatus::measured);
  CHECK(partial.outcomes.at("toy.slow").status == OutcomeStatus::skipped);
  CHECK(partial.outcomes.at("toy.slow").category == SkipCategory::interrupted);
  const auto recording = tomograph::Recording::read(line.folder.path() / "run.rec");
  CHECK(recording.find({"toy.multiply/1", {{"number", std::vector<std::int64_t>{21}}}}));

  CHECK(line.run("run --resume --only toy/product --only toy/slow").code == 0);
  const Topology whole = line.topology();
  CHECK(whole.outcomes.at("toy.slow").status == OutcomeStatus::measured);
  CHECK(whole.facts.at("toy.product").value == 42);
  CHECK(whole.provenance.at("device").at("name") == "toy:good");
  CHECK(whole.provenance.at("resumed_from") == partial.provenance.at("started"));
  const std::string evidence = content_of(line.folder.path() / "topology.evidence.json");
  CHECK_THAT(evidence, ContainsSubstring("toy.product") && ContainsSubstring("toy.slow"));
  CHECK(line.run("run --resume --device sim:h200").code == 2);
}

TEST_CASE("a recorded run holds every experiment with its answer and the device's facts") {
  const CommandLine line;
  REQUIRE(line.run("run --device toy:good --only toy/product --record run.rec").code == 0);
  const auto recording = tomograph::Recording::read(line.folder.path() / "run.rec");
  CHECK(recording.header().device == "toy:good");
  CHECK(recording.header().device_name == "Toy");
  const auto answer = recording.find({"toy.multiply/1", {{"number", std::vector<std::int64_t>{21}}}});
  REQUIRE(answer);
  CHECK(answer->arrays.front().numbers<std::int64_t>().front() == 42);
}

TEST_CASE("parameters of the configuration reach device and probe, and the command line wins over it") {
  const CommandLine line;
  std::ofstream(line.folder.path() / "c.toml") << "device = \"toy:nowhere\"\ninclude = [\"toy/product\"]\n"
                                                  "[devices.toy]\nfactor = 3\n[probes.\"toy/product\"]\nnumber = 5\n";
  CHECK(line.run("run --config c.toml").code == 2);
  CHECK(line.run("run --config c.toml --device toy:good").code == 0);
  CHECK(line.topology().facts.at("toy.product").value == 15);
}

TEST_CASE("a configuration's pattern that matches nothing is named with file and line") {
  const CommandLine line;
  std::ofstream(line.folder.path() / "c.toml") << "\nexclude = [\"toy/prodcut\"]\n";
  const Finished finished = line.run("plan --config c.toml");
  CHECK(finished.code == 2);
  CHECK_THAT(finished.err, ContainsSubstring("c.toml:2") && ContainsSubstring("did you mean 'toy/product'?"));
}

TEST_CASE("plan and list speak JSON") {
  const CommandLine line;
  const Finished plan = line.run("plan --only toy/dependant --json");
  CHECK(plan.code == 0);
  const Json planned = Json::parse(plan.out);
  CHECK(planned.at("probes").at(0).at("probe") == "toy/product");
  CHECK(planned.at("probes").at(0).at("reasons").at(0) == "provides toy.product for toy/dependant");
  const Finished list = line.run("list --json");
  CHECK(list.code == 0);
  CHECK_FALSE(Json::parse(list.out).at("plugins").empty());
  CHECK_THAT(line.run("list devices").out, ContainsSubstring("toy:good"));
}
