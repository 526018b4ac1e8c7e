#include "tomograph/plugin.hpp"

#include <array>

#include "catch.hpp"
#include "memory_host.hpp"

using tomograph::Session;

namespace {

/// Ends as its parameter says.
struct Ending {
  static constexpr const char* id = "test/ending";
  static constexpr const char* question = "How does it end?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 1;
  static constexpr bool shares_device = true;
  static constexpr std::array provides{
      tomograph::fact_spec("test.value", TOMOGRAPH_INTEGER, "1", TOMOGRAPH_PER_DEVICE, "A number")};
  static constexpr std::array needs{tomograph::need("test.hard"), tomograph::optional_need("test.soft")};
  static constexpr std::array parameters{
      tomograph::parameter("ending", TOMOGRAPH_TEXT, "\"well\"", 0, 0, "How to end")};

  static void run(const Session& session) {
    const auto ending = session.parameter<std::string>("ending");
    if (ending == "skip") throw tomograph::Skip("device", "it has no cache");
    if (ending == "lost") throw tomograph::DeviceLost("it went away");
    if (ending == "refused") throw tomograph::Refused(TOMOGRAPH_UNSUPPORTED, "no such path");
    if (ending == "failed") throw std::runtime_error("it went wrong");
    if (ending == "odd") throw 7;
    session.publish({.key = "test.value", .value = 1, .method = "counting"});
  }
};

struct Bare {
  static constexpr const char* id = "test/bare";
  static constexpr const char* question = "Can needs and parameters be left out?";
  static constexpr double time_budget = 1;
  static constexpr std::array provides{
      tomograph::fact_spec("test.bare", TOMOGRAPH_INTEGER, "1", TOMOGRAPH_PER_DEVICE, "A number")};
  static void run(const Session&) {}
};

/// Answers every experiment with its own parameters.
class Echo {
 public:
  static constexpr const char* id = "echo";
  static constexpr const char* description = "Answers with the question";
  static constexpr const char* target_help = "anything but 'none'";
  static constexpr bool is_real = false;
  static std::vector<tomograph::Target> enumerate(const Session&) { return {{"0", "the only one"}}; }
  Echo(const Session&, std::string_view target) {
    if (target == "none") throw std::runtime_error("there is no echo 'none'");
  }
  static std::vector<tomograph::Answer> execute(std::span<const tomograph::Experiment> batch) {
    std::vector<tomograph::Answer> answers;
    for (const auto& experiment : batch) answers.push_back({experiment.parameters});
    return answers;
  }
};

}  // namespace

TOMOGRAPH_PLUGIN("test", "1.2.3", "For tests", tomograph::Probes<Ending>, tomograph::Devices<Echo>,
                 tomograph::Models<Bare>)

TEST_CASE("the entry describes everything as static data") {
  const tomograph_plugin& plugin = tomograph_plugin_entry;
  CHECK(plugin.magic == TOMOGRAPH_MAGIC);
  CHECK(plugin.abi_major == TOMOGRAPH_ABI_MAJOR);
  CHECK(plugin.struct_size == sizeof(tomograph_plugin));
  REQUIRE(plugin.probe_count == 1);
  const tomograph_probe& probe = *plugin.probes[0];
  CHECK(std::string(probe.id) == "test/ending");
  CHECK(probe.uses_links == 0);
  CHECK(probe.shares_device == 1);
  REQUIRE(probe.needs_count == 2);
  CHECK(probe.needs[0]->optional == 0);
  CHECK(probe.needs[1]->optional == 1);
  CHECK(std::string(probe.parameters[0]->default_json) == "\"well\"");
  REQUIRE(plugin.model_count == 1);
  CHECK(plugin.models[0]->needs_count == 0);
  CHECK(plugin.models[0]->parameter_count == 0);
}

TEST_CASE("every way in which a probe can end becomes a status with its reason") {
  MemoryHost host;
  const auto end = [&](const std::string& how) {
    host.parameters["ending"] = '"' + how + '"';
    return tomograph_plugin_entry.probes[0]->run(host.abi());
  };
  CHECK(end("well") == TOMOGRAPH_OK);
  CHECK(host.published.at("test.value").value == 1);
  CHECK(end("skip") == TOMOGRAPH_SKIPPED);
  CHECK(host.skip_category == "device");
  CHECK(host.skip_reason == "it has no cache");
  CHECK(end("lost") == TOMOGRAPH_DEVICE_LOST);
  CHECK(host.error == "it went away");
  CHECK(end("refused") == TOMOGRAPH_UNSUPPORTED);
  CHECK(host.error == "no such path");
  CHECK(end("failed") == TOMOGRAPH_FAILED);
  CHECK(host.error == "it went wrong");
  CHECK(end("odd") == TOMOGRAPH_FAILED);
  CHECK(host.error == "an exception that is not a std::exception");
}

TEST_CASE("a device opens, answers and closes through the boundary") {
  MemoryHost host;
  const tomograph_device& device = *tomograph_plugin_entry.devices[0];
  void* session = nullptr;
  CHECK(device.open(host.abi(), "none", &session) == TOMOGRAPH_FAILED);
  CHECK(host.error == "there is no echo 'none'");
  REQUIRE(device.open(host.abi(), "0", &session) == TOMOGRAPH_OK);
  const std::vector<tomograph::Experiment> batch{{"x/1", {{"a", std::vector<double>{1, 2}}}}};
  const tomograph::BatchView view(batch);
  tomograph::AnswerCollector collector(1);
  CHECK(device.execute(session, view.data(), view.size(), collector.sink()) == TOMOGRAPH_OK);
  CHECK(collector.take()[0].arrays == batch[0].parameters);
  device.close(session);
}
