#include <signal.h>

#include <array>
#include <filesystem>
#include <map>
#include <regex>
#include <string>

#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;

/// Each offender runs beside plugins that behave. Whatever it does, everything that these found out must be byte for
/// byte what it is without the offender.
namespace {

namespace fs = std::filesystem;

Arguments fixture_run(const std::string& device) {
  return with_plugins({"run", "--device", device, "--only", "fixture.*"}, {"toy", "faulty-device"});
}

/// Takes away the facts that a plugin's probes published, and tables that held nothing else.
void drop_facts(Json& table, const std::string& plugin) {
  for (auto entry = table.begin(); entry != table.end();) {
    const bool is_table = entry->is_object() && !entry->contains("value");
    if (is_table) drop_facts(*entry, plugin);
    const bool is_its_fact = entry->is_object() && entry->value("probe", "").starts_with(plugin + "/");
    entry = is_its_fact || (is_table && entry->empty()) ? table.erase(entry) : std::next(entry);
  }
}

/// A topology without what differs between any two runs, and without all that belongs to a plugin.
std::string rest(const Json& topology, const std::string& plugin) {
  Json left = topology;
  left.erase("provenance");
  const auto is_offending = [&](const Json& probe) { return probe.get<std::string>().starts_with(plugin + "/"); };
  Json probes = Json::object();
  for (auto& [id, probe] : left.at("probes").items()) {
    for (const char* time : {"seconds", "executing_seconds", "plugin_seconds"}) probe.erase(time);
    if (!is_offending(id)) probes[id] = probe;
  }
  Json outcomes = Json::object();
  for (const auto& [key, outcome] : left.at("outcomes").items()) {
    if (!is_offending(outcome.at("probe"))) outcomes[key] = outcome;
  }
  left.erase("probes");
  left.erase("outcomes");
  drop_facts(left, plugin);
  left["probes"] = probes;
  left["outcomes"] = outcomes;
  return left.dump(1);
}

std::string evidence_of(const Workspace& workspace, const std::string& probe) {
  return Json::parse(workspace.text("topology.evidence.json")).at("evidence").at(probe).dump();
}

/// What a run with an offender left.
struct Aftermath {
  Ended run;
  Json topology;
};

constexpr std::array<const char*, 3> toy_probes{"toy/alpha", "toy/beta", "toy/gamma"};

/// What a run without an offender leaves.
struct Undisturbed {
  explicit Undisturbed(const std::string& device) {
    const Workspace workspace;
    (void)workspace.run(fixture_run(device));
    topology = shown_topology(workspace, "topology.toml");
    for (const char* probe : toy_probes) evidence[probe] = evidence_of(workspace, probe);
  }

