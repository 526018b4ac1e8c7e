#include "running/run.hpp"

#include <sched.h>

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "configuration/configuration.hpp"
#include "loading/catalogue.hpp"
#include "planning/plan.hpp"
#include "temporary_folder.hpp"
#include "wait_until.hpp"

using namespace tomograph::host;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Runs probes of the toy plugin, in real worker processes.
class ToyRun {
 public:
  explicit ToyRun(std::vector<std::string> only, std::string target = "good") : target_(std::move(target)) {
    const PluginFolder folder{TOY_PLUGIN_DIR};
    catalogue_ = catalogue(plugin_files(std::span(&folder, 1)), {TOMOGRAPH_BINARY, std::nullopt, patience});
    REQUIRE(catalogue_.plugins.size() == 1);
    plan_ = make_plan(catalogue_.plugins, {std::move(only), {}, {}, {}, {}});
  }

  const Topology& run() {
    WorkerEvents worker_events;
    worker_events.log = [this](const LogLine& line) { log += line.plugin + ": " + line.text + "\n"; };
    worker_events.experiments = [this](const Exchanges& exchanges) {
      exchanges.for_each(
          [this](const auto& experiment, const auto& answer) { recorded.emplace_back(experiment, answer); });
    };
    worker_events.conditions = [this](const ConditionSample& sample) { samples.push_back(sample); };
    Workers workers(TOMOGRAPH_BINARY, worker_events);
    const PluginDescription& plugin = catalogue_.plugins.front();
    const ChosenDevice device{&plugin, &plugin.devices.front(), target_, Json{{"factor", 2}}};
    for (const auto& [key, record] : workers.open(device)) topology.facts.emplace(key, record);
    RunEvents events;
    events.parameters = [](const ProbeDescription& probe) {
      return Json(effective_parameters(probe.parameters, nullptr));
    };
    run_plan(plan_, 3, workers, events, topology, evidence);
    workers.dismiss();
    return topology;
  }

  Topology topology;
  Evidence evidence;
  std::string log;
  std::vector<ConditionSample> samples;
  std::vector<std::pair<tomograph::Experiment, tomograph::Answer>> recorded;

 private:
  std::string target_;
  Catalogue catalogue_;
  Plan plan_;
};

/// Runs a probe each of two plugins that wait for each other.
Topology run_pair(std::vector<std::string> only) {
  const PluginFolder folder{PAIR_PLUGIN_DIR};
  const TemporaryFolder meeting_place;
  const Catalogue catalogue =
      tomograph::host::catalogue(plugin_files(std::span(&folder, 1)), {TOMOGRAPH_BINARY, std::nullopt, patience});
  REQUIRE(catalogue.plugins.size() == 2);
  const Plan plan = make_plan(catalogue.plugins, {std::move(only), {}, {}, {}, {}});
  Workers workers(TOMOGRAPH_BINARY, {});
  RunEvents events;
  events.parameters = [&](const ProbeDescription&) { return Json{{"folder", meeting_place.path().string()}}; };
  Topology topology;
  Evidence evidence;
  run_plan(plan, 2, workers, events, topology, evidence);
  workers.dismiss();
  return topology;
}

/// While it lives, this thread and what it starts share one processor with threads that always want it.
class CrowdedProcessor {
 public:
  explicit CrowdedProcessor(int others) {
    ::sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    ::sched_setaffinity(0, sizeof one, &one);
    for (int i = 0; i < others; ++i) {
      others_.emplace_back([](const std::stop_token& end) {
        while (!end.stop_requested()) continue;
      });
    }
  }
  ~CrowdedProcessor() { ::sched_setaffinity(0, sizeof before_, &before_); }
  CrowdedProcessor(const CrowdedProcessor&) = delete;
  CrowdedProcessor& operator=(const CrowdedProcessor&) = delete;

 private:
  cpu_set_t before_{};
  std::vector<std::jthread> others_;
};

Outcome outcome_of(const std::string& probe, const std::string& key) {
  ToyRun toy({probe, "toy/mourner"});
  const Topology& topology = toy.run();
  CHECK(topology.outcomes.at("toy.mourner").status == OutcomeStatus::measured);
  CHECK_FALSE(topology.facts.contains(key));
  CHECK(topology.probes.at(probe).status == topology.outcomes.at(key).status);
  return topology.outcomes.at(key);
}

}  // namespace

