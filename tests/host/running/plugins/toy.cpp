// A device and probes that do, one each, what a host must survive.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <thread>

#include "tomograph/conditions.hpp"
#include "tomograph/plugin.hpp"

namespace {

using namespace std::chrono_literals;
using namespace tomograph;

/// How often the conditions of the toy were read.
std::atomic<int> readings = 0;

/// Of target "told". Those of "crashing" and "hanging" cannot be read.
struct ToyConditions {
  std::string target;

  void read(tomograph_reading& reading) const noexcept {
    if (target == "crashing") std::raise(SIGSEGV);
    while (target == "hanging") std::this_thread::sleep_for(std::chrono::seconds(1));
    reading.sm_clock = 1e9;
    ++readings;
  }
};

/// Doubles the number it is given. Target "good" is always there, a path only as long as the file exists, which gets a
/// line for each time that the device is opened.
struct Toy {
  static constexpr const char* id = "toy";
  static constexpr const char* description = "A device for tests";
  static constexpr const char* target_help = "good, or a file";
  static constexpr bool is_real = false;
  static constexpr std::array parameters{parameter("factor", TOMOGRAPH_INTEGER, "2", 1, 9, "What it multiplies by")};

  static std::vector<Target> enumerate(const Session& /*session*/) { return {{"good", "The good one"}}; }

  Toy(const Session& session, std::string_view target)
      : file_(target), factor_(session.parameter<std::int64_t>("factor")), conditions_{std::string(target)} {
    if (target == "crowded") watch(session.host());
    constexpr std::array tells_conditions{"told", "crashing", "hanging"};
    const bool tells = std::ranges::find(tells_conditions, target) != tells_conditions.end();
    if (tells) offer_conditions(session.host(), conditions_);
    if (!tells && target != "good" && target != "crowded" && !std::filesystem::exists(file_)) {
      throw std::runtime_error("there is no such toy");
    }
    if (std::filesystem::exists(file_)) std::ofstream(file_, std::ios::app) << "opened\n";
    session.publish({.key = "device.name", .value = "Toy", .method = "toy", .confidence = 1, .source = TOMOGRAPH_API},
                    "");
  }

  Toy(const Toy&) = delete;
  Toy& operator=(const Toy&) = delete;
  /// A file called "lingering" closes only when there is a topology beside it, or never will be.
  ~Toy() {
    if (file_.filename() != "lingering") return;
    const std::filesystem::path topology = std::filesystem::path(file_).replace_filename("topology.toml");
    for (int i = 0; i < 300 && !std::filesystem::exists(topology); ++i) std::this_thread::sleep_for(10ms);
    if (std::filesystem::exists(topology)) std::ofstream(file_, std::ios::app) << "closed after the topology\n";
  }

  std::vector<Answer> execute(std::span<const Experiment> batch) {
    std::vector<Answer> answers;
    for (const Experiment& experiment : batch) {
      if (experiment.id == "toy.lose/1") {
        std::filesystem::remove(file_);
        throw DeviceLost("the toy broke");
      }
      if (experiment.id == "toy.jam/1") throw std::runtime_error("the toy jammed");
      if (experiment.id != "toy.multiply/1") {
        answers.push_back({{}, TOMOGRAPH_UNSUPPORTED, "a toy can only multiply"});
        continue;
      }
      see(answers.size(), experiment.parameters.size() > 1);
      const std::int64_t number = numbers<std::int64_t>(experiment.parameters, "number")[0];
      answers.push_back({{{"product", std::vector<std::int64_t>{number * factor_}}}, TOMOGRAPH_OK, {}});
    }
    return answers;
  }

 private:
  /// Target "crowded": another program disturbs every other experiment, and those with two parameters always.
  void watch(const tomograph_host& host) {
    host_ = &host;
    neighbours_ = static_cast<const tomograph_neighbours*>(host.extension(host.context, TOMOGRAPH_NEIGHBOURS_ID));
    if (neighbours_ == nullptr) throw std::runtime_error("the host does not know of neighbours");
    neighbours_->watch(
        host.context, [](void*) { return std::uint32_t{1}; }, this);
  }
  void see(std::size_t position, bool always) {
    if (neighbours_ == nullptr) return;
    const bool disturbed = always || executed_++ % 2 == 0;
    neighbours_->seen(host_->context, position, disturbed ? TOMOGRAPH_TIMES_DISTURBED : TOMOGRAPH_UNDISTURBED);
  }

