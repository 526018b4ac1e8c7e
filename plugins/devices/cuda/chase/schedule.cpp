#include "cuda/chase/schedule.hpp"

#include <algorithm>
#include <bit>

#include "cuda/chase/program_layout.hpp"

namespace tomograph::cuda {

namespace {

constexpr std::int64_t warp = warp_threads;
/// Smallest dynamic shared memory, which most programs share.
constexpr std::int64_t smallest_shared = 2048;

/// A wave being filled.
struct OpenWave {
  explicit OpenWave(std::int64_t sms) : taken(static_cast<std::size_t>(sms), false), free(sms) {}

  [[nodiscard]] bool takes(const Demand& demand, const Limits& limits) const {
    if (closed || static_cast<std::int64_t>(demand.sms.size()) > free) return false;
    if (!plan.placements.empty() && (demand.alone || memory + demand.memory > limits.wave_memory)) return false;
    if (constants != nullptr && !demand.constants.rings.empty() && *constants != demand.constants) return false;
    return std::ranges::none_of(
        demand.sms, [&](std::int64_t sm) { return sm != chase::any_sm && taken[static_cast<std::size_t>(sm)]; });
  }

  void add(std::size_t program, const Demand& demand) {
    plan.placements.push_back({program, demand.sms});
    for (const std::int64_t sm : demand.sms) {
      if (sm != chase::any_sm) taken[static_cast<std::size_t>(sm)] = true;
    }
    free -= static_cast<std::int64_t>(demand.sms.size());
    memory += demand.memory;
    if (!demand.constants.rings.empty()) constants = &demand.constants;
    closed = demand.alone || free == 0;
  }

  /// Assigns the remaining SMs, lowest number first, to the actors that run on any SM.
  void assign_free_sms() {
    std::size_t next = 0;
    for (Placement& placement : plan.placements) {
      for (std::int64_t& sm : placement.sms) {
        if (sm != chase::any_sm) continue;
        while (taken[next]) ++next;
        taken[next] = true;
        sm = static_cast<std::int64_t>(next);
      }
    }
  }

  WavePlan plan;
  std::vector<bool> taken;
  std::int64_t free;
  std::int64_t memory = 0;
  const ConstantLayout* constants = nullptr;
  bool closed = false;
};

/// Waves with the same settings. Those before `first` are full.
struct Group {
  const Demand* settings;
  std::vector<OpenWave> waves;
  std::size_t first = 0;
};

void place(Group& group, std::size_t program, const Demand& demand, const Limits& limits) {
  while (group.first < group.waves.size() && group.waves[group.first].closed) ++group.first;
  const auto open = group.waves.begin() + static_cast<std::ptrdiff_t>(group.first);
  auto wave = std::find_if(open, group.waves.end(), [&](const OpenWave& w) { return w.takes(demand, limits); });
  if (wave == group.waves.end()) wave = group.waves.emplace(wave, limits.sms);
  wave->add(program, demand);
}

ConstantLayout constant_layout(const chase::Program& program) {
  ConstantLayout layout;
  std::vector<std::int64_t> numbers(program.arrays.size(), -1);
  for (std::size_t i = 0; i < program.arrays.size(); ++i) {
    if (program.arrays[i].space != chase::Space::constant) continue;
    numbers[i] = static_cast<std::int64_t>(layout.bytes.size());
    layout.bytes.push_back(program.arrays[i].bytes);
  }
  for (const chase::Ring& ring : program.rings) {
    const std::int64_t number = numbers[static_cast<std::size_t>(ring.array)];
    if (number < 0) continue;
    layout.rings.push_back(ring);
    layout.rings.back().array = number;
  }
  return layout;
}

/// Threads of a CTA for the program.
std::int64_t cta_threads(const chase::Program& program) {
  const std::uint32_t timed = timed_warps(program);
  if (timed != 1) return most_threads;
  std::int64_t workers = 0;
  for (const chase::Actor& actor : program.actors) {
    if (actor.threads > 1) workers = std::max(workers, physical_threads(actor, timed));
  }
  return warp + (workers + warp - 1) / warp * warp;
}

}  // namespace

Demand demand(const chase::Program& program, const Limits& limits) {
  Demand result;
  result.carveout = program.carveout;
  result.alone = program.alone;
  result.memory = memory(program);
  result.sms = distinct_sms(program);
  result.banks = banks(program);
  if (has_code(program)) result.kernel = Kernel::code;
  // CTAs of several kernels must fit on the SM at the same time, and the first kernel determines its carve-out.
  if (result.banks > 1) result.carveout = limits.shared_per_sm;
  result.threads = cta_threads(program);
  result.constants = constant_layout(program);
  const std::int64_t beside = limits.shared_static + limits.shared_reserved;
  const std::int64_t wanted = shared_arrays(program) + most_slots(program) * slot_bytes + beside;
  // The driver may ignore the preferred carve-out, but not the shared memory that a CTA needs.
  const auto rounded = program.carveout > 0
                           ? static_cast<std::uint64_t>(std::max(wanted, program.carveout))
                           : std::bit_ceil(static_cast<std::uint64_t>(std::max(wanted, smallest_shared)));
  result.dynamic_shared = std::min(static_cast<std::int64_t>(rounded) - beside,
                                   (limits.shared_per_block - limits.shared_static) / slot_bytes * slot_bytes);
  return result;
}

std::vector<WavePlan> schedule(std::span<const Demand> demands, const Limits& limits) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < demands.size(); ++i) {
    auto group = std::ranges::find_if(groups, [&](const Group& g) { return g.settings->same_launch(demands[i]); });
    if (group == groups.end()) group = groups.insert(group, Group{&demands[i], {}});
    place(*group, i, demands[i], limits);
  }
  std::vector<WavePlan> plans;
  for (Group& group : groups) {
    for (OpenWave& wave : group.waves) {
      wave.assign_free_sms();
      plans.push_back(std::move(wave.plan));
    }
  }
  return plans;
}

}  // namespace tomograph::cuda
