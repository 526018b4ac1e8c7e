// One of two plugins, "left" and "right", whose probes wait for each other. PAIR_NAME and PAIR_OTHER are their names.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tomograph/plugin.hpp"

namespace {

using namespace tomograph;

constexpr std::string_view name = PAIR_NAME;

struct Pair {
  static constexpr const char* question = "Does the other one run, too?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 60;
  static constexpr std::array parameters{parameter("folder", TOMOGRAPH_TEXT, "\"\"", 0, 0, "Where they meet")};
};

/// Says in the folder that this plugin's probe runs. Returns whether it is the first time.
bool arrive(const std::filesystem::path& folder) {
  const bool is_first = !std::filesystem::exists(folder / name);
  std::ofstream(folder / name) << "here";
  return is_first;
}

/// Whether the other plugin's probe runs or has run, within the patience of tests.
bool has_other(const std::filesystem::path& folder) {
  for (int tries = 0; tries < 6000; ++tries) {
    if (std::filesystem::exists(folder / PAIR_OTHER)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

void publish(const Session& session, const char* key, std::int64_t value) {
  session.publish({.key = key, .value = value, .method = "toy", .confidence = 1, .samples = 1, .evidence = key});
  const std::array curve{NamedArray{"value", std::vector<std::int64_t>{value}}};
  session.evidence(key, curve);
}

struct Meet : Pair {
  static constexpr const char* id = PAIR_NAME "/meet";
  static constexpr std::array provides{
      fact_spec(PAIR_NAME ".met", TOMOGRAPH_INTEGER, "B", TOMOGRAPH_PER_DEVICE, "A number")};
  static void run(const Session& session) {
    const std::filesystem::path folder = session.parameter<std::string>("folder");
    arrive(folder);
    publish(session, PAIR_NAME ".met", has_other(folder) ? 1 : 0);
  }
};

/// When both run, the left one aborts; the right one does not end before that, the first time.
struct Fall : Pair {
  static constexpr const char* id = PAIR_NAME "/fall";
  static constexpr std::array provides{
      fact_spec(PAIR_NAME ".stands", TOMOGRAPH_INTEGER, "B", TOMOGRAPH_PER_DEVICE, "A number")};
  static void run(const Session& session) {
    const std::filesystem::path folder = session.parameter<std::string>("folder");
    const bool is_first = arrive(folder);
    if (name == "left" && has_other(folder)) std::abort();
    while (is_first && name == "right") std::this_thread::sleep_for(std::chrono::milliseconds(10));
    publish(session, PAIR_NAME ".stands", 1);
  }
};

/// The right one has less time than it waits for the left one. It publishes whether it needed one run only.
struct Linger : Pair {
  static constexpr const char* id = PAIR_NAME "/linger";
  static constexpr double time_budget = name == "left" ? 60 : 1;
  static constexpr std::array provides{
      fact_spec(PAIR_NAME ".waits", TOMOGRAPH_INTEGER, "B", TOMOGRAPH_PER_DEVICE, "A number")};
  static void run(const Session& session) {
    const std::filesystem::path folder = session.parameter<std::string>("folder");
    if (name == "left") std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    const bool is_first = arrive(folder);
    publish(session, PAIR_NAME ".waits", has_other(folder) && is_first ? 1 : 0);
  }
};

}  // namespace

TOMOGRAPH_PLUGIN(PAIR_NAME, "1.0.0", "Probes that wait for each other", Probes<Meet, Fall, Linger>, Devices<>, Models<>)
