#include "cuda/chase/schedule.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "cuda/chase/kernels.hpp"

namespace tomograph::cuda {

namespace {

constexpr std::int64_t warp = warp_threads;
constexpr std::int64_t smallest_shared = 2048;

std::int64_t most_slots(const chase::Program& program) {
  const std::vector<std::int64_t> counts = slots(program);
  return counts.empty() ? 0 : std::ranges::max(counts);
}

std::int64_t inner_bytes(const chase::Array& array) {
  return (array.bytes + inner_alignment - 1) / inner_alignment * inner_alignment;
}

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

  /// Gives the programs that run anywhere the SMs that are left, lowest number first.
  void settle() {
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

/// Shared memory that arrays take, the gap before the first one included.
std::int64_t shared_arrays(const chase::Program& program) {
  const std::int64_t bytes = shared_offsets(program).back();
  return bytes == 0 ? 0 : bytes + inner_alignment;
}

/// Threads of a CTA for the program.
std::int64_t cta_threads(const chase::Program& program) {
  const std::uint32_t timed = timed_warps(program);
  if (timed != 1) return most_threads;
  std::int64_t workers = 0;
  for (const chase::Actor& actor : program.actors) {
    if (actor.threads > 1) workers = std::max(workers, physical_threads(program, actor));
  }
  return warp + (workers + warp - 1) / warp * warp;
}

std::optional<std::string> constant_shortage(const chase::Program& program) {
  for (const chase::Array& array : program.arrays) {
    if (array.space != chase::Space::constant || array.bytes <= constant_bytes) continue;
    return "an array of " + std::to_string(array.bytes) + " B in constant memory is asked for, they have up to " +
           std::to_string(constant_bytes) + " B";
  }
  const std::int64_t needed = banks(program);
  if (needed == 1) return std::nullopt;
  const std::string many = "constant memory of " + std::to_string(needed) + " banks is asked for, ";
  if (needed > constant_banks) return many + "programs have " + std::to_string(constant_banks);
  const bool plain = std::ranges::all_of(program.actors, [&](const chase::Actor& actor) {
    return actor.sm == program.actors.front().sm && actor.warp == 0 &&
           (actor.threads == 1 || actor.path != chase::Path::constant);
  });
  if (!plain) return many + "more than one serve only actors in the first warp of one SM, of one thread each";
  return std::nullopt;
}

bool has_code(const chase::Program& program) {
  return std::ranges::any_of(program.actors,
                             [](const chase::Actor& one) { return one.path == chase::Path::instruction; });
}

/// The distances of blocks that a block of code can lead to (chase/code_array.cmake).
bool is_code_ring(const chase::Ring& ring) {
  constexpr std::array steps{1, 8};
  const auto is_stride = [&](std::int64_t step) { return ring.stride == step * code_block_bytes; };
  return ring.nodes.empty() && ring.order == chase::Order::sequential &&
         (ring.count == 1 || std::ranges::any_of(steps, is_stride));
}

std::optional<std::string> code_shortage(const chase::Program& program) {
  constexpr std::int64_t most = std::int64_t{code_blocks} * code_block_bytes;
  if (const std::int64_t wanted = code_offsets(program).back(); wanted > most) {
    return "arrays of " + std::to_string(wanted) + " B in instruction memory are asked for, there are " +
           std::to_string(most) + " B";
  }
  for (const chase::Ring& ring : program.rings) {
    const chase::Array& array = program.arrays[static_cast<std::size_t>(ring.array)];
    if (array.space != chase::Space::instruction || is_code_ring(ring)) continue;
    return "a ring over instruction memory is asked for that is not sequential with a stride of 128 or 1024 B";
  }
  if (!has_code(program)) return std::nullopt;
  const bool alone = std::ranges::all_of(program.actors, [](const chase::Actor& actor) {
    return actor.path == chase::Path::constant || (actor.path == chase::Path::instruction && actor.threads == 1);
  });
  if (!alone) return "instructions go with constants only, and only with actors of one thread";
  return std::nullopt;
}

std::optional<std::string> texture_shortage(const chase::Program& program, const Limits& limits) {
  for (const chase::Array& array : program.arrays) {
    if (array.space != chase::Space::texture) continue;
    if (array.width / chase::node_bytes > limits.texture_width || array.bytes / array.width > limits.texture_height) {
      return "a texture of " + std::to_string(array.width / chase::node_bytes) + " x " +
             std::to_string(array.bytes / array.width) + " texels is asked for, the device has them up to " +
             std::to_string(limits.texture_width) + " x " + std::to_string(limits.texture_height);
    }
  }
  for (const chase::Phase& phase : program.phases) {
    if (program.actors[static_cast<std::size_t>(phase.actor)].path != chase::Path::texture) continue;
    const auto ring = static_cast<std::size_t>(phase.ring);
    const std::int64_t bytes = program.arrays[static_cast<std::size_t>(program.rings[ring].array)].bytes;
    if (bytes / chase::node_bytes > limits.texels) {
      return "a linear texture of " + std::to_string(bytes) + " B is asked for, the device has them up to " +
             std::to_string(limits.texels * chase::node_bytes) + " B";
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::int64_t> distinct_sms(const chase::Program& program) {
  std::vector<std::int64_t> sms;
  for (const chase::Actor& actor : program.actors) {
    if (std::ranges::find(sms, actor.sm) == sms.end()) sms.push_back(actor.sm);
  }
  return sms;
}

std::uint32_t timed_warps(const chase::Program& program) {
  std::uint32_t warps = 1;
  for (const chase::Actor& actor : program.actors) {
    if (actor.threads == 1) warps |= 1U << static_cast<std::uint32_t>(actor.warp);
  }
  return warps;
}

std::int64_t physical_threads(const chase::Program& program, const chase::Actor& actor) {
  return std::min<std::int64_t>(actor.threads, most_threads - warp * std::popcount(timed_warps(program)));
}

std::vector<std::int64_t> shared_offsets(const chase::Program& program) {
  std::vector<std::int64_t> starts;
  std::int64_t next = 0;
  for (const chase::Array& array : program.arrays) {
    starts.push_back(array.space == chase::Space::shared ? next : 0);
    if (array.space == chase::Space::shared) next += inner_bytes(array);
  }
  starts.push_back(next);
  return starts;
}

std::vector<std::int64_t> code_offsets(const chase::Program& program) {
  std::vector<std::int64_t> starts;
  std::int64_t next = 0;
  for (const chase::Array& array : program.arrays) {
    const bool code = array.space == chase::Space::instruction;
    starts.push_back(code ? next : 0);
    if (code) next += inner_bytes(array);
  }
  starts.push_back(next);
  return starts;
}

std::vector<ConstantPlace> constant_places(const chase::Program& program) {
  std::vector<ConstantPlace> places;
  ConstantPlace next;
  for (const chase::Array& array : program.arrays) {
    if (array.space != chase::Space::constant) {
      places.push_back({});
      continue;
    }
    if (next.offset != 0 && next.offset + inner_bytes(array) > constant_bytes) next = {next.bank + 1, 0};
    places.push_back(next);
    next.offset += inner_bytes(array);
  }
  places.push_back(next);
  return places;
}

std::int64_t banks(const chase::Program& program) { return constant_places(program).back().bank + 1; }

std::size_t parts(const chase::Program& program) {
  const auto needed = static_cast<std::size_t>(banks(program));
  return needed > 1 ? needed : distinct_sms(program).size();
}

std::size_t part_of(const chase::Program& program, const chase::Phase& phase) {
  if (banks(program) > 1) {
    const std::int64_t array = program.rings[static_cast<std::size_t>(phase.ring)].array;
    return static_cast<std::size_t>(constant_places(program)[static_cast<std::size_t>(array)].bank);
  }
  const std::vector<std::int64_t> sms = distinct_sms(program);
  const std::int64_t sm = program.actors[static_cast<std::size_t>(phase.actor)].sm;
  return static_cast<std::size_t>(std::ranges::find(sms, sm) - sms.begin());
}

std::vector<std::int64_t> slots(const chase::Program& program) {
  std::vector<std::int64_t> counts(parts(program), 0);
  for (const chase::Phase& phase : program.phases) {
    std::int64_t& count = counts[part_of(program, phase)];
    if (phase.timing == chase::Timing::total) ++count;
    if (phase.timing == chase::Timing::each) count += phase.loads;
  }
  return counts;
}

std::int64_t memory(const chase::Program& program) {
  std::int64_t bytes = 0;
  for (const chase::Array& array : program.arrays) {
    if (array.space != chase::Space::global && array.space != chase::Space::texture) continue;
    bytes += (array.bytes + chase::array_alignment - 1) / chase::array_alignment * chase::array_alignment;
  }
  return bytes;
}

std::optional<std::string> impossibility(const chase::Program& program, const Limits& limits) {
  for (const chase::Actor& actor : program.actors) {
    if (actor.sm >= limits.sms) {
      return "an actor names SM " + std::to_string(actor.sm) + ", the device has " + std::to_string(limits.sms);
    }
  }
  for (const chase::Actor& actor : program.actors) {
    if (actor.threads > 1 && physical_threads(program, actor) < 2)
      return "actors name all warps of a CTA but need more";
  }
  const std::int64_t room = (limits.shared_per_block - limits.shared_static - shared_arrays(program)) / slot_bytes;
  if (const std::int64_t wanted = most_slots(program); wanted > room) {
    return "the phases on one SM time " + std::to_string(wanted) + " loads and totals, at most " +
           std::to_string(room) + " fit into shared memory";
  }
  if (program.carveout < chase::default_carveout || program.carveout > limits.shared_per_sm) {
    return "a carve-out of " + std::to_string(program.carveout) + " B is asked for, the most is " +
           std::to_string(limits.shared_per_sm) + " B";
  }
  return std::nullopt;
}

std::optional<std::string> shortage(const chase::Program& program, const Limits& limits) {
  if (auto why = constant_shortage(program)) return why;
  if (auto why = code_shortage(program)) return why;
  const std::int64_t room = limits.shared_per_block - limits.shared_static;
  if (const std::int64_t wanted = shared_arrays(program); wanted > room) {
    return "arrays of " + std::to_string(wanted) + " B in shared memory are asked for, a CTA can have " +
           std::to_string(room) + " B";
  }
  return texture_shortage(program, limits);
}

Demand demand(const chase::Program& program, const Limits& limits) {
  Demand result;
  result.carveout = program.carveout;
  result.alone = program.alone;
  result.memory = memory(program);
  result.sms = distinct_sms(program);
  result.banks = banks(program);
  if (has_code(program)) result.kernel = Kernel::code;
  // CTAs of several kernels must find room on the SM beside each other, whose carve-out stays as the first finds it.
  if (result.banks > 1) result.carveout = limits.shared_per_sm;
  result.threads = cta_threads(program);
  result.constants = constant_layout(program);
  const std::int64_t beside = limits.shared_static + limits.shared_reserved;
  const std::int64_t wanted = shared_arrays(program) + most_slots(program) * slot_bytes + beside;
  // The preferred carve-out is a hint that the driver may ignore; shared memory that a CTA needs is not.
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
      wave.settle();
      plans.push_back(std::move(wave.plan));
    }
  }
  return plans;
}

}  // namespace tomograph::cuda