TEST_CASE("a probe measures on the device and its fact, curve and experiment reach the host") {
  ToyRun toy({"toy.product"});
  const Topology& topology = toy.run();
  const FactRecord& fact = topology.facts.at("toy.product");
  CHECK(fact.value == 42);
  CHECK(fact.unit == "B");
  CHECK(fact.source == "measured");
  CHECK(fact.scope == "device");
  CHECK(fact.probe == "toy/product");
  CHECK(topology.facts.at("device.name").source == "api");
  CHECK(topology.facts.at("device.name").probe == "toy");
  CHECK(toy.evidence.at("toy/product").at("toy.product").front().name == "number");
  CHECK(topology.probes.at("toy/product").experiments == 1);
  REQUIRE(toy.recorded.size() == 1);
  CHECK(toy.recorded.front().first.id == "toy.multiply/1");
  CHECK(toy.recorded.front().second.arrays.front().numbers<std::int64_t>().front() == 42);
}

TEST_CASE("the time of a probe is told in parts: what the device and the plugin's own code took of it") {
  ToyRun toy({"toy.product"});
  const ProbeRun& run = toy.run().probes.at("toy/product");
  CHECK(run.executing_seconds > 0);
  CHECK(run.plugin_seconds > 0);
  CHECK(run.executing_seconds + run.plugin_seconds <= run.seconds);
}

TEST_CASE("all probes share one process and one opened device, until one of them breaks the process") {
  const auto openings = [](std::vector<std::string> probes) {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.write("toy", "");
    ToyRun toy(std::move(probes), file.string());
    CHECK(toy.run().facts.contains("toy.product"));
    return content_of(file);
  };
  CHECK(openings({"toy/product", "toy/dependant", "toy/chatty"}) == "opened\n");
  CHECK(openings({"toy/crash", "toy/product", "toy/dependant"}) == "opened\nopened\n");
}

TEST_CASE("probes of two plugins run at the same time") {
  const Topology topology = run_pair({"left/meet", "right/meet"});
  CHECK(topology.facts.at("left.met").value == 1);
  CHECK(topology.facts.at("right.met").value == 1);
}

TEST_CASE("what a probe waits for one that began before it does not count towards its time") {
  CHECK(run_pair({"left/linger", "right/linger"}).facts.at("right.waits").value == 1);
}

TEST_CASE("a probe that aborts costs the one that runs beside it only a repetition") {
  const Topology topology = run_pair({"left/fall", "right/fall"});
  CHECK(topology.facts.at("right.stands").value == 1);
  CHECK(topology.outcomes.at("left.stands").status == OutcomeStatus::crashed);
  CHECK_THAT(topology.outcomes.at("left.stands").reason, ContainsSubstring("SIGABRT"));
}

TEST_CASE("beside another program, what can be had is measured again and the rest is inconclusive for that reason") {
  ToyRun toy({"toy/crowded"}, "crowded");
  const Topology& topology = toy.run();
  CHECK(topology.facts.at("toy.possible").value == 42);
  CHECK(topology.outcomes.at("toy.impossible").status == OutcomeStatus::inconclusive);
  CHECK_THAT(topology.outcomes.at("toy.impossible").reason, ContainsSubstring("another program used the device"));
  CHECK(topology.probes.at("toy/crowded").disturbances.repeated == 2);
  CHECK(topology.probes.at("toy/crowded").disturbances.given_up == 1);
  // Each experiment is recorded once, with the answer that the probe got.
  REQUIRE(toy.recorded.size() == 2);
  CHECK(toy.recorded.front().second.status == TOMOGRAPH_OK);
  CHECK(toy.recorded.back().second.status == TOMOGRAPH_DISTURBED);
}

TEST_CASE("while a probe runs, the conditions of its device are read, and a device that tells none makes no fuss") {
  ToyRun told({"toy/patient"}, "told");
  const auto begin = std::chrono::steady_clock::now().time_since_epoch();
  CHECK(told.run().facts.contains("toy.patient"));
  REQUIRE(told.samples.size() >= 2);
  CHECK(told.samples.front().reading.sm_clock == 1e9);
  // Ten times a second. The first reading may be late, and be followed sooner by the next.
  CHECK(told.samples[1].time >= std::chrono::duration<double>(begin).count() + 0.1);
  ToyRun silent({"toy/product"});
  CHECK(silent.run().facts.contains("toy.product"));
  CHECK(silent.samples.empty());
  CHECK(silent.log.empty());
}

TEST_CASE("a device that crashes while its conditions are read is not read any more, and no probe is lost") {
  ToyRun toy({"toy/patient", "toy/product"}, "crashing");
  const Topology& topology = toy.run();
  CHECK(topology.outcomes.at("toy.patient").status == OutcomeStatus::measured);
  CHECK(topology.outcomes.at("toy.product").status == OutcomeStatus::measured);
  CHECK(toy.samples.empty());
  CHECK_THAT(toy.log, ContainsSubstring("while the conditions of the device were read; they are not read any more"));
}