  Json topology;
  std::map<std::string, std::string> evidence;
};

/// Run once for all test cases of a process.
const Undisturbed& undisturbed_run(const std::string& device) {
  static std::map<std::string, Undisturbed> runs;
  return runs.try_emplace(device, device).first->second;
}

/// Runs with the options that bring the offender in, and without.
Aftermath run_beside(const Arguments& offence, const std::string& plugin, const std::string& device = "toy:0") {
  const Undisturbed& undisturbed = undisturbed_run(device);
  const Workspace disturbed;
  Arguments arguments = fixture_run(device);
  arguments.insert(arguments.end(), offence.begin(), offence.end());
  Aftermath after{disturbed.run(arguments), {}};
  INFO(after.run.err);
  REQUIRE(disturbed.run({"validate", "topology.toml"}).exit_code == 0);
  after.topology = shown_topology(disturbed, "topology.toml");
  CHECK(rest(after.topology, plugin) == rest(undisturbed.topology, plugin));
  for (const char* probe : toy_probes) CHECK(evidence_of(disturbed, probe) == undisturbed.evidence.at(probe));
  return after;
}

Arguments fixture(const std::string& name) { return with_plugins({}, {name}); }

/// One of the libraries that no host can use, made for the tests of loading.
Arguments library(const std::string& name) { return {"--plugin-dir", MISBEHAVING_DIR "/" + name}; }

/// The offender is refused before anything runs.
void check_offender_refused(const Arguments& offence, const std::string& reason) {
  const Aftermath after = run_beside(offence, "no plugin");
  CHECK_THAT(after.run.err, ContainsSubstring("plugin refused") && ContainsSubstring(reason));
}

/// The probe of the fixture `misbehaving` with this name.
Aftermath misbehave(const std::string& name, const std::string& device = "toy:0") {
  Arguments offence = fixture("misbehaving");
  // The offender comes before others on purpose: they run in the process that it leaves.
  offence.insert(offence.end(), {"--only", "misbehaving/" + name});
  return run_beside(offence, "misbehaving", device);
}

void check_outcome(const Aftermath& after, const std::string& key, const std::string& status,
                   const std::string& reason) {
  INFO(after.run.err);
  const Json& outcome = after.topology.at("outcomes").at(key);
  CHECK(outcome.at("status") == status);
  CHECK_THAT(outcome.at("reason").get<std::string>(), ContainsSubstring(reason));
}

/// The process that the offender says it has started is gone.
void check_ended(const std::string& log) {
  std::smatch number;
  REQUIRE(std::regex_search(log, number, std::regex("process ([0-9]+) runs")));
  CHECK(::kill(std::stoi(number[1]), 0) != 0);
}

/// The offender got its fact, and its process ended with it.
void check_replaced(const Aftermath& after, const std::string& key, const std::string& breach) {
  CHECK(fact(after.topology, key).at("value") == 25);
  CHECK_THAT(after.run.err, ContainsSubstring(breach) && ContainsSubstring("gets a new process"));
}

#ifdef TOMOGRAPH_SANITIZES_ADDRESSES
// The sanitizer reports a fault and ends the process itself.
constexpr const char* killed_by_fault = "its process";
#else
constexpr const char* killed_by_fault = "SIGSEGV";
#endif

}  // namespace

TEST_CASE("zoo: a library without the entry symbol") {
  check_offender_refused(fixture("no-entry"), "does not export the symbol tomograph_plugin_entry");
}

TEST_CASE("zoo: a wrong magic number") { check_offender_refused(library("magic"), "magic number"); }

TEST_CASE("zoo: a newer ABI major is refused with both versions and the cure") {
  check_offender_refused(
      fixture("other-major"),
      "it was built for plugin ABI 2.0, this program has 1.3; install a Tomograph that has 2.0, or build the "
      "plugin with the SDK of this one");
}

TEST_CASE("zoo: a newer ABI minor is refused with both versions and the cure") {
  check_offender_refused(
      fixture("newer-minor"),
      "it was built for plugin ABI 1.4, this program has 1.3; install a Tomograph that has 1.4, or build the "
      "plugin with the SDK of this one");
}

TEST_CASE("zoo: a truncated descriptor") { check_offender_refused(library("truncated"), "bytes and has 16"); }

TEST_CASE("zoo: sizes that lie") {
  check_offender_refused(library("lying-entry"), "its entry claims");
  check_offender_refused(library("short-probe"), "has struct_size 8");
  check_offender_refused(library("huge-probe"), "has struct_size 1000000");
  check_offender_refused(library("count"), "4000000000 elements");
}

TEST_CASE("zoo: null and non-UTF-8 names") {
  check_offender_refused(library("null"), "question: is null");
  check_offender_refused(library("utf8"), "is not UTF-8");
}

TEST_CASE("zoo: identifiers that are taken, twice there or reserved") {
  check_offender_refused(fixture("impostor"), "the plugin id toy is also in");
  check_offender_refused(fixture("duplicate-probe"), "probe duplicate-probe/twin: is there a second time");
  check_offender_refused(library("reserved-key"), "is a name that the topology file uses itself");
  check_offender_refused(library("prefix"), R"("other/probe", expected "fine/<name>")");
}

TEST_CASE("zoo: a unit that does not exist") {
  check_offender_refused(library("unit"), R"("KB", expected one of "B")");
}

TEST_CASE("zoo: a library that crashes on loading") { check_offender_refused(library("crash"), "loading it crashed"); }

TEST_CASE("zoo: a cycle of needs fails alone, named before anything runs") {
  const Aftermath after = run_beside(fixture("cycle"), "cycle");
  CHECK(after.run.exit_code == 1);
  const std::string ring = "cycle/egg needs fixture.hen from cycle/hen, which needs fixture.egg from cycle/egg";
  check_outcome(after, "fixture.hen", "failed", ring);
  check_outcome(after, "fixture.egg", "failed", ring);
  CHECK(after.run.err.find(ring) < after.run.err.find("toy/alpha"));
}

