#include "used_facts.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tomograph/session.hpp"

namespace tomograph::mdm {

namespace {

using kernel::Operation;

constexpr std::array memory_operations{Operation::load, Operation::store, Operation::atomic};

void add(std::vector<UsedFact>& used, std::initializer_list<const char*> keys) {
  for (const char* key : keys) used.push_back({key});
}

std::vector<UsedFact> facts_of_all() {
  return {{"l1_data.outstanding_misses", "l1_data.outstanding_misses_at_least"}, {"l1_data.line_size", "l2.line_size"}};
}

void add_rates(bool reads, bool writes, std::vector<UsedFact>& used) {
  if (reads) add(used, {"l1_data.bandwidth.read", "l2.bandwidth.read", "dram.bandwidth.read"});
  if (writes) add(used, {"l2.bandwidth.write", "dram.bandwidth.write"});
}

std::vector<UsedFact> used_by(const std::vector<Operation>& operations) {
  const auto has = [&](Operation operation) { return std::ranges::find(operations, operation) != operations.end(); };
  std::vector<UsedFact> used = facts_of_all();
  for (const auto& [operation, key] : completion_latencies) {
    if (has(operation)) used.push_back({key});
  }
  if (has(Operation::load)) add(used, {"l1_data.size", "l1_data.latency"});
  if (std::ranges::any_of(memory_operations, has)) {
    used.push_back({"l2.size", "l2.nominal_size"});
    used.push_back({"l1_data.fetch_granularity"});
  }
  add_rates(has(Operation::load) || has(Operation::atomic), has(Operation::store) || has(Operation::atomic), used);
  return used;
}

/// The key to measure: the first that the GPU has. Nothing if one is known, or all are absent.
std::optional<std::string> missing(const Facts& facts, const UsedFact& used) {
  if (std::ranges::any_of(used, [&](const std::string& key) { return facts.record(key).has_value(); })) return {};
  const auto found = std::ranges::find_if(used, [&](const std::string& key) { return !facts.is_absent(key); });
  return found == used.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

std::vector<UsedFact> used_facts(const kernel::Kernel& kernel) {
  std::vector<Operation> operations{Operation::integer};  // addresses and the loop itself
  for (const kernel::Step& step : kernel.loop) operations.push_back(step.operation);
  std::vector<UsedFact> used = used_by(operations);
  const bool loads = std::ranges::find(operations, Operation::load) != operations.end();
  if (loads && kernel.carveout > 0) used.push_back({"l1_data.size_by_carveout"});
  return used;
}

std::vector<UsedFact> used_facts(const kernel::Profile& profile) {
  std::vector<UsedFact> used = facts_of_all();
  add_rates(profile.traffic.read_misses > 0, profile.traffic.write_misses > 0, used);
  return used;
}

std::vector<UsedFact> facts_of_any_kernel() {
  std::vector<Operation> operations(memory_operations.begin(), memory_operations.end());
  for (const auto& [operation, key] : completion_latencies) operations.push_back(operation);
  return used_by(operations);
}

void require_known(const Facts& facts, const std::vector<UsedFact>& used) {
  std::string keys;
  std::string measuring = "tomograph run";
  for (const UsedFact& one : used) {
    const auto key = missing(facts, one);
    if (!key) continue;
    keys += (keys.empty() ? "" : ", ") + *key;
    measuring += " --only " + *key;
  }
  if (keys.empty()) return;
  throw Refused(TOMOGRAPH_INVALID,
                "the topology lacks facts that this kernel uses: " + keys + "; to measure them: " + measuring);
}

}  // namespace tomograph::mdm
