#include "gpu.hpp"

#include <algorithm>
#include <array>

using namespace tomograph;

namespace {

constexpr double l1_cycles = 30;
constexpr double l2_cycles = 200;
constexpr double memory_cycles = 500;
/// Cycles of the timing itself, which the raw values hold and the answer states.
constexpr double overhead_each = 10;
constexpr double overhead_total = 20;

std::size_t sm_of(const chase::Actor& actor) {
  return actor.sm == chase::any_sm ? 0 : static_cast<std::size_t>(actor.sm);
}

/// Arrays one behind the other. An alias has the memory of the array that it names.
std::vector<std::int64_t> addresses_of(const std::vector<chase::Array>& arrays) {
  std::vector<std::int64_t> addresses;
  std::int64_t next = 0;
  for (const chase::Array& array : arrays) {
    if (array.alias != chase::no_alias) {
      addresses.push_back(addresses[static_cast<std::size_t>(array.alias)]);
      continue;
    }
    addresses.push_back(next);
    next += (array.bytes + chase::array_alignment - 1) / chase::array_alignment * chase::array_alignment;
  }
  return addresses;
}

}  // namespace

bool Gpu::Cache::access(std::int64_t address) {
  const std::int64_t number = address / line;
  const auto found = held_.find(number);
  if (found != held_.end()) {
    newest_first_.splice(newest_first_.begin(), newest_first_, found->second);
    return true;
  }
  if (newest_first_.size() == lines_) {
    held_.erase(newest_first_.back());
    newest_first_.pop_back();
  }
  newest_first_.push_front(number);
  held_[number] = newest_first_.begin();
  return false;
}

void Gpu::Cache::clear() {
  newest_first_.clear();
  held_.clear();
}

std::string Gpu::obstacle(const chase::Program& program) {
  std::int64_t bytes = 0;
  for (const chase::Array& array : program.arrays) {
    if (array.space != chase::Space::global) return "it has global memory only";
    bytes += array.alias == chase::no_alias ? array.bytes : 0;
  }
  if (bytes > memory_bytes) return "it has " + std::to_string(memory_bytes) + " B of memory";
  for (const chase::Actor& actor : program.actors) {
    if (actor.path != chase::Path::global_ca && actor.path != chase::Path::global_cg) return "it has no such load path";
    if (actor.sm >= sms) return "there is no SM " + std::to_string(actor.sm);
  }
  std::array<std::int64_t, sms> timed{};
  for (const chase::Phase& phase : program.phases) {
    const std::size_t sm = sm_of(program.actors[static_cast<std::size_t>(phase.actor)]);
    if (phase.timing == chase::Timing::each) timed[sm] += phase.loads;
  }
  return *std::ranges::max_element(timed) * 8 > timed_bytes ? "it does not keep so many timed loads" : "";
}

double Gpu::load(std::size_t sm, chase::Path path, std::int64_t address) {
  if (path == chase::Path::global_ca && l1_[sm].access(address)) return l1_cycles;
  return l2_.access(address) ? l2_cycles : memory_cycles;
}

chase::Result Gpu::run(const chase::Program& program) {
  for (Cache& cache : l1_) cache.clear();  // private caches hold nothing of a program's arrays; L2 remembers
  const auto addresses = addresses_of(program.arrays);
  chase::Result result{.overhead_each = overhead_each, .overhead_total = overhead_total};
  for (const chase::Actor& actor : program.actors) result.sms.push_back(static_cast<std::int64_t>(sm_of(actor)));
  for (const chase::Phase& phase : program.phases) {
    const chase::Actor& actor = program.actors[static_cast<std::size_t>(phase.actor)];
    const chase::Ring& ring = program.rings[static_cast<std::size_t>(phase.ring)];
    const auto offsets = chase::node_offsets(ring);
    const std::int64_t address = addresses[static_cast<std::size_t>(ring.array)];
    chase::Result::Trace trace;
    double total = overhead_total;
    for (std::int64_t i = 0; i < phase.loads; ++i) {
      // Threads take turns; each begins at its own place of the ring.
      const std::int64_t thread = i % actor.threads;
      const std::int64_t node = (phase.first + thread * ring.size() / actor.threads + i / actor.threads) % ring.size();
      const double cycles = load(sm_of(actor), actor.path, address + offsets[static_cast<std::size_t>(node)]);
      total += cycles / static_cast<double>(actor.threads);
      if (phase.timing != chase::Timing::each) continue;
      trace.latency.push_back(static_cast<std::uint32_t>(cycles + overhead_each));
      trace.node.push_back(static_cast<std::uint32_t>(node));
    }
    if (phase.timing == chase::Timing::each) result.traces.push_back(std::move(trace));
    if (phase.timing == chase::Timing::total) result.totals.push_back(total);
  }
  return result;
}
