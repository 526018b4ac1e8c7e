#include "program_runner.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace independent {

namespace {

namespace chase = tomograph::chase;

constexpr std::int64_t most_constants = 65280;  ///< bytes of an array of constants
constexpr std::size_t most_constant_arrays = 4;
constexpr std::uint64_t constant_spacing = 65536;
constexpr double overhead_each = 14;
constexpr double overhead_total = 38;
constexpr double gap_between_phases = 500;

/// Writes after which an earlier one no longer matters, in lines of L2.
constexpr std::int64_t remembered_writes = 3;

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

ProgramRunner::ProgramRunner(Machine& machine, const chase::Program& program, std::uint32_t any_sm)
    : machine_(machine), program_(program), any_sm_(any_sm) {
  refuse_unsupported();
  place_arrays();
  for (const chase::Ring& ring : program_.rings) rings_.push_back(nodes_of(ring));
}

void ProgramRunner::refuse_unsupported() const {
  std::int64_t global_bytes = 0;
  std::size_t constant_arrays = 0;
  for (const chase::Array& array : program_.arrays) {
    if (array.space == chase::Space::instruction || array.space == chase::Space::texture) {
      throw Unsupported("this GPU has neither instructions nor two-dimensional textures");
    }
    if (array.space == chase::Space::global && array.alias == chase::no_alias) global_bytes += array.bytes;
    if (array.space != chase::Space::constant) continue;
    if (array.bytes > most_constants || ++constant_arrays > most_constant_arrays) {
      throw Unsupported("constant memory has four times 65,280 B");
    }
  }
  if (global_bytes > machine_.gpu().memory.free) throw std::runtime_error("out of memory");
}

void ProgramRunner::place_arrays() {
  constexpr auto alignment = static_cast<std::uint64_t>(chase::array_alignment);
  const auto page = static_cast<std::uint64_t>(machine_.gpu().translation.page);
  // Addresses of a GPU begin somewhere, at no multiple of a TLB's span.
  std::uint64_t next = (mix(machine_.gpu().seed + 7) % 1000) * alignment;
  if (!machine_.gpu().translation.stable_addresses) next += machine_.noise().random().below(20000) * alignment;
  std::uint64_t next_constant = ((std::uint64_t{1} << 24) - 4096) * page;
  for (const chase::Array& array : program_.arrays) {
    if (array.space == chase::Space::constant) {
      places_.push_back({next_constant, next_constant});
      next_constant += std::max(constant_spacing, page);
      continue;
    }
    places_.push_back({next, next});
    if (array.alias != chase::no_alias)
      places_.back().physical = places_[static_cast<std::size_t>(array.alias)].physical;
    next = round_up(next + static_cast<std::uint64_t>(array.bytes), alignment);
  }
}

ProgramRunner::Nodes ProgramRunner::nodes_of(const chase::Ring& ring) const {
  const auto array = static_cast<std::size_t>(ring.array);
  Nodes nodes{places_[array].logical, ring.start, ring.stride, ring.size()};
  if (!ring.nodes.empty() || ring.order == chase::Order::shuffled) nodes.offsets = chase::node_offsets(ring);
  nodes.translated = program_.arrays[array].space == chase::Space::global;
  return nodes;
}

Address ProgramRunner::address(std::size_t ring, std::int64_t node) {
  const std::uint64_t logical = rings_[ring].at(node);
  const ArrayPlace& place = places_[static_cast<std::size_t>(program_.rings[ring].array)];
  return {logical, machine_.placed(logical - place.logical + place.physical)};
}

std::uint32_t ProgramRunner::sm_of(const chase::Actor& actor) const {
  return actor.sm == chase::any_sm ? any_sm_ : static_cast<std::uint32_t>(actor.sm);
}

std::int64_t ProgramRunner::remembered(const chase::Ring& ring) const {
  const L2Description& l2 = machine_.gpu().l2;
  const std::int64_t lines = remembered_writes * l2.cache.lines() * l2.partitions;
  const std::int64_t distance = ring.stride > 0 ? std::min(ring.stride, l2.cache.line) : chase::node_bytes;
  return lines * (l2.cache.line / distance);
}

void ProgramRunner::write_nodes() {
  for (std::size_t ring = 0; ring < rings_.size(); ++ring) {
    const chase::Space space = program_.arrays[static_cast<std::size_t>(program_.rings[ring].array)].space;
    if (space == chase::Space::shared) continue;
    const std::int64_t count = rings_[ring].count;
    for (std::int64_t node = std::max<std::int64_t>(0, count - remembered(program_.rings[ring])); node < count;
         ++node) {
      machine_.write(address(ring, node), rings_[ring].translated);
    }
  }
}

double ProgramRunner::load(const chase::Actor& actor, std::uint32_t sm, std::size_t ring, std::int64_t node) {
  const auto warp = static_cast<std::uint32_t>(actor.warp);
  if (actor.path == chase::Path::shared) return machine_.gpu().shared_latency;
  const Address at = address(ring, node);
  switch (actor.path) {
    case chase::Path::global_ca: return machine_.load_global(data_path, sm, warp, at);
    case chase::Path::global_nc: return machine_.load_global(read_only_path, sm, warp, at);
    case chase::Path::texture: return machine_.load_global(texture_path, sm, warp, at);
    case chase::Path::constant: return machine_.load_constant(sm, warp, at);
    default: return machine_.load_past_first_level(sm, at);
  }
}

// The threads take turns, one load each. Their warps are dealt to an SM's caches.
void ProgramRunner::run_threads(const chase::Phase& phase) {
  chase::Actor actor = program_.actors[static_cast<std::size_t>(phase.actor)];
  const std::uint32_t sm = sm_of(actor);
  const auto ring = static_cast<std::size_t>(phase.ring);
  const std::int64_t count = rings_[ring].count;
  const std::int64_t threads = actor.threads;
  const std::int64_t most_steps = (phase.loads + threads - 1) / threads;
  struct Thread {
    std::int64_t node;
    std::int64_t loads;
  };
  std::vector<Thread> next;
  for (std::int64_t thread = 0; thread < threads; ++thread) {
    next.push_back({(phase.first + thread * count / threads) % count,
                    (thread + 1) * phase.loads / threads - thread * phase.loads / threads});
  }
  double longest = 0;
  for (std::int64_t step = 0; step < most_steps; ++step) {
    for (std::int64_t thread = 0; thread < threads; ++thread) {
      auto& [node, loads] = next[static_cast<std::size_t>(thread)];
      if (step >= loads) continue;
      actor.warp = thread / 32;
      longest = std::max(longest, load(actor, sm, ring, node));
      if (++node == count) node = 0;
    }
  }
  machine_.noise().pass(longest * static_cast<double>(most_steps));
}

void ProgramRunner::run_phase(const chase::Phase& phase, chase::Result& result) {
  const chase::Actor& actor = program_.actors[static_cast<std::size_t>(phase.actor)];
  Noise& noise = machine_.noise();
  noise.pass(gap_between_phases * noise.random().uniform());
  const std::int64_t begin = noise.clock();
  const bool each = phase.timing == chase::Timing::each;
  if (actor.threads > 1) {
    run_threads(phase);
  } else {
    if (each) result.traces.emplace_back();
    const std::uint32_t sm = sm_of(actor);
    const auto ring = static_cast<std::size_t>(phase.ring);
    const std::int64_t count = rings_[ring].count;
    std::int64_t node = phase.first;
    for (std::int64_t i = 0; i < phase.loads; ++i) {
      const std::int64_t before = noise.clock();
      noise.end(load(actor, sm, ring, node) + (each ? overhead_each : 0));
      if (each) {
        result.traces.back().latency.push_back(static_cast<std::uint32_t>(noise.clock() - before));
        result.traces.back().node.push_back(static_cast<std::uint32_t>(node));
      }
      if (++node == count) node = 0;
    }
  }
  noise.pass(overhead_total);
  if (phase.timing == chase::Timing::total) result.totals.push_back(static_cast<double>(noise.clock() - begin));
}

chase::Result ProgramRunner::run() {
  machine_.begin_program(program_.carveout);
  write_nodes();
  chase::Result result;
  for (const chase::Phase& phase : program_.phases) run_phase(phase, result);
  result.overhead_each = overhead_each;
  result.overhead_total = overhead_total;
  for (const chase::Actor& actor : program_.actors) result.sms.push_back(sm_of(actor));
  return result;
}

}  // namespace independent
