#include <filesystem>

#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

using Arguments = std::vector<std::string>;

Ended run_with(const Workspace& workspace, const Arguments& fixtures, const std::string& device = "toy:0") {
  return workspace.run(with_plugins({"run", "--device", device, "--only", "fixture.*"}, fixtures));
}

Json topology(const Workspace& workspace) { return shown_topology(workspace, "topology.toml"); }

/// Runs the offender beside the probes that behave. Everything that these found out must be as without it.
void check_survival(const std::string& fixture, const std::string& fact, const std::string& status,
                    const std::string& reason) {
  const Workspace undisturbed;
  (void)run_with(undisturbed, {"toy"});
  const Workspace disturbed;
  const Ended run = run_with(disturbed, {"toy", fixture});
  CHECK(run.exit_code == 1);
  CHECK(disturbed.run({"validate", "topology.toml"}).exit_code == 0);
  const Json found = topology(disturbed);
  CHECK(facts(found).dump() == facts(topology(undisturbed)).dump());
  const Json& outcome = found.at("outcomes").at(fact);
  CHECK(outcome.at("status") == status);
  CHECK_THAT(outcome.at("reason").get<std::string>(), ContainsSubstring(reason));
}

#ifdef __SANITIZE_ADDRESS__
// The sanitizer reports a fault and ends the process itself.
constexpr const char* killed_by_fault = "its process";
#else
constexpr const char* killed_by_fault = "SIGSEGV";
#endif

}  // namespace

TEST_CASE("a probe that crashes leaves all others as they are") {
  check_survival("crashing", "fixture.crashed", "crashed", killed_by_fault);
}

TEST_CASE("a probe that aborts leaves all others as they are") {
  check_survival("aborting", "fixture.aborted", "crashed", "SIGABRT");
}

TEST_CASE("a probe that hangs is ended when its time budget is over") {
  check_survival("hanging", "fixture.hung", "timed-out", "did not end within 1 s");
}

TEST_CASE("a probe that throws fails with its reason") {
  check_survival("throwing", "fixture.thrown", "failed", "the probe found a contradiction");
}

TEST_CASE("a probe that ends its process is no success") {
  check_survival("exiting", "fixture.exited", "crashed", "ended with exit code 0");
}

TEST_CASE("a probe that takes all memory leaves all others as they are") {
  check_survival("memory-hog", "fixture.eaten", "crashed", "its process");
}

TEST_CASE("after a sticky fault of the device a new process goes on with the rest") {
  const Workspace workspace;
  const Ended run = run_with(workspace, {"toy", "faulty-device"}, "sticky:" + workspace.path("mark").string());
  CHECK(run.exit_code == 1);
  const Json found = topology(workspace);
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
  const Json found = topology(workspace);
  CHECK(fact(found, "fixture.alpha").at("value") == 9);
  CHECK(found.at("outcomes").at("fixture.beta").at("status") == "failed");
  CHECK(found.at("outcomes").at("fixture.gamma").at("status") == "failed");
  CHECK_THAT(found.at("outcomes").at("fixture.gamma").at("reason").get<std::string>(),
             ContainsSubstring("no such device"));
}

TEST_CASE("a fact that breaks the rules is dropped and the reason logged") {
  const Workspace workspace;
  const Ended run = run_with(workspace, {"toy", "lying"});
  CHECK(run.exit_code == 1);
  const Json found = topology(workspace);
  CHECK(fact(found, "fixture.true").at("value") == 5);
  for (const char* lie :
       {"undeclared", "mistyped", "wrong_unit", "overconfident", "no_evidence", "not_finite", "no_json"}) {
    const std::string key = std::string("fixture.") + lie;
    CHECK(fact(found, key).is_null());
    CHECK_THAT(run.err, ContainsSubstring("fact " + key + " is refused"));
  }
  CHECK_THAT(run.err, ContainsSubstring("fact fixture.true is refused: it was published before"));
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
