#include "reporting/parts.hpp"

#include <algorithm>
#include <array>

namespace tomograph::host {
namespace {

constexpr std::array parts{
    Part{"device", "Device", PartKind::other, false},
    Part{"l1_data", "L1 data cache", PartKind::cache, true},
    Part{"texture", "Texture cache", PartKind::cache, true},
    Part{"read_only", "Read-only cache", PartKind::cache, true},
    Part{"constant_l1", "Constant L1", PartKind::cache, true},
    Part{"constant_l15", "Constant L1.5", PartKind::cache, true},
    Part{"instruction_l0", "Instruction L0", PartKind::cache, true},
    Part{"instruction_l1", "Instruction L1", PartKind::cache, true},
    Part{"instruction_l15", "Instruction L1.5", PartKind::cache, true},
    Part{"l2", "L2 cache", PartKind::cache, false},
    Part{"tlb.l1", "L1 TLB", PartKind::tlb, true},
    Part{"tlb.l2", "L2 TLB", PartKind::tlb, false},
    Part{"tlb.l3", "L3 TLB", PartKind::tlb, false},
    Part{"page_window", "Page-table window", PartKind::other, false},
    Part{"shared", "Shared memory", PartKind::memory, true},
    Part{"dsmem", "SM-to-SM network", PartKind::memory, false},
    Part{"noc", "SMs to L2", PartKind::memory, false},
    Part{"dram", "Global memory", PartKind::memory, false},
    Part{"constant_memory", "Constant memory", PartKind::memory, false},
    Part{"host", "Host memory", PartKind::memory, false},
    Part{"tma", "Tensor memory accelerator", PartKind::memory, true},
    Part{"memory_spectrum", "Latency spectrum", PartKind::other, false},
    Part{"instruction", "Instructions", PartKind::other, true},
    Part{"tensor", "Tensor cores", PartKind::other, true},
    Part{"atomics", "Atomics", PartKind::other, false},
    Part{"sm", "Map of SMs", PartKind::other, false},
    Part{"divergence", "Branch divergence", PartKind::other, true},
    Part{"misses", "Outstanding misses", PartKind::other, true},
    Part{"launch", "Starts of kernels", PartKind::other, false},
    Part{"cluster", "Clusters of CTAs", PartKind::other, false},
};

/// The id of the plugin that answers for a key, as keys spell it.
std::string plugin_of(const Topology& topology, const std::string& key) {
  const auto fact = topology.facts.find(key);
  std::string probe = fact != topology.facts.end() ? fact->second.probe : topology.outcomes.at(key).probe;
  std::ranges::replace(probe, '-', '_');
  return probe.substr(0, probe.find('/'));
}

}  // namespace

std::span<const Part> known_parts() { return parts; }

bool belongs(std::string_view key, std::string_view prefix) {
  return key == prefix || (key.starts_with(prefix) && key.substr(prefix.size()).starts_with('.'));
}

std::string part_of(const Topology& topology, const std::string& key) {
  for (const Part& part : parts) {
    if (belongs(key, part.prefix)) return std::string(part.prefix);
  }
  const std::string plugin = plugin_of(topology, key);
  return belongs(key, plugin) ? plugin : key.substr(0, key.find('.'));
}

std::string title_of(std::string_view part) {
  const auto* known = std::ranges::find(parts, part, &Part::prefix);
  if (known != parts.end()) return std::string(known->title);
  std::string title(part);
  const bool is_domain = title.find('.') != std::string::npos;
  if (!is_domain) std::ranges::replace(title, '_', ' ');
  return title;
}

bool is_open(const Topology& topology, const std::string& key) {
  const auto found = topology.outcomes.find(key);
  if (found == topology.outcomes.end() || topology.facts.contains(key)) return false;
  const Outcome& outcome = found->second;
  return outcome.status != OutcomeStatus::measured && !is_absent_on_device(outcome);
}

}  // namespace tomograph::host