TEST_CASE("a device whose conditions are read for ever ends with the run") {
  const auto begun = std::chrono::steady_clock::now();
  ToyRun toy({"toy/patient"}, "hanging");
  CHECK(toy.run().facts.contains("toy.patient"));
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(20));  // after which the host would kill it
  CHECK(toy.samples.empty());
}

TEST_CASE("a probe learns the facts that it needs and no others") {
  ToyRun toy({"toy/dependant", "toy/chatty"});
  CHECK(toy.run().facts.at("toy.dependant").value == 43);
}

TEST_CASE("what a plugin prints does not disturb its conversation with the host, and its log lines bear its id") {
  ToyRun toy({"toy/chatty"});
  CHECK(toy.run().facts.contains("toy.chatty"));
  CHECK_THAT(toy.log, ContainsSubstring("toy: chatty says hello\n") &&
                          ContainsSubstring("toy: wrote past the log: this goes to the standard output\n") &&
                          ContainsSubstring("toy: wrote past the log: as does this\n"));
}

TEST_CASE("a probe that crashes is reported with its signal, publishes nothing, and blocks only who needs it") {
  ToyRun toy({"toy/crash", "toy/crash-dependant", "toy/product"});
  const Topology& topology = toy.run();
  CHECK(topology.outcomes.at("toy.crash").status == OutcomeStatus::crashed);
  CHECK_FALSE(topology.facts.contains("toy.crash"));
  CHECK_FALSE(toy.evidence.contains("toy/crash"));
  CHECK(topology.outcomes.at("toy.crash_dependant").status == OutcomeStatus::blocked);
  CHECK_THAT(topology.outcomes.at("toy.crash_dependant").reason,
             ContainsSubstring("needs toy.crash, which is crashed"));
  CHECK(topology.outcomes.at("toy.product").status == OutcomeStatus::measured);
}

TEST_CASE("no probe builds upon a fact that is more likely wrong than right") {
  ToyRun toy({"toy/unlikely", "toy/unlikely-dependant", "toy/unlikely-asking"});
  const Topology& topology = toy.run();
  CHECK(topology.facts.contains("toy.unlikely"));
  CHECK(topology.outcomes.at("toy.unlikely_dependant").status == OutcomeStatus::blocked);
  CHECK(topology.outcomes.at("toy.unlikely_dependant").reason ==
        "needs toy.unlikely, whose value is more likely wrong than right");
  CHECK(topology.facts.at("toy.unlikely_asked").value == 7);
}

TEST_CASE("abort, exit, the out-of-memory killer and nonsense sent to the host each end one probe only") {
  CHECK_THAT(outcome_of("toy/abort", "toy.abort").reason, ContainsSubstring("SIGABRT"));
  CHECK_THAT(outcome_of("toy/exit", "toy.exit").reason, ContainsSubstring("exit code 0"));
  CHECK_THAT(outcome_of("toy/out-of-memory", "toy.out_of_memory").reason, ContainsSubstring("out of memory"));
  CHECK_THAT(outcome_of("toy/garbage", "toy.garbage").reason, ContainsSubstring("no message"));
  CHECK_THAT(outcome_of("toy/oversized", "toy.oversized").reason, ContainsSubstring("4294967295 bytes"));
  CHECK(outcome_of("toy/oversized", "toy.oversized").status == OutcomeStatus::crashed);
}

TEST_CASE("a probe that hangs is ended when its time budget is over") {
  const Outcome outcome = outcome_of("toy/hang", "toy.hang");
  CHECK(outcome.status == OutcomeStatus::timed_out);
  CHECK_THAT(outcome.reason, ContainsSubstring("0.3 s"));
}

TEST_CASE("time in which a probe waits for a processor is no part of its time budget") {
  if (!std::filesystem::exists("/proc/thread-self/schedstat")) skip_here("the kernel does not count that time");
  const CrowdedProcessor crowded(4);
  ToyRun toy({"toy/busy"});
  CHECK(toy.run().facts.contains("toy.busy"));
}

