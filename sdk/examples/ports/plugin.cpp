// A probe, the executor that answers its experiment on simulated GPUs, and a model.
#include "tomograph/plugin.hpp"

#include "tomograph/instrument.hpp"

using namespace tomograph;

/// Answers "ports.loads/1" as a GPU would whose SMs have four load ports.
/// Parameter: "loads" (I64). Answer: "cycles" (I64) that an SM takes to issue them.
struct FourPorts {
  static constexpr const char* experiment = "ports.loads/1";
  static constexpr const char* device = "sim";
  static constexpr const char* description = "Issues loads to four ports";

  FourPorts(const Session& /*session*/, std::string_view /*target*/) {}

  static std::vector<Answer> execute(std::span<const Experiment> batch) {
    return answer_each(batch, [](const Experiment& experiment) {
      const auto loads = numbers<std::int64_t>(experiment.parameters, "loads").front();
      if (loads < 0) throw std::invalid_argument("loads: expected at least 0");
      return Arrays{{"cycles", std::vector{(loads + 3) / 4}}};
    });
  }
};

struct PortsOfSm {
  static constexpr const char* id = "ports/of_sm";
  static constexpr const char* question = "How many load ports does an SM have?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 10;
  static constexpr std::array provides{declare::count("ports.of_sm", declare::per_sm, "Load ports of an SM")};

  static void run(const Session& session) {
    constexpr std::int64_t loads = 4096;
    const Arrays answer = session.ask(Experiment{FourPorts::experiment, {{"loads", loads}}});
    session.evidence("loads", answer);
    session.publish({.key = "ports.of_sm",
                     .value = loads / numbers<std::int64_t>(answer, "cycles").front(),
                     .method = "issue-rate",
                     .confidence = 0.99,
                     .samples = 1,
                     .evidence = "loads"});
  }
};

struct PortsOfGpu {
  static constexpr const char* id = "ports/of_gpu";
  static constexpr const char* question = "How many load ports do all SMs have together?";
  static constexpr double time_budget = 10;
  static constexpr std::array provides{declare::count("ports.of_gpu", declare::per_device, "Load ports of all SMs")};
  static constexpr std::array needs{need("ports.of_sm"), need("device.sm_count")};

  static void run(const Session& session) {
    const Value of_sm = session.fact_record("ports.of_sm").value();
    const auto sms = session.needed<std::int64_t>("device.sm_count");
    session.publish({.key = "ports.of_gpu",
                     .value = sms * of_sm.at("value").get<std::int64_t>(),
                     .method = "product",
                     .confidence = of_sm.at("confidence").get<double>(),
                     .source = TOMOGRAPH_DERIVED});
  }
};

TOMOGRAPH_PLUGIN("ports", "0.1.0", "Load ports", Probes<PortsOfSm>, Executors<FourPorts>, Models<PortsOfGpu>)