  std::filesystem::path file_;
  std::int64_t factor_;
  ToyConditions conditions_;
  const tomograph_host* host_ = nullptr;
  const tomograph_neighbours* neighbours_ = nullptr;
  int executed_ = 0;
};

constexpr tomograph_fact_spec integer(const char* key) {
  return fact_spec(key, TOMOGRAPH_INTEGER, "B", TOMOGRAPH_PER_DEVICE, "A number");
}

void publish(const Session& session, const char* key, std::int64_t value, double confidence = 1) {
  session.evidence(key, std::array{NamedArray{"number", std::vector<std::int64_t>{value}}});
  session.publish(
      {.key = key, .value = value, .method = "toy", .confidence = confidence, .samples = 1, .evidence = key});
}

/// What all probes here have in common. The time budget only ends what hangs against all expectation.
struct Quick {
  static constexpr const char* question = "What happens?";
  static constexpr double expected_seconds = 0.01;
  static constexpr double time_budget = 600;
};

struct Product : Quick {
  static constexpr const char* id = "toy/product";
  static constexpr std::array provides{integer("toy.product")};
  static constexpr std::array parameters{parameter("number", TOMOGRAPH_INTEGER, "21", 0, 1000, "To multiply")};
  static void run(const Session& session) {
    const std::array batch{Experiment{
        "toy.multiply/1", {{"number", std::vector<std::int64_t>{session.parameter<std::int64_t>("number")}}}}};
    publish(session, "toy.product", numbers<std::int64_t>(session.execute(batch)[0].arrays, "product")[0]);
  }
};

/// Runs until the conditions of the device were read a few times, but not for ever.
struct Patient : Quick {
  static constexpr const char* id = "toy/patient";
  static constexpr std::array provides{integer("toy.patient")};
  static void run(const Session& session) {
    for (int i = 0; i < 300 && readings < 3; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    publish(session, "toy.patient", 1);
  }
};

/// Publishes a fact before it asks what cannot be measured beside another program.
struct Crowded : Quick {
  static constexpr const char* id = "toy/crowded";
  static constexpr std::array provides{integer("toy.possible"), integer("toy.impossible")};
  static void run(const Session& session) {
    const std::vector<std::int64_t> value{21};
    const ArrayView number("number", value);
    publish(session, "toy.possible",
            numbers<std::int64_t>(session.ask(Experiment{"toy.multiply/1", {number}}), "product")[0]);
    const ArrayView hard("hard", value);
    publish(session, "toy.impossible",
            numbers<std::int64_t>(session.ask(Experiment{"toy.multiply/1", {number, hard}}), "product")[0]);
  }
};

/// Sees the fact it needs and nothing else.
struct Dependant : Quick {
  static constexpr const char* id = "toy/dependant";
  static constexpr std::array provides{integer("toy.dependant")};
  static constexpr std::array needs{need("toy.product"), need("device.name")};
  static void run(const Session& session) {
    if (session.fact_record("toy.chatty")) throw std::logic_error("a fact that was not declared is known");
    publish(session, "toy.dependant", session.needed<std::int64_t>("toy.product") + 1);
  }
};

struct Chatty : Quick {
  static constexpr const char* id = "toy/chatty";
  static constexpr std::array provides{integer("toy.chatty")};
  static void run(const Session& session) {
    std::cout << "this goes to the standard output" << std::endl;
    ::puts("as does this");
    ::fflush(stdout);
    session.log(TOMOGRAPH_WARNING, "chatty says hello");
    publish(session, "toy.chatty", 1);
  }
};

struct Crash : Quick {
  static constexpr const char* id = "toy/crash";
  static constexpr std::array provides{integer("toy.crash")};
  static void run(const Session& session) {
    publish(session, "toy.crash", 1);  // counts for nothing, since the probe does not end well
    std::signal(SIGSEGV, SIG_DFL);
    std::raise(SIGSEGV);
  }
};

struct AfterCrash : Quick {
  static constexpr const char* id = "toy/crash-dependant";
  static constexpr std::array provides{integer("toy.crash_dependant")};
  static constexpr std::array needs{need("toy.crash")};
  static void run(const Session& session) { publish(session, "toy.crash_dependant", 1); }
};

/// A fact that says of itself that it is more likely wrong than right.
struct Unlikely : Quick {
  static constexpr const char* id = "toy/unlikely";
  static constexpr std::array provides{integer("toy.unlikely")};
  static void run(const Session& session) { publish(session, "toy.unlikely", 1, 0.4); }
};

struct AfterUnlikely : Quick {
  static constexpr const char* id = "toy/unlikely-dependant";
  static constexpr std::array provides{integer("toy.unlikely_dependant")};
  static constexpr std::array needs{need("toy.unlikely")};
  static void run(const Session& session) { publish(session, "toy.unlikely_dependant", 1); }
};

struct AskingUnlikely : Quick {
  static constexpr const char* id = "toy/unlikely-asking";
  static constexpr std::array provides{integer("toy.unlikely_asked")};
  static constexpr std::array needs{optional_need("toy.unlikely")};
  static void run(const Session& session) {
    publish(session, "toy.unlikely_asked", session.fact<std::int64_t>("toy.unlikely").value_or(7));
  }
};

struct Abort : Quick {
  static constexpr const char* id = "toy/abort";
  static constexpr std::array provides{integer("toy.abort")};
  static void run(const Session& /*session*/) { std::abort(); }
};

struct Exit : Quick {
  static constexpr const char* id = "toy/exit";
  static constexpr std::array provides{integer("toy.exit")};
  static void run(const Session& /*session*/) { std::_Exit(0); }
};

/// What the kernel does to a process when memory runs out.
struct OutOfMemory : Quick {
  static constexpr const char* id = "toy/out-of-memory";
  static constexpr std::array provides{integer("toy.out_of_memory")};
  static void run(const Session& /*session*/) { ::kill(::getpid(), SIGKILL); }
};

struct Hang : Quick {
  static constexpr const char* id = "toy/hang";
  static constexpr double time_budget = 0.3;
  static constexpr std::array provides{integer("toy.hang")};
  static void run(const Session& /*session*/) { std::this_thread::sleep_for(std::chrono::hours(1)); }
};

/// Computes for a third of its time budget, if it has a processor for itself.
struct Busy : Quick {
  static constexpr const char* id = "toy/busy";
  static constexpr double time_budget = 0.7;
  static constexpr std::array provides{integer("toy.busy")};
  static void run(const Session& session) {
    const std::clock_t enough = std::clock() + CLOCKS_PER_SEC / 4;
    while (std::clock() < enough) continue;
    publish(session, "toy.busy", 1);
  }
};

/// Waits to be interrupted: says that it runs by creating the file named in TOY_STARTED.
struct Slow : Quick {
  static constexpr const char* id = "toy/slow";
  static constexpr std::array provides{integer("toy.slow")};
  static constexpr std::array needs{need("toy.product")};
  static void run(const Session& session) {
    if (const char* started = std::getenv("TOY_STARTED")) {
      std::ofstream(started).flush();
      std::this_thread::sleep_for(std::chrono::hours(1));
    }
    publish(session, "toy.slow", 1);
  }
};

void write_to_all_descriptors(const void* data, std::size_t size) {
  for (int descriptor = 3; descriptor < 16; ++descriptor) {
    if (::write(descriptor, data, size) < 0) continue;
  }
}

struct Garbage : Quick {
  static constexpr const char* id = "toy/garbage";
  static constexpr std::array provides{integer("toy.garbage")};
  static void run(const Session& session) {
    write_to_all_descriptors("not a message at all", 20);
    publish(session, "toy.garbage", 1);
  }
};

/// Announces a message of 4 GiB.
struct Oversized : Quick {
  static constexpr const char* id = "toy/oversized";
  static constexpr std::array provides{integer("toy.oversized")};
  static void run(const Session& /*session*/) { write_to_all_descriptors("TMGF\xff\xff\xff\xff", 8); }
};

struct Lost : Quick {
  static constexpr const char* id = "toy/lost";
  static constexpr std::array provides{integer("toy.lost")};
  static void run(const Session& session) {
    static_cast<void>(session.execute(std::array{Experiment{"toy.lose/1", {}}}));
  }
};

/// Fails after it has handed in a curve.
struct Stumbling : Quick {
  static constexpr const char* id = "toy/stumbling";
  static constexpr std::array provides{integer("toy.stumbling")};
  static void run(const Session& session) {
    publish(session, "toy.stumbling", 1);
    throw std::runtime_error("the toy stumbled");
  }
};

struct Jammed : Quick {
  static constexpr const char* id = "toy/jammed";
  static constexpr std::array provides{integer("toy.jammed")};
  static void run(const Session& session) {
    static_cast<void>(session.execute(std::array{Experiment{"toy.jam/1", {}}}));
  }
};

/// Runs after all that may go wrong but toy/out-of-memory, by its name.
struct Mourner : Quick {
  static constexpr const char* id = "toy/mourner";
  static constexpr std::array provides{integer("toy.mourner")};
  static void run(const Session& session) { publish(session, "toy.mourner", 1); }
};

struct Failing : Quick {
  static constexpr const char* id = "toy/failing";
  static constexpr std::array provides{integer("toy.failing")};
  static void run(const Session& /*session*/) { throw std::runtime_error("the sky fell"); }
};

struct Skipping : Quick {
  static constexpr const char* id = "toy/skipping";
  static constexpr std::array provides{integer("toy.skipping")};
  static void run(const Session& /*session*/) { throw Skip("permission", "toys are locked away"); }
};

struct Unsupported : Quick {
  static constexpr const char* id = "toy/unsupported";
  static constexpr std::array provides{integer("toy.unsupported")};
  static void run(const Session& session) {
    const auto answers = session.execute(std::array{Experiment{"toy.divide/1", {}}});
    throw Refused(answers[0].status, answers[0].reason);
  }
};

struct Unsure : Quick {
  static constexpr const char* id = "toy/unsure";
  static constexpr std::array provides{integer("toy.unsure"), integer("toy.forgotten")};
  static void run(const Session& session) { session.inconclusive("toy.unsure", "too noisy"); }
};

struct Absent : Quick {
  static constexpr const char* id = "toy/absent";
  static constexpr std::array provides{integer("toy.absent")};
  static void run(const Session& session) { session.absent("toy.absent", "toys have no such thing"); }
};

struct AfterAbsent : Quick {
  static constexpr const char* id = "toy/absent-dependant";
  static constexpr std::array provides{integer("toy.absent_dependant")};
  static constexpr std::array needs{need("toy.absent")};
  static void run(const Session& session) { publish(session, "toy.absent_dependant", 1); }
};

/// Tries everything that the host must refuse, and counts what it accepted.
struct RuleBreaker : Quick {
  static constexpr const char* id = "toy/rule-breaker";
  static constexpr std::array provides{integer("toy.accepted"), integer("toy.other"), integer("toy.no_curve")};
  static void run(const Session& session) {
    const tomograph_host& host = session.host();
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const tomograph_fact right{
        sizeof(tomograph_fact), TOMOGRAPH_MEASURED, "toy.other", "1", "B", "toy", 1, none, none, 1, "{}", "curve"};
    std::vector<tomograph_fact> wrong(14, right);
    wrong[0].key = "toy.undeclared";
    wrong[1].key = nullptr;
    wrong[2].value_json = "\"text\"";
    wrong[3].value_json = "1.5";
    wrong[4].value_json = "no json";
    wrong[5].unit = "cycle";
    wrong[6].confidence = 1.5;
    wrong[7].confidence = none;
    wrong[8].evidence = "";
    wrong[9].interval_low = 2;
    wrong[10].conditions_json = "[]";
    wrong[11].struct_size = 8;
    wrong[12].source = 99;
    wrong[13].interval_low = wrong[13].interval_high = 7;
    std::int64_t accepted = 0;
    for (const tomograph_fact& fact : wrong) accepted += host.publish(host.context, &fact) == TOMOGRAPH_OK ? 1 : 0;
    accepted += host.inconclusive(host.context, "toy.undeclared", "why") == TOMOGRAPH_OK ? 1 : 0;
    const tomograph_experiment* const nothing = nullptr;
    AnswerCollector answers(1);
    accepted += host.execute(host.context, &nothing, 1, answers.sink()) == TOMOGRAPH_OK ? 1 : 0;
    accepted += host.extension(host.context, "toy.extension/1") != nullptr ? 1 : 0;
    tomograph_fact curveless = right;
    curveless.key = "toy.no_curve";
    curveless.evidence = "never-handed-in";
    host.publish(host.context, &curveless);
    publish(session, "toy.accepted", accepted);
    host.publish(host.context, &right);
    session.evidence("curve", std::array{NamedArray{"x", std::vector<double>{0.5}}});
  }
};

struct Twice : Quick {
  static constexpr const char* id = "toy/twice";
  static constexpr std::array provides{integer("toy.twice")};
  static void run(const Session& session) {
    publish(session, "toy.twice", 1);
    session.publish({.key = "toy.twice", .value = 2, .method = "toy", .confidence = 1, .evidence = "toy.twice"});
  }
};

/// Without a device: its experiments are refused.
struct Model {
  static constexpr const char* id = "toy/model";
  static constexpr const char* question = "What follows?";
  static constexpr double time_budget = 600;
  static constexpr std::array provides{integer("toy.model")};
  static constexpr std::array needs{need("toy.product")};
  static void run(const Session& session) {
    const tomograph_host& host = session.host();
    AnswerCollector answers(0);
    const bool refused = host.execute(host.context, nullptr, 0, answers.sink()) == TOMOGRAPH_UNSUPPORTED;
    session.publish({.key = "toy.model",
                     .value = session.needed<std::int64_t>("toy.product") + (refused ? 100 : 0),
                     .method = "toy",
                     .confidence = 1,
                     .source = TOMOGRAPH_DERIVED});
  }
};

}  // namespace

TOMOGRAPH_PLUGIN(
    "toy", "1.0.0", "What a host must survive",
    Probes<Product, Dependant, Chatty, Crash, AfterCrash, Unlikely, AfterUnlikely, AskingUnlikely, Abort, Exit,
           OutOfMemory, Hang, Busy, Slow, Garbage, Oversized, Lost, Stumbling, Jammed, Mourner, Failing, Skipping,
           Unsupported, Unsure, Absent, AfterAbsent, RuleBreaker, Twice, Crowded, Patient>,
    Devices<Toy>, Models<Model>)
