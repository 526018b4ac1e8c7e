#include "sim/chase/execution.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "tomograph/session.hpp"

namespace tomograph::sim {

namespace {

/// Rings of more nodes than this outgrow the caches of the machine that simulates,
constexpr std::size_t prepared_ring = std::size_t{1} << 18;
/// so memory is asked for this many loads ahead.
constexpr std::size_t slot_distance = 16;
constexpr std::size_t victim_distance = 8;

/// Independent random sequences of one program.
enum class Stream : std::uint64_t { sm = 1, placement, replacement, noise };

std::uint64_t stream_seed(std::uint64_t seed, Stream stream) { return mix(seed + static_cast<std::uint64_t>(stream)); }

/// Number of loads that thread `thread` of `threads` makes of `loads` in all.
std::int64_t share(std::int64_t loads, std::size_t thread, std::size_t threads) {
  const auto count = static_cast<std::int64_t>(threads);
  return loads / count + (static_cast<std::int64_t>(thread) < loads % count ? 1 : 0);
}

}  // namespace

chase::Result Execution::run(const chase::Program& program) {
  expect_countable_uses(program);
  const std::uint64_t seed = mix(identity(program) ^ mix(options_.seed));
  place_actors(program, stream_seed(seed, Stream::sm));
  const Placement placement(program.arrays, stream_seed(seed, Stream::placement));
  const auto size = hierarchy_.gpu.dram.size;
  if (size && placement.physical_bytes() > static_cast<std::uint64_t>(*size)) {
    throw Refused(TOMOGRAPH_FAILED, "out of memory: the arrays take " + std::to_string(placement.physical_bytes()) +
                                        " B, the GPU has " + std::to_string(*size) + " B");
  }
  layout_.build(hierarchy_, program, placement);
  reset_caches(program);
  replacement_ = Random(stream_seed(seed, Stream::replacement));
  noise_ = Random(stream_seed(seed, Stream::noise));
  outliers_.emplace(hierarchy_.gpu.noise, noise_);

  chase::Result result;
  result.overhead_each = static_cast<double>(hierarchy_.gpu.instrument.each_overhead);
  result.overhead_total = static_cast<double>(hierarchy_.gpu.instrument.total_overhead);
  result.kernel_shared = hierarchy_.gpu.instrument.kernel_shared;
  for (const std::size_t sm : sm_of_actor_) result.sms.push_back(sms_[sm].number);
  for (const chase::Phase& phase : program.phases) run_phase(program, phase, result);
  return result;
}

/// Caches count uses in 32 bits, and one load uses each line of its block.
void Execution::expect_countable_uses(const chase::Program& program) const {
  const std::int64_t lines = hierarchy_.l2_block / hierarchy_.gpu.l2.cache.line_size;
  std::int64_t left = std::numeric_limits<std::uint32_t>::max() / lines;
  for (const chase::Phase& phase : program.phases) {
    if (phase.loads > left) throw Refused(TOMOGRAPH_INVALID, "the program has more than 2^32 loads");
    left -= phase.loads;
  }
}

void Execution::place_actors(const chase::Program& program, std::uint64_t seed) {
  const std::int64_t sm_count = hierarchy_.gpu.sm_count;
  const auto any = static_cast<std::int64_t>(Random(seed).below(static_cast<std::uint32_t>(sm_count)));
  std::vector<std::int64_t> numbers;
  sm_of_actor_.clear();
  for (const chase::Actor& actor : program.actors) {
    if (actor.sm >= sm_count || actor.sm < chase::any_sm) {
      throw Refused(TOMOGRAPH_INVALID, "an actor asks for SM " + std::to_string(actor.sm) + ", the GPU has SMs 0 to " +
                                           std::to_string(sm_count - 1));
    }
    const std::int64_t number = actor.sm == chase::any_sm ? any : actor.sm;
    const auto found = std::ranges::find(numbers, number);
    sm_of_actor_.push_back(static_cast<std::size_t>(found - numbers.begin()));
    if (found == numbers.end()) numbers.push_back(number);
  }
  sms_.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    sms_[i].number = numbers[i];
    sms_[i].partition = hierarchy_.partition_of(numbers[i]);
    sms_[i].distances = hierarchy_.distances(numbers[i]);
  }
}

const Organisation* Execution::l1_organisation(const chase::Program& program) const {
  if (!hierarchy_.gpu.l1) return nullptr;
  const Organisation* organisation = hierarchy_.l1_beside(program.carveout);
  if (organisation == nullptr) {
    throw Refused(TOMOGRAPH_INVALID,
                  "a carve-out of " + std::to_string(program.carveout) + " B is asked for, at most " +
                      std::to_string(hierarchy_.gpu.l1->carveouts->shared_memory.back()) + " B can be had");
  }
  return organisation;
}

