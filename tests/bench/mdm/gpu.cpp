#include "gpu.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <stdexcept>

#include "bodies/workload.hpp"
#include "facts.hpp"
#include "published.hpp"
#include "saturation.hpp"
#include "score.hpp"
#include "topology/topology_file.hpp"

namespace tomograph::bench {

namespace {

mdm::Facts facts_of(const host::Topology& topology) {
  return {.record = [&topology](const std::string& key) -> std::optional<Value> {
    const auto found = topology.facts.find(key);
    if (found == topology.facts.end()) return std::nullopt;
    return Value{{"value", from_json(found->second.value.dump())},
                 {"conditions", from_json(found->second.conditions.dump())}};
  }};
}

std::map<std::string, double> measured_cycles(const host::Topology& topology) {
  const auto found = topology.facts.find("workloads.cycles");
  if (found == topology.facts.end()) {
    throw std::runtime_error("the topology lacks workloads.cycles: tomograph run --method wang2019");
  }
  std::map<std::string, double> cycles;
  for (const auto& pair : found->second.value) cycles[pair.at(0)] = pair.at(1);
  return cycles;
}

/// Cycles by the six models.
std::array<double, models> predicted_cycles(const mdm::Machine& machine, const kernel::Profile& profile,
                                            std::string& limit) {
  std::array<double, models> cycles{};
  std::size_t i = 0;
  for (const auto variant : {mdm::Variant::gpumech, mdm::Variant::gpumech_plus, mdm::Variant::mdm_queue,
                             mdm::Variant::mdm_mshr, mdm::Variant::mdm}) {
    cycles[i++] = mdm::predict(variant, mdm::Scheduler::greedy_then_oldest, machine, profile).cycles;
  }
  const auto ours = mdm::predict_saturation(machine, profile);
  cycles[i] = ours.cycles;
  limit = ours.limit;
  return cycles;
}

struct Errors {
  std::array<double, models> sum{};
  double count = 0;
};

std::string mean_row(const char* name, const Errors& errors) {
  std::string row = fmt::format("| mean of {} |  |  |", name);
  for (const double sum : errors.sum) row += fmt::format(" {:.0f} % |", 100 * sum / errors.count);
  return row + " |\n";
}

}  // namespace

std::string gpu_page(const std::filesystem::path& file) {
  const host::Topology topology = host::read_topology(file);
  const mdm::Facts facts = facts_of(topology);
  const kernel::ProfiledMachine profiled = mdm::profiled_machine_of(facts);
  const mdm::Machine machine = mdm::machine_of(facts, static_cast<double>(profiled.miss_bytes));
  const auto measured = measured_cycles(topology);
  std::string text = "| workload | type | cycles |";
  for (const char* name : model_names) text += fmt::format(" {} |", name);
  text += " limit |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  std::map<bool, Errors> errors;
  for (const auto& workload : workloads::all_workloads()) {
    const auto known = measured.find(std::string(workload->name()));
    if (known == measured.end()) continue;
    const kernel::Profile profile = kernel::profile(*workload->trace(), profiled);
    std::string limit;
    const auto cycles = predicted_cycles(machine, profile, limit);
    text += fmt::format("| {} | {} | {:.0f} |", known->first, workload->is_divergent() ? "MD" : "NMD", known->second);
    Errors& of_type = errors[workload->is_divergent()];
    for (std::size_t i = 0; i < models; ++i) {
      const double error = cycles[i] / known->second - 1;
      text += fmt::format(" {:+.0f} % |", 100 * error);
      of_type.sum[i] += std::abs(error);
    }
    of_type.count += 1;
    text += fmt::format(" {} |\n", limit);
  }
  for (const auto& [divergent, of_type] : errors) text += mean_row(divergent ? "MD" : "NMD", of_type);
  return text;
}

}  // namespace tomograph::bench