TEST_CASE("failing, skipping and finding the device unable are three outcomes with their reasons") {
  const Outcome failed = outcome_of("toy/failing", "toy.failing");
  CHECK(failed.status == OutcomeStatus::failed);
  CHECK(failed.reason == "the sky fell");
  const Outcome skipped = outcome_of("toy/skipping", "toy.skipping");
  CHECK(skipped.status == OutcomeStatus::skipped);
  CHECK(skipped.category == SkipCategory::permission);
  CHECK(skipped.reason == "toys are locked away");
  const Outcome unsupported = outcome_of("toy/unsupported", "toy.unsupported");
  CHECK(unsupported.status == OutcomeStatus::skipped);
  CHECK(unsupported.category == SkipCategory::device);
  CHECK_THAT(unsupported.reason, ContainsSubstring("a toy can only multiply"));
}

TEST_CASE("a question about something that the device does not have is skipped with the same reason") {
  ToyRun toy({"toy/absent", "toy/absent-dependant"});
  const Outcome& outcome = toy.run().outcomes.at("toy.absent_dependant");
  CHECK(outcome.status == OutcomeStatus::skipped);
  CHECK(outcome.category == SkipCategory::device);
  CHECK(outcome.reason == "toys have no such thing");
}

TEST_CASE("a declared fact without a word about it is inconclusive") {
  const Outcome unsure = outcome_of("toy/unsure", "toy.unsure");
  CHECK(unsure.status == OutcomeStatus::inconclusive);
  CHECK(unsure.reason == "too noisy");
  CHECK_THAT(outcome_of("toy/unsure", "toy.forgotten").reason, ContainsSubstring("without saying why"));
}

TEST_CASE("a fact that does not exist on the device is skipped with the reason") {
  const Outcome absent = outcome_of("toy/absent", "toy.absent");
  CHECK(absent.status == OutcomeStatus::skipped);
  CHECK(absent.category == SkipCategory::device);
  CHECK(absent.reason == "toys have no such thing");
}

TEST_CASE("facts that break a rule are refused one by one") {
  ToyRun toy({"toy/rule-breaker"});
  const Topology& topology = toy.run();
  CHECK(topology.facts.at("toy.accepted").value == 0);
  CHECK(topology.facts.at("toy.other").value == 1);
  CHECK(topology.outcomes.at("toy.no_curve").status == OutcomeStatus::inconclusive);
  CHECK_THAT(toy.log, ContainsSubstring("fact toy.undeclared is refused: toy/rule-breaker does not declare it"));
}

TEST_CASE("a fact that was published twice is inconclusive, since nobody knows which value is right") {
  ToyRun toy({"toy/twice"});
  const Topology& topology = toy.run();
  CHECK_FALSE(topology.facts.contains("toy.twice"));
  CHECK(topology.outcomes.at("toy.twice").status == OutcomeStatus::inconclusive);
  CHECK_THAT(toy.log, ContainsSubstring("fact toy.twice is refused: it was published before"));
}

TEST_CASE("a probe that fails keeps its evidence, and none of its facts") {
  ToyRun toy({"toy/stumbling"});
  const Topology& topology = toy.run();
  CHECK(topology.outcomes.at("toy.stumbling").status == OutcomeStatus::failed);
  CHECK_FALSE(topology.facts.contains("toy.stumbling"));
  CHECK(toy.evidence.at("toy/stumbling").contains("toy.stumbling"));
}

TEST_CASE("why a device could not execute a batch is the reason why its probe failed") {
  const Outcome jammed = outcome_of("toy/jammed", "toy.jammed");
  CHECK(jammed.status == OutcomeStatus::failed);
  CHECK_THAT(jammed.reason, ContainsSubstring("the toy jammed"));
}

TEST_CASE("a lost device is opened again in a new process") {
  const Outcome lost = outcome_of("toy/lost", "toy.lost");
  CHECK(lost.status == OutcomeStatus::failed);
  CHECK_THAT(lost.reason, ContainsSubstring("the toy broke"));
}

TEST_CASE("a device that disappears fails what still needs it, and the run goes on to its end") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "toy";
  std::ofstream(file).flush();
  ToyRun toy({"toy/chatty", "toy/lost", "toy/mourner"}, file.string());
  const Topology& topology = toy.run();
  CHECK(topology.facts.contains("toy.chatty"));
  CHECK(topology.outcomes.at("toy.lost").status == OutcomeStatus::failed);
  CHECK(topology.outcomes.at("toy.mourner").status == OutcomeStatus::failed);
  CHECK_THAT(topology.outcomes.at("toy.mourner").reason,
             ContainsSubstring("cannot be opened again: there is no such toy"));
}

TEST_CASE("a model runs without a device") {
  ToyRun toy({"toy/model"});
  CHECK(toy.run().facts.at("toy.model").value == 142);
}