void Execution::reset_caches(const chase::Program& program) {
  const Organisation* l1 = l1_organisation(program);
  for (Sm& sm : sms_) reset_sm(sm, l1);
  l2_.resize(static_cast<std::size_t>(hierarchy_.gpu.l2.partitions));
  for (CacheState& partition : l2_) partition.reset(hierarchy_.l2_organisation, layout_.l2_sets());
}

void Execution::reset_sm(Sm& sm, const Organisation* l1) {
  if (l1 != nullptr) sm.l1.reset(*l1, layout_.l1_sets());
  sm.tlb.resize(hierarchy_.tlb_organisation.size());
  for (std::size_t level = 0; level < sm.tlb.size(); ++level) {
    sm.tlb[level].reset(hierarchy_.tlb_organisation[level], layout_.translation_sets(level));
  }
}

void Execution::run_phase(const chase::Program& program, const chase::Phase& phase, chase::Result& result) {
  const auto actor = static_cast<std::size_t>(phase.actor);
  const auto ring = static_cast<std::size_t>(phase.ring);
  const Walk walk{&sms_[sm_of_actor_[actor]], hierarchy_.in_l1(program.actors[actor].path), layout_.ring(ring), ring};
  if (phase.timing == chase::Timing::each) {
    time_each(walk, phase, result);
    return;
  }
  const double total = time_total(walk, phase, static_cast<std::size_t>(program.actors[actor].threads));
  if (phase.timing == chase::Timing::total) result.totals.push_back(total);
}

void Execution::time_each(const Walk& walk, const chase::Phase& phase, chase::Result& result) {
  const auto loads = static_cast<std::size_t>(phase.loads);
  const std::int64_t overhead = hierarchy_.gpu.instrument.each_overhead;
  chase::Result::Trace trace{std::vector<std::uint32_t>(loads), std::vector<std::uint32_t>(loads)};
  auto position = static_cast<std::size_t>(phase.first);
  for (std::size_t i = 0; i < loads; ++i) {
    const Served served = load(walk, position);
    std::int64_t cycles = served.cycles;
    if (options_.noise) {
      cycles += hierarchy_.jitter.draw(served.level, noise_);
      if (served.level == Level::dram) cycles += outliers_->next(noise_);
    }
    trace.latency[i] = static_cast<std::uint32_t>(std::max<std::int64_t>(cycles, 1) + overhead);
    trace.node[i] = static_cast<std::uint32_t>(position);
    if (++position == walk.nodes.size()) position = 0;
  }
  result.traces.push_back(std::move(trace));
}

/// The threads of an actor take turns load by load; the phase lasts as long as the slowest of them.
double Execution::time_total(const Walk& walk, const chase::Phase& phase, std::size_t threads) {
  std::vector<std::size_t> positions(threads);
  std::vector<std::uint64_t> cycles(threads);
  std::array<std::uint64_t, level_count> served_by{};
  for (std::size_t thread = 0; thread < threads; ++thread) {
    positions[thread] =
        (static_cast<std::size_t>(phase.first) + thread * walk.nodes.size() / threads) % walk.nodes.size();
  }
  for (std::int64_t turn = 0; turn < share(phase.loads, 0, threads); ++turn) {
    for (std::size_t thread = 0; thread < threads && turn < share(phase.loads, thread, threads); ++thread) {
      std::size_t& position = positions[thread];
      const Served served = load(walk, position);
      cycles[thread] += served.cycles;
      ++served_by[static_cast<std::size_t>(served.level)];
      if (++position == walk.nodes.size()) position = 0;
    }
  }
  auto total = static_cast<double>(std::ranges::max(cycles) +
                                   static_cast<std::uint64_t>(hierarchy_.gpu.instrument.total_overhead));
  if (options_.noise && phase.timing == chase::Timing::total) {
    const std::uint64_t delay = outliers_->next_sum(served_by[static_cast<std::size_t>(Level::dram)], noise_);
    total = std::max(1.0, total + hierarchy_.jitter.draw_sum(served_by, noise_) + static_cast<double>(delay));
  }
  return total;
}

