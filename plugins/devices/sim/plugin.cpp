#include "tomograph/plugin.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "sim/gpu/api_facts.hpp"
#include "sim/gpu/noise_scale.hpp"
#include "sim/gpu/reader.hpp"
#include "sim/links/facts.hpp"
#include "sim/simulator.hpp"
#include "sim/targets.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/conditions.hpp"

namespace {

using namespace tomograph;

/// Reports the conditions of a description as time passes.
class ConditionTimetable {
 public:
  explicit ConditionTimetable(std::vector<sim::Conditions> conditions) : conditions_(std::move(conditions)) {}

  [[nodiscard]] bool any() const { return !conditions_.empty(); }
  void read(tomograph_reading& reading) const noexcept {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - opened_;
    sim::tell(conditions_, passed.count(), reading);
  }

 private:
  std::vector<sim::Conditions> conditions_;
  std::chrono::steady_clock::time_point opened_ = std::chrono::steady_clock::now();
};

/// A GPU described by a TOML file.
class SimulatedGpu {
 public:
  static constexpr const char* id = "sim";
  static constexpr const char* description = "GPUs described by TOML files";
  static constexpr const char* target_help = "name of a shipped GPU, or a TOML file (with a '/' or ending in .toml)";
  static constexpr bool is_real = false;
  static constexpr std::array parameters{
      parameter("seed", TOMOGRAPH_INTEGER, "1", 0, 9007199254740992.0,
                "Seed of the noise, of random replacement and of the addresses of arrays"),
      parameter("noise", TOMOGRAPH_BOOLEAN, "true", 0, 1,
                "Whether to add the jitter, outliers and disturbances of the description"),
      parameter("noise_scale", TOMOGRAPH_REAL, "1", 0, 1000, "Factor by which the described noise is multiplied"),
      parameter("gpu", TOMOGRAPH_INTEGER, "0", 0, 65535, "Number of the simulated GPU in the node of the description"),
  };

  static std::vector<Target> enumerate(const Session& session) {
    const auto folder = sim::shipped_folder();
    std::vector<Target> targets;
    for (const std::string& name : sim::gpu_names(folder)) {
      try {
        targets.push_back({name, sim::read_gpu(sim::description_file(name, folder)).name});
      } catch (const sim::DescriptionError& error) {
        session.log(TOMOGRAPH_WARNING, error.what());
      }
    }
    return targets;
  }

  SimulatedGpu(const Session& session, std::string_view target)
      : SimulatedGpu(session, sim::with_noise(placed(describe(target), session.parameter<std::int64_t>("gpu")),
                                              session.parameter<double>("noise_scale"))) {}

  std::vector<Answer> execute(std::span<const Experiment> batch) { return simulator_.execute(batch); }

 private:
  SimulatedGpu(const Session& session, const sim::Gpu& gpu)
      : simulator_(gpu, {session.parameter<std::uint64_t>("seed"), session.parameter<bool>("noise")}),
        conditions_(gpu.conditions) {
    for (const sim::ApiFact& stated : sim::api_facts(gpu)) publish(session, stated);
    for (const sim::LinkFact& reported : sim::link_facts(gpu)) publish(session, reported);
    if (conditions_.any()) offer_conditions(session.host(), conditions_);
  }

  /// A missing or wrong description is the caller's mistake, so it is refused as invalid.
  static sim::Gpu describe(std::string_view target) {
    try {
      return sim::read_gpu(sim::description_file(target, sim::shipped_folder()));
    } catch (const std::exception& error) {
      throw Refused(TOMOGRAPH_INVALID, error.what());
    }
  }

  /// The GPU of this number in the node.
  static sim::Gpu placed(sim::Gpu gpu, std::int64_t number) {
    if (number >= gpu.node.gpus) {
      throw Refused(TOMOGRAPH_INVALID, "there is no GPU " + std::to_string(number) + ", the description has " +
                                           std::to_string(gpu.node.gpus));
    }
    gpu.node.own = number;
    return gpu;
  }

  static void publish(const Session& session, const sim::ApiFact& stated) {
    const auto known = std::ranges::find(sim::api_keys(), stated.key, &sim::ApiKey::key);
    publish(session, {stated.key.c_str(), stated.value, known->unit});
  }

  static void publish(const Session& session, const sim::LinkFact& reported) {
    Fact fact{reported.key, reported.value, "description"};
    fact.confidence = tomograph::confidence::vendor;
    fact.samples = 1;
    fact.source = TOMOGRAPH_API;
    session.publish(fact, reported.unit);
  }

  sim::Simulator simulator_;
  ConditionTimetable conditions_;
};

}  // namespace

TOMOGRAPH_PLUGIN("sim", "1.0.0", "Simulated GPUs: memory hierarchies described in TOML files", Probes<>,
                 Devices<SimulatedGpu>)