TEST_CASE("zoo: a fact that nobody provides blocks who needs it alone, with the nearest name") {
  const Aftermath after = run_beside(fixture("missing-fact"), "missing-fact");
  CHECK(after.run.exit_code == 1);
  check_outcome(after, "fixture.needy", "blocked",
                "needs fact fixture.alhpa, which no probe provides; did you mean 'fixture.alpha'?");
}

TEST_CASE("zoo: an exception through the boundary") {
  Arguments offence = fixture("escaping");
  offence.insert(offence.end(), {"--only", "zoo.*"});
  check_outcome(run_beside(offence, "escaping"), "zoo.escaped", "failed", "let an exception cross the plugin boundary");
}

TEST_CASE("zoo: an exception out of a device is the device's fault, and the next probe is asked") {
  const Workspace workspace;
  const Ended run =
      workspace.run(with_plugins({"run", "--device", "escaping:0", "--only", "fixture.*"}, {"toy", "escaping"}));
  CHECK(run.exit_code == 1);
  const Json outcomes = shown_topology(workspace).at("outcomes");
  for (const char* key : {"fixture.alpha", "fixture.gamma"}) {
    CHECK(outcomes.at(key).at("status") == "failed");
    CHECK_THAT(outcomes.at(key).at("reason").get<std::string>(),
               ContainsSubstring("the device let an exception escape"));
  }
}

TEST_CASE("zoo: an exception within the boundary fails with its reason") {
  const Aftermath after = run_beside(fixture("throwing"), "throwing");
  CHECK(after.run.exit_code == 1);
  check_outcome(after, "fixture.thrown", "failed", "the probe found a contradiction");
}

TEST_CASE("zoo: a segmentation fault") {
  check_outcome(run_beside(fixture("crashing"), "crashing"), "fixture.crashed", "crashed", killed_by_fault);
}

TEST_CASE("zoo: an abort") {
  check_outcome(run_beside(fixture("aborting"), "aborting"), "fixture.aborted", "crashed", "SIGABRT");
}

TEST_CASE("zoo: a probe that exits the process is no success") {
  const Aftermath after = run_beside(fixture("exiting"), "exiting");
  CHECK(after.run.exit_code == 1);
  check_outcome(after, "fixture.exited", "crashed", "ended with exit code 0");
}

TEST_CASE("zoo: a stack overflow") { check_outcome(misbehave("overflow"), "zoo.overflow", "crashed", killed_by_fault); }

TEST_CASE("zoo: an endless loop") {
  check_outcome(misbehave("loop"), "zoo.loop", "timed-out", "did not end within 1 s");
}

TEST_CASE("zoo: a probe that sleeps past its time budget") {
  check_outcome(run_beside(fixture("hanging"), "hanging"), "fixture.hung", "timed-out", "did not end within 1 s");
}

TEST_CASE("zoo: a kernel that hangs takes the process with it, the device is opened again") {
  check_outcome(misbehave("kernel", "stuck:0"), "zoo.kernel", "timed-out", "did not end within 1 s");
}

TEST_CASE("zoo: undeclared and mistyped facts, wrong units and values that are no numbers are refused one by one") {
  const Aftermath after = run_beside(fixture("lying"), "lying");
  CHECK(after.run.exit_code == 0);
  CHECK(fact(after.topology, "fixture.true").at("value") == 5);
  CHECK(fact(after.topology, "fixture.true").at("value").is_number_integer());
  // An estimate does not pretend to be exact, though its plugin declares an integer.
  CHECK(fact(after.topology, "fixture.capacity").at("value").is_number_float());
  for (const char* lie :
       {"undeclared", "mistyped", "wrong_unit", "overconfident", "no_evidence", "not_finite", "no_json", "twice"}) {
    const std::string key = std::string("fixture.") + lie;
    CHECK(fact(after.topology, key).is_null());
    CHECK_THAT(after.run.err, ContainsSubstring("fact " + key + " is refused"));
  }
  check_outcome(after, "fixture.twice", "inconclusive", "it was refused: it was published before");
  check_outcome(after, "fixture.wrong_unit", "inconclusive", "it was refused: its unit \"B\" is not the declared");
}

