#include <cstdlib>

#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

/// A run of probes of the fixture `guest`, with what its diary then holds.
struct GuestRun {
  explicit GuestRun(const std::string& device, const std::vector<std::string>& probes,
                    std::vector<std::string> more = {}, const std::vector<std::string>& fixtures = {"guest"}) {
    std::vector<std::string> arguments{"run", "--device", device};
    for (const std::string& probe : probes) arguments.insert(arguments.end(), {"--only", probe});
    arguments.insert(arguments.end(), more.begin(), more.end());
    ::setenv("GUEST_DIARY", workspace.path("diary").c_str(), 1);
    ended = workspace.run(with_plugins(arguments, fixtures));
    ::unsetenv("GUEST_DIARY");
    topology = shown_topology(workspace, "topology.toml");
  }
  GuestRun(const GuestRun&) = delete;
  GuestRun& operator=(const GuestRun&) = delete;

  Workspace workspace;
  Ended ended;
  Json topology;
};

}  // namespace

TEST_CASE("experiments that an executor serves go to it, all others to the device, and answers keep their places") {
  const GuestRun run("stage:left", {"guest/mixed"});
  CHECK(run.ended.exit_code == 0);
  CHECK(fact(run.topology, "guest.mixed").at("value") == Json({8, 10, 27, 14, "the stage cannot do guest.nobodys/1"}));
}

TEST_CASE("an executor opens at its first experiment with the device's target, and closes before the device") {
  const GuestRun run("stage:right", {"guest/survivor", "guest/mixed"});
  CHECK(run.workspace.text("diary") ==
        "stage opens right\ncube opens right\ncube executes 2\nstage executes 3\nstage executes 1\ncube closes\nstage "
        "closes\n");
  const GuestRun without("stage:left", {"guest/survivor"});
  CHECK(without.workspace.text("diary") == "stage opens left\nstage executes 1\nstage closes\n");
}

TEST_CASE("an executor serves a device of another plugin, and only the device that it names") {
  const GuestRun served("toy:0", {"guest/cube"}, {}, {"guest", "toy"});
  CHECK(fact(served.topology, "guest.cube").at("value") == 64);
  const GuestRun unserved("sim:small", {"guest/cube"});
  CHECK(unserved.ended.exit_code == 0);
  CHECK(unserved.topology.at("outcomes").at("guest.cube").at("status") == "skipped");
  CHECK_THAT(unserved.topology.at("outcomes").at("guest.cube").at("reason").get<std::string>(),
             ContainsSubstring("guest.cube/1"));
}

TEST_CASE("what executors answer is recorded, and replayed without them") {
  const GuestRun run("stage:left", {"guest/mixed", "guest/cube"}, {"--record", "run.rec"});
  CHECK(run.ended.exit_code == 0);
  const GuestRun replayed("replay:" + run.workspace.path("run.rec").string(), {"guest/mixed", "guest/cube"});
  CHECK(facts(replayed.topology) == facts(run.topology));
  CHECK(replayed.workspace.files() == std::vector<std::string>{"topology.evidence.json", "topology.toml"});
}

TEST_CASE("an executor that cannot use the target refuses its experiments with the reason, and is asked once") {
  const GuestRun run("stage:left", {"guest/unlocked"});
  const Json& outcome = run.topology.at("outcomes").at("guest.unlocked");
  CHECK(outcome.at("status") == "skipped");
  CHECK_THAT(outcome.at("reason").get<std::string>(), ContainsSubstring("it needs a key"));
  CHECK(run.workspace.text("diary") == "stage opens left\nlocked opens\nstage closes\n");
}

TEST_CASE("an executor cannot publish, and one that loses the device costs the probe that asked, no other") {
  const GuestRun run("stage:left", {"guest/lost", "guest/survivor"});
  const Json& outcome = run.topology.at("outcomes").at("guest.lost");
  CHECK(outcome.at("status") == "failed");
  CHECK_THAT(outcome.at("reason").get<std::string>(), ContainsSubstring("the guest broke the stage"));
  CHECK(fact(run.topology, "guest.survivor").at("value") == 8);
  CHECK(fact(run.topology, "device.name").is_null());
  CHECK_THAT(run.workspace.text("diary"), ContainsSubstring("refused to publish"));
}

TEST_CASE("list tells what executors a plugin brings, and for which device") {
  const Workspace workspace;
  const Ended listed = workspace.run(with_plugins({"list"}, {"guest"}));
  CHECK_THAT(listed.out, ContainsSubstring("executes guest.cube/1 on toy  Cubes numbers"));
}
