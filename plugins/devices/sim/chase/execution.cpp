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

/// Threads of an actor that follows a ring with several of them fill warp after warp.
constexpr std::size_t warp_size = 32;

std::int64_t warps(std::int64_t threads) {
  constexpr auto size = static_cast<std::int64_t>(warp_size);
  return (threads + size - 1) / size;
}

/// Number of loads that thread `thread` of `threads` makes of `loads` in all.
std::int64_t share(std::int64_t loads, std::size_t thread, std::size_t threads) {
  const auto count = static_cast<std::int64_t>(threads);
  return loads / count + (static_cast<std::int64_t>(thread) < loads % count ? 1 : 0);
}

}  // namespace

chase::Result Execution::run(const chase::Program& program) {
  expect_paths(program);
  expect_countable_uses(program);
  const std::uint64_t seed = mix(identity(program) ^ mix(options_.seed));
  place_actors(program, stream_seed(seed, Stream::sm));
  // Programs with equal arrays find them at equal virtual addresses, as on a GPU that runs one after the other.
  const std::uint64_t addresses = mix(identity(program.arrays) ^ mix(options_.seed));
  const Placement placement(hierarchy_, program.arrays,
                            {stream_seed(addresses, Stream::placement), stream_seed(seed, Stream::placement)});
  expect_memory(program, placement);
  layout_.build(hierarchy_, program, placement);
  reset_caches(program);
  replacement_ = Random(stream_seed(seed, Stream::replacement));
  noise_ = Random(stream_seed(seed, Stream::noise));
  outliers_.emplace(hierarchy_.gpu.noise, noise_);

  chase::Result result;
  result.overhead_each = static_cast<double>(hierarchy_.gpu.instrument.each_overhead);
  result.overhead_total = static_cast<double>(hierarchy_.gpu.instrument.total_overhead);
  result.kernel_shared = shared_bytes(program);
  for (const std::size_t sm : sm_of_actor_) result.sms.push_back(sms_[sm].number);
  for (const chase::Phase& phase : program.phases) run_phase(program, phase, result);
  return result;
}

/// Caches count uses in 32 bits, and one load uses each line of its block.
void Execution::expect_countable_uses(const chase::Program& program) const {
  std::int64_t left = std::numeric_limits<std::uint32_t>::max() / hierarchy_.l2_lines(program);
  for (const chase::Phase& phase : program.phases) {
    if (phase.loads > left) throw Refused(TOMOGRAPH_INVALID, "the program has more than 2^32 loads");
    left -= phase.loads;
  }
}

void Execution::expect_paths(const chase::Program& program) const {
  for (const chase::Actor& actor : program.actors) {
    const bool described = actor.path != chase::Path::shared || hierarchy_.gpu.shared_memory;
    if (described && hierarchy_.gpu.load_paths.has(actor.path)) continue;
    throw Refused(TOMOGRAPH_UNSUPPORTED, "this GPU has no loads on path " + name_of(actor.path));
  }
}