TEST_CASE("zoo: absurd values are refused one by one") {
  const Aftermath after = misbehave("absurd");
  CHECK(after.topology.find("zoo") == after.topology.end());
  for (const char* reason : {"fact zoo.negative is refused: its value -1 B is negative",
                             "fact zoo.endless is refused: its value has more than",
                             "fact zoo.deep is refused: its value is nested too deep",
                             "fact zoo.outside is refused: its interval does not cover its value"}) {
    CHECK_THAT(after.run.err, ContainsSubstring(reason));
  }
}

TEST_CASE("zoo: what is written past the log goes there, under the plugin's name, and never to standard output") {
  const Aftermath after = misbehave("print");
  CHECK(fact(after.topology, "zoo.print").at("value") == 25);
  CHECK_THAT(after.run.err, ContainsSubstring("[misbehaving] wrote past the log: {\"schema_version\": 666}") &&
                                ContainsSubstring("[misbehaving] wrote past the log: and on standard error"));
  CHECK(after.run.out.find("666") == std::string::npos);
}

TEST_CASE("zoo: a flood of log lines is cut off and counted") {
  for (const char* flood : {"flood", "gush"}) {
    const Aftermath after = misbehave(flood);
    CHECK(fact(after.topology, std::string("zoo.") + flood).at("value") == 25);
    CHECK(after.run.err.size() < 40000);
    CHECK_THAT(after.run.err, ContainsSubstring("[misbehaving] 999800 more lines are left out"));
  }
}

TEST_CASE("zoo: who changes the locale of its process loses it") {
  check_replaced(misbehave("locale"), "zoo.locale", "changed the locale from C to ");
}

TEST_CASE("zoo: of a process that forks only the parent is listened to") {
  check_replaced(misbehave("fork"), "zoo.fork", "left a child process behind");
}

TEST_CASE("zoo: children that linger end with the process that forked them") {
  const Aftermath replaced = misbehave("linger");
  check_replaced(replaced, "zoo.linger", "left a child process behind");
  check_ended(replaced.run.err);
}

TEST_CASE("zoo: a daemon that left its session ends with its process, also where that crashes") {
  const Aftermath replaced = misbehave("daemon");
  check_replaced(replaced, "zoo.daemon", "left a child process behind");
  check_ended(replaced.run.err);
  const Aftermath crashed = misbehave("daemon_abort");
  check_outcome(crashed, "zoo.daemon_abort", "crashed", "SIGABRT");
  check_ended(crashed.run.err);
}

TEST_CASE("zoo: who closes all descriptors is lost, nobody else") {
  check_outcome(misbehave("close"), "zoo.close", "crashed", "its process");
}

TEST_CASE("zoo: who puts something else behind standard output loses its process") {
  check_replaced(misbehave("replace"), "zoo.replace", "put something else behind descriptor 1");
}

TEST_CASE("zoo: a gigabyte that is never given back goes with its process") {
  // A sanitizer adds memory of its own: 1.0 GiB or somewhat more.
  check_replaced(misbehave("leak"), "zoo.leak", "GiB of memory behind");
}

TEST_CASE("zoo: all memory that there is") {
  check_outcome(run_beside(fixture("memory-hog"), "memory-hog"), "fixture.eaten", "crashed", "its process");
}

TEST_CASE("zoo: an alarm that is left behind rings for nobody") {
  check_replaced(misbehave("alarm"), "zoo.alarm", "left an alarm behind");
}

TEST_CASE("zoo: limits, signals and the working folder that somebody changed are nobody else's") {
  check_replaced(misbehave("limits"), "zoo.limits", "changed a resource limit");
}

TEST_CASE("a plugin built against the first frozen header loads, runs and publishes") {
  const Workspace workspace;
  const Ended run = workspace.run(
      with_plugins({"run", "--device", "toy:0", "--only", "first.*", "--evidence", "e.json"}, {"toy", "abi-1.0"}));
  INFO(run.err);
  CHECK(run.exit_code == 0);
  const Json found = shown_topology(workspace, "topology.toml");
  CHECK(fact(found, "first.square").at("value") == 144);
  CHECK(fact(found, "first.double").at("value") == 288);
}