Execution::Served Execution::load(const Walk& walk, std::size_t position) {
  if (!walk.in_l1) return load_beyond_l1(walk, position, hierarchy_.bypass);
  const Node& node = walk.nodes[position];
  const L1& l1 = *hierarchy_.gpu.l1;
  CacheState& state = walk.sm->l1;
  if ((state.valid(node.l1_line) >> node.l1_sector & 1) != 0) {
    state.touch(node.l1_line);
    const std::uint32_t translation = l1.virtually_tagged ? 0 : translate(walk, position);
    return {static_cast<std::uint32_t>(l1.latency) + translation, Level::l1};
  }
  state.fill(node.l1_line, hierarchy_.l1_fetched[node.l1_sector], replacement_);
  return load_beyond_l1(walk, position, hierarchy_.l1_miss);
}

inline void Execution::prepare_l2(const Walk& walk, std::size_t position) const {
  const auto at = [&](std::size_t ahead) {
    const std::size_t next = position + ahead;
    return walk.nodes[next < walk.nodes.size() ? next : next - walk.nodes.size()].l2_line;
  };
  const std::uint32_t early = at(slot_distance);
  const std::uint32_t late = at(victim_distance);
  const CacheState& near = l2_[walk.sm->partition];
  near.prepare_victim_slot(early);
  near.prepare_victim(late);
  const CacheState& home_early = l2_[layout_.home(early)];
  const CacheState& home_late = l2_[layout_.home(late)];
  if (&home_early != &near) home_early.prepare_victim_slot(early);
  if (&home_late != &near) home_late.prepare_victim(late);
}

Execution::Served Execution::load_beyond_l1(const Walk& walk, std::size_t position, const Request& request) {
  const Node& node = walk.nodes[position];
  const Sm& sm = *walk.sm;
  if (walk.nodes.size() > prepared_ring) prepare_l2(walk, position);
  Served served = serve_from_l2(sm.partition, node.l2_line, node.l2_sector, request);
  if (&request == &hierarchy_.l1_miss) fetch_rest_of_block(sm, node, request);
  const auto distance = sm.distances[layout_.slice(node.l2_line)];
  served.cycles =
      static_cast<std::uint32_t>(static_cast<std::int64_t>(served.cycles) + distance) + translate(walk, position);
  return served;
}

/// An L1 miss that fetches more than one L2 line reads the others too; the load waits only for its own.
void Execution::fetch_rest_of_block(const Sm& sm, const Node& node, const Request& request) {
  const auto lines = static_cast<std::uint32_t>(hierarchy_.l2_block / hierarchy_.gpu.l2.cache.line_size);
  const std::uint32_t first = node.l2_line - node.line_of_block;
  for (std::uint32_t line = first; line < first + lines; ++line) {
    if (line != node.l2_line) serve_from_l2(sm.partition, line, 0, request);
  }
}

/// A line lives in its home partition. An SM of another partition keeps a copy in its own one if the GPU
/// replicates; the copy competes for room like any other line.
Execution::Served Execution::serve_from_l2(std::uint32_t partition, std::uint32_t line, std::uint32_t sector,
                                           const Request& request) {
  const L2& l2 = hierarchy_.gpu.l2;
  const std::uint32_t wanted = request.wanted[sector];
  const std::uint32_t fetched = request.fetched[sector];
  const auto look_up = [&](CacheState& state) {
    const std::uint32_t valid = state.valid(line);
    if ((valid & wanted) == wanted) {
      state.touch(line);
    } else {
      state.fill(line, fetched, replacement_);
    }
    return (valid >> sector & 1) != 0;
  };
  const std::uint32_t home = layout_.home(line);
  const bool near = home == partition;
  if (!near && l2.replicate && look_up(l2_[partition])) return {static_cast<std::uint32_t>(l2.latency), Level::l2};
  if (look_up(l2_[home])) return {static_cast<std::uint32_t>(near ? l2.latency : l2.far_latency), Level::l2};
  return {static_cast<std::uint32_t>(near ? hierarchy_.gpu.dram.latency : hierarchy_.gpu.dram.far_latency),
          Level::dram};
}

std::uint32_t Execution::translate(const Walk& walk, std::size_t position) {
  std::uint32_t penalty = 0;
  for (std::size_t level = 0; level < walk.sm->tlb.size(); ++level) {
    CacheState& tlb = walk.sm->tlb[level];
    const std::uint32_t entry = layout_.translations(level, walk.ring)[position];
    if (tlb.valid(entry) != 0) {
      tlb.touch(entry);
      return penalty;
    }
    tlb.fill(entry, 1, replacement_);
    penalty += static_cast<std::uint32_t>(hierarchy_.gpu.tlb[level].penalty);
  }
  return penalty;
}

}  // namespace tomograph::sim
