#include <unistd.h>

#include <filesystem>

#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

Ended run_with(const Workspace& workspace, const Arguments& fixtures, const std::string& device = "toy:0") {
  return workspace.run(with_plugins({"run", "--device", device, "--only", "fixture.*"}, fixtures));
}

}  // namespace

TEST_CASE("after a sticky fault of the device a new process goes on with the rest") {
  const Workspace workspace;
  const Ended run = run_with(workspace, {"toy", "faulty-device"}, "sticky:" + workspace.path("mark").string());
  CHECK(run.exit_code == 1);
  const Json found = shown_topology(workspace);
  CHECK(fact(found, "fixture.alpha").at("value") == 9);
  CHECK(fact(found, "fixture.gamma").at("value") == 121);
  CHECK(found.at("outcomes").at("fixture.beta").at("status") == "failed");
  CHECK_THAT(found.at("outcomes").at("fixture.beta").at("reason").get<std::string>(),
             ContainsSubstring("the device was lost"));
}

TEST_CASE("after the device has disappeared what was measured is kept and the rest failed") {
  const Workspace workspace;
  const Ended run = run_with(workspace, {"toy", "faulty-device"}, "vanishing:" + workspace.path("mark").string());
  CHECK(run.exit_code == 1);
  CHECK(workspace.run({"validate", "topology.toml"}).exit_code == 0);
  const Json found = shown_topology(workspace);
  CHECK(fact(found, "fixture.alpha").at("value") == 9);
  CHECK(found.at("outcomes").at("fixture.beta").at("status") == "failed");
  CHECK(found.at("outcomes").at("fixture.gamma").at("status") == "failed");
  CHECK_THAT(found.at("outcomes").at("fixture.gamma").at("reason").get<std::string>(),
             ContainsSubstring("no such device"));
}

TEST_CASE("a library that crashes while it is loaded is refused, the others are listed") {
  const Workspace workspace;
  const Ended list = workspace.run(with_plugins({"list"}, {"toy", "crash-on-load"}));
  CHECK(list.exit_code == 0);
  CHECK_THAT(list.err, ContainsSubstring("crash-on-load.so: loading it crashed"));
  CHECK_THAT(list.out, ContainsSubstring("toy/alpha"));
}

TEST_CASE("a library that hangs while it is loaded is refused, the others are listed") {
  const Workspace workspace;
  const Ended list = workspace.run(with_plugins({"list"}, {"toy", "hang-on-load"}));
  CHECK(list.exit_code == 0);
  CHECK_THAT(list.err, ContainsSubstring("hang-on-load.so: loading it took longer than"));
  CHECK_THAT(list.out, ContainsSubstring("toy/alpha"));
}

TEST_CASE("a run whose messages cannot be written measures all the same, and none goes into a file") {
  const Workspace workspace;
  const Arguments run = with_plugins({"run", "--device", "toy:0", "--only", "fixture.*"}, {"toy"});
  const Ended usual = workspace.run(run);
  const auto check = [&](const Ended& ended) {
    CHECK(ended.exit_code == usual.exit_code);
    CHECK(workspace.run({"validate", "topology.toml"}).exit_code == 0);
    CHECK(fact(shown_topology(workspace), "fixture.gamma").at("value") == 121);
    std::filesystem::remove(workspace.path("topology.toml"));
  };
  check(workspace.run_into_full(STDERR_FILENO, run));
  check(workspace.run_without(STDERR_FILENO, run));
}

TEST_CASE("bad input ends with 2 and nothing is written, also where the message cannot be written") {
  const Workspace workspace;
  const Arguments run{"run", "--device", "sim:small", "--output", "none/topology.toml"};
  CHECK(workspace.run_into_full(STDERR_FILENO, run).exit_code == 2);
  CHECK(workspace.run_without(STDERR_FILENO, run).exit_code == 2);
  CHECK(workspace.files().empty());
}