void Execution::expect_memory(const chase::Program& program, const Placement& placement) const {
  const auto size = hierarchy_.gpu.dram.size;
  if (size && placement.physical_bytes() > static_cast<std::uint64_t>(*size)) {
    throw Refused(TOMOGRAPH_FAILED, "out of memory: the arrays take " + std::to_string(placement.physical_bytes()) +
                                        " B, the GPU has " + std::to_string(*size) + " B");
  }
  const auto& shared = hierarchy_.gpu.shared_memory;
  if (shared && shared_bytes(program) > shared->size_per_block) {
    throw Refused(TOMOGRAPH_INVALID, "the program takes " + std::to_string(shared_bytes(program)) +
                                         " B of shared memory, a CTA has " + std::to_string(shared->size_per_block) +
                                         " B");
  }
  const std::uint64_t constants = bytes_in(chase::Space::constant, program.arrays);
  const std::int64_t most = hierarchy_.gpu.constant_memory.size;
  if (constants > static_cast<std::uint64_t>(most)) {
    throw Refused(TOMOGRAPH_INVALID, "the arrays take " + std::to_string(constants) +
                                         " B of constant memory, a program has " + std::to_string(most) + " B");
  }
  const std::int64_t longest = hierarchy_.gpu.constant_memory.array.value_or(most);
  for (const chase::Array& array : program.arrays) {
    if (array.space != chase::Space::constant || array.bytes <= longest) continue;
    throw Refused(TOMOGRAPH_INVALID, "an array takes " + std::to_string(array.bytes) +
                                         " B of constant memory, one may have " + std::to_string(longest) + " B");
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

std::int64_t Execution::shared_bytes(const chase::Program& program) const {
  return hierarchy_.gpu.instrument.kernel_shared +
         static_cast<std::int64_t>(bytes_in(chase::Space::shared, program.arrays));
}

std::size_t Execution::carveout(const chase::Program& program) const {
  const std::int64_t taken = shared_bytes(program);
  if (const auto number = hierarchy_.carveout(program.carveout, taken)) return *number;
  throw Refused(TOMOGRAPH_INVALID, "a carve-out of " + std::to_string(std::max(program.carveout, taken)) +
                                       " B is asked for, at most " + std::to_string(*hierarchy_.largest_carveout()) +
                                       " B can be had");
}

/// The instances of caches and TLBs that the actors use.
void Execution::find_instances(const chase::Program& program) {
  caches_.resize(hierarchy_.caches.size());
  tlb_.resize(hierarchy_.tlb.size());
  for (Instances& instances : caches_) instances.clear();
  for (Instances& instances : tlb_) instances.clear();
  for (std::size_t i = 0; i < program.actors.size(); ++i) {
    const chase::Actor& actor = program.actors[i];
    const std::int64_t sm = sms_[sm_of_actor_[i]].number;
    for (const Route::Link& link : hierarchy_.route(actor.path).links) {
      for (std::int64_t warp = actor.warp; warp < actor.warp + warps(actor.threads); ++warp) {
        caches_[link.cache].add(hierarchy_.caches[link.cache].instance(sm, warp));
      }
    }
    for (std::size_t level = 0; level < tlb_.size(); ++level) {
      tlb_[level].add(hierarchy_.tlb[level].instance(sm, actor.warp));
    }
  }
}

void Execution::reset_caches(const chase::Program& program) {
  find_instances(program);
  const std::size_t selected = carveout(program);
  for (std::size_t i = 0; i < caches_.size(); ++i) {
    caches_[i].reset(hierarchy_.caches[i].organisation(selected), layout_.cache(i).sets());
  }
  for (std::size_t i = 0; i < tlb_.size(); ++i) {
    tlb_[i].reset(hierarchy_.tlb[i].organisation(selected), layout_.tlb(i).sets());
  }
  l2_.resize(static_cast<std::size_t>(hierarchy_.gpu.l2.partitions));
  for (CacheState& partition : l2_) partition.reset(hierarchy_.l2_organisation, layout_.l2().sets());
  if (!tlb_.empty()) walked_.assign(layout_.tlb(tlb_.size() - 1).sets().size(), 0);
  active_window_.reset();
}

Execution::Walk Execution::walk(const chase::Program& program, const chase::Phase& phase, std::int64_t warp) {
  const auto ring = static_cast<std::size_t>(phase.ring);
  const chase::Path path = program.actors[static_cast<std::size_t>(phase.actor)].path;
  const Sm& sm = sms_[sm_of_actor_[static_cast<std::size_t>(phase.actor)]];
  Walk walk{&sm,  static_cast<std::size_t>(program.rings[ring].size()), {}, {}, &hierarchy_.route(path), {}, {}, 0,
            false};
  for (const Route::Link& link : walk.route->links) {
    walk.caches.push_back({&caches_[link.cache][hierarchy_.caches[link.cache].instance(sm.number, warp)],
                           layout_.cache(link.cache).ring(ring), &link.request,
                           static_cast<std::uint32_t>(hierarchy_.gpu.caches[link.cache].latency), link.translates});
  }
  for (std::size_t level = 0; level < tlb_.size(); ++level) {
    walk.tlb.push_back({&tlb_[level][hierarchy_.tlb[level].instance(sm.number, warp)], layout_.tlb(level).ring(ring),
                        &hierarchy_.tlb_request[level],
                        static_cast<std::uint32_t>(hierarchy_.gpu.translation.tlb[level].penalty), false});
  }
  walk.l2 = layout_.l2().ring(ring);
  walk.windows = layout_.windows().ring(ring);
  walk.delay = static_cast<std::uint32_t>(hierarchy_.gpu.load_paths.delay(path));
  walk.in_shared_memory = path == chase::Path::shared;
  return walk;
}

void Execution::run_phase(const chase::Program& program, const chase::Phase& phase, chase::Result& result) {
  const chase::Actor& actor = program.actors[static_cast<std::size_t>(phase.actor)];
  if (phase.timing == chase::Timing::each) {
    time_each(walk(program, phase, actor.warp), phase, result);
    return;
  }
  std::vector<Walk> all;
  for (std::int64_t warp = 0; warp < warps(actor.threads); ++warp)
    all.push_back(walk(program, phase, actor.warp + warp));
  const double total = time_total(all, phase, static_cast<std::size_t>(actor.threads));
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
    if (++position == walk.nodes) position = 0;
  }
  result.traces.push_back(std::move(trace));
}

/// The threads of an actor take turns load by load; the phase lasts as long as the slowest of them.
double Execution::time_total(std::span<const Walk> warps, const chase::Phase& phase, std::size_t threads) {
  const std::size_t nodes = warps.front().nodes;
  std::vector<std::size_t> positions(threads);
  std::vector<std::uint64_t> cycles(threads);
  std::array<std::uint64_t, level_count> served_by{};
  for (std::size_t thread = 0; thread < threads; ++thread) {
    positions[thread] = (static_cast<std::size_t>(phase.first) + thread * nodes / threads) % nodes;
  }
  for (std::int64_t turn = 0; turn < share(phase.loads, 0, threads); ++turn) {
    for (std::size_t thread = 0; thread < threads && turn < share(phase.loads, thread, threads); ++thread) {
      std::size_t& position = positions[thread];
      const Served served = load(warps[thread / warp_size], position);
      cycles[thread] += served.cycles;
      ++served_by[static_cast<std::size_t>(served.level)];
      if (++position == nodes) position = 0;
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
  std::uint32_t cycles = walk.delay;
  for (const Stage& stage : walk.caches) {
    if (stage.translates) cycles += translate(walk, position);
    const Place place = stage.places[position];
    const std::uint32_t wanted = stage.request->wanted[place.sector];
    if ((stage.state->valid(place.line) & wanted) == wanted) {
      stage.state->touch(place.line);
      return {stage.cycles + cycles, Level::l1};
    }
    stage.state->fill(place.line, stage.request->fetched[place.sector], replacement_);
  }
  return load_beyond_caches(walk, position, cycles);
}

inline void Execution::prepare_l2(const Walk& walk, std::size_t position) const {
  const auto at = [&](std::size_t ahead) {
    const std::size_t next = position + ahead;
    return walk.l2[next < walk.l2.size() ? next : next - walk.l2.size()].line;
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

Execution::Served Execution::load_beyond_caches(const Walk& walk, std::size_t position, std::uint32_t cycles) {
  if (walk.in_shared_memory) {
    return {static_cast<std::uint32_t>(hierarchy_.gpu.shared_memory->latency) + cycles, Level::l1};
  }
  if (walk.route->l2_translates) cycles += translate(walk, position);
  const Place& place = walk.l2[position];
  if (walk.nodes > prepared_ring) prepare_l2(walk, position);
  Served served = serve_from_l2(walk.sm->partition, place.line, place.sector, walk.route->l2);
  if (walk.route->l2_lines > 1) fetch_rest_of_block(walk, place);
  const std::int32_t distance = walk.sm->distances[layout_.slice(place.line)];
  served.cycles = static_cast<std::uint32_t>(static_cast<std::int64_t>(served.cycles) + distance) + cycles;
  return served;
}

/// A miss that fetches more than one L2 line reads the others too; the load waits only for its own.
void Execution::fetch_rest_of_block(const Walk& walk, const Place& place) {
  const std::uint32_t lines = walk.route->l2_lines;
  const std::uint32_t first = place.line - place.line_of_block % lines;
  for (std::uint32_t line = first; line < first + lines; ++line) {
    if (line != place.line) serve_from_l2(walk.sm->partition, line, 0, walk.route->l2);
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
  for (const Stage& level : walk.tlb) {
    const Place place = level.places[position];
    const std::uint32_t wanted = level.request->wanted[place.sector];
    if ((level.state->valid(place.line) & wanted) != 0) {
      level.state->touch(place.line);
      return penalty;
    }
    level.state->fill(place.line, wanted, replacement_);
    penalty += level.cycles;
  }
  if (!walk.tlb.empty()) penalty += walk_page_table(walk, position);
  return walk.windows.empty() ? penalty : penalty + activate_window(walk, position);
}

/// The first walk for a page reads its entry from memory, later ones find it in the L2, which holds page tables, too
/// (Mei & Chu 2017, section 3).
std::uint32_t Execution::walk_page_table(const Walk& walk, std::size_t position) {
  const Place place = walk.tlb.back().places[position];
  std::uint32_t& walked = walked_[place.line];
  const std::uint32_t page = std::uint32_t{1} << place.sector;
  const bool first = (walked & page) == 0;
  walked |= page;
  return first ? static_cast<std::uint32_t>(hierarchy_.gpu.translation.first_walk_penalty) : 0;
}

/// The page tables are read in the window that is active; the first one costs nothing.
std::uint32_t Execution::activate_window(const Walk& walk, std::size_t position) {
  const std::uint32_t window = walk.windows[position].line;
  const bool switches = active_window_ && *active_window_ != window;
  active_window_ = window;
  return switches ? static_cast<std::uint32_t>(hierarchy_.gpu.translation.page_window->penalty) : 0;
}

}  // namespace tomograph::sim
