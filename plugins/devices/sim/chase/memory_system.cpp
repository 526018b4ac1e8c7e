#include "sim/chase/memory_system.hpp"

#include <cmath>

#include "sim/chase/schedule.hpp"

namespace tomograph::sim {

namespace {

/// Rings with more nodes than this exceed the host's caches, so the host's memory is prefetched for them. A power of
/// two near the lines of a typical host's L2; affects speed only.
constexpr std::size_t large_ring = std::size_t{1} << 16;
/// Loads between prefetch and use: about the host's memory latency divided by the time of one load. Affects speed only.
constexpr std::size_t ahead = 24;

/// Marks a request that no load waits for.
constexpr std::uint16_t no_load = 0xffff;

/// Calls `hits` for each selected load, in order, and keeps the loads for which it returns false. Branch-free, because
/// the result is unpredictable.
template <typename Hits>
void keep_misses(Selection& selection, Hits hits) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < selection.size; ++i) {
    const std::uint16_t load = selection.load[i];
    selection.load[kept] = load;
    kept += hits(load) ? 0 : 1;
  }
  selection.size = kept;
}

/// After a lone thread has hit on a whole round in a cache that never evicts, all its later loads hit too.
bool always_hits(const Stage& stage, const Walk& walk) { return stage.hits >= walk.nodes; }

/// Updates `stage.hits`, given how many loads of the batch reached the stage and how many missed.
void count_hits(Stage& stage, const Walk& walk, const Batch& batch, std::size_t came, std::size_t missed) {
  const bool counts = walk.alone && stage.state->rule() == Rule::no_eviction && came == batch.size && missed == 0;
  stage.hits = counts ? stage.hits + came : 0;
}

}  // namespace

void MemorySystem::reset(const chase::Program& program, const Layout& layout, std::span<const Sm> sms,
                         std::span<const std::size_t> sm_of_actor, std::size_t carveout, std::uint64_t seed) {
  layout_ = &layout;
  find_instances(program, sms, sm_of_actor);
  Random seeds(seed);
  for (std::size_t i = 0; i < caches_.size(); ++i) {
    caches_[i].reset(hierarchy_.caches[i].organisation(carveout), layout.cache(i).sets(), seeds.next());
  }
  for (std::size_t i = 0; i < tlb_.size(); ++i) {
    tlb_[i].reset(hierarchy_.tlb[i].organisation(carveout), layout.tlb(i).sets(), seeds.next());
  }
  l2_.resize(static_cast<std::size_t>(hierarchy_.gpu.l2.partitions));
  const Organisation& l2 = hierarchy_.l2_organisation;
  for (CacheState& partition : l2_) {
    const Random random(seeds.next());
    if (disturbed_) {
      partition.reset_with_intruder(l2, layout.l2().sets(), l2.eviction_rule(), random);
    } else {
      partition.reset(l2, layout.l2().sets(), l2.rule(layout.l2().sets()), random);
    }
  }
  reset_disturbance(seeds.next());
  prefetch_.clear();
  if (!layout.l2_positions().empty()) {
    prefetch_.reset(layout.l2_positions(), layout.homes(), static_cast<std::uint64_t>(hierarchy_.gpu.l2.prefetch_size),
                    static_cast<std::uint64_t>(hierarchy_.gpu.translation.page_size));
  }
  if (!tlb_.empty()) walked_.assign(layout.tlb(tlb_.size() - 1).sets().size(), 0);
  active_window_.reset();
}

void MemorySystem::reset_disturbance(std::uint64_t seed) {
  const Noise& noise = hierarchy_.gpu.noise;
  disturbance_ = Random(seed);
  clock_.emplace(disturbed_ ? noise.clock : ClockSteps{}, disturbance_);
  intruder_.emplace(disturbed_ ? noise.intruder.lines_per_load : 0, disturbance_);
  set_memory_latencies();
}

/// The L2 runs at the SM clock, DRAM at its own. DRAM's part of a latency therefore takes fewer cycles of a slower SM
/// clock.
void MemorySystem::set_memory_latencies() {
  const auto scaled = [&](std::int64_t l2, std::int64_t memory) {
    return static_cast<std::uint32_t>(l2 + std::llround(clock_->rate() * static_cast<double>(memory - l2)));
  };
  near_memory_ = scaled(hierarchy_.gpu.l2.latency, hierarchy_.gpu.dram.latency);
  far_memory_ = scaled(hierarchy_.gpu.l2.far_latency, hierarchy_.gpu.dram.far_latency);
}

/// Called for each load beyond the private caches: the clock may step, and the intruder may load a line.
template <Rule rule>
void MemorySystem::disturb() {
  if (clock_->steps(disturbance_)) set_memory_latencies();
  if (intruder_->next(disturbance_)) {
    l2_[disturbance_.below(static_cast<std::uint32_t>(l2_.size()))].template insert_foreign_line<rule>();
  }
}

/// The instances of caches and TLBs that the actors use.
void MemorySystem::find_instances(const chase::Program& program, std::span<const Sm> sms,
                                  std::span<const std::size_t> sm_of_actor) {
  caches_.resize(hierarchy_.caches.size());
  tlb_.resize(hierarchy_.tlb.size());
  for (Instances& instances : caches_) instances.clear();
  for (Instances& instances : tlb_) instances.clear();
  for (std::size_t i = 0; i < program.actors.size(); ++i) {
    const chase::Actor& actor = program.actors[i];
    const std::int64_t sm = sms[sm_of_actor[i]].number;
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

Walk MemorySystem::walk(const chase::Program& program, const chase::Phase& phase, const Sm& sm, std::int64_t warp) {
  const auto ring = static_cast<std::size_t>(phase.ring);
  const chase::Actor& actor = program.actors[static_cast<std::size_t>(phase.actor)];
  Walk walk{&sm,
            static_cast<std::size_t>(program.rings[ring].size()),
            actor.threads == 1,
            {},
            {},
            &hierarchy_.route(actor.path),
            layout_->l2().ring(ring),
            layout_->windows().ring(ring),
            static_cast<std::uint32_t>(hierarchy_.gpu.load_paths.delay(actor.path)),
            actor.path == chase::Path::shared};
  for (const Route::Link& link : walk.route->links) {
    walk.caches.push_back({&caches_[link.cache][hierarchy_.caches[link.cache].instance(sm.number, warp)],
                           layout_->cache(link.cache).ring(ring), &link.request,
                           static_cast<std::uint32_t>(hierarchy_.gpu.caches[link.cache].latency), link.translates,
                           link.lines});
  }
  for (std::size_t level = 0; level < tlb_.size(); ++level) {
    walk.tlb.push_back({&tlb_[level][hierarchy_.tlb[level].instance(sm.number, warp)], layout_->tlb(level).ring(ring),
                        &hierarchy_.tlb_request[level],
                        static_cast<std::uint32_t>(hierarchy_.gpu.translation.tlb[level].penalty), false, 1});
  }
  return walk;
}

void MemorySystem::serve(Walk& walk, Batch& batch) {
  pending_.all_of(batch);
  std::fill_n(batch.cycles.begin(), batch.size, walk.delay);
  for (Stage& stage : walk.caches) {
    if (stage.translates) translate(walk, batch);
    look_up(walk, stage, batch);
    if (pending_.size == 0) return;
  }
  if (walk.in_shared_memory) {
    const auto latency = static_cast<std::uint32_t>(hierarchy_.gpu.shared_memory->latency);
    for (std::size_t load = 0; load < batch.size; ++load) batch.cycles[load] += latency;
    std::fill_n(batch.level.begin(), batch.size, Level::l1);
    return;
  }
  if (walk.route->l2_translates) translate(walk, batch);
  ask_l2(walk, batch);
}

void MemorySystem::look_up(const Walk& walk, Stage& stage, Batch& batch) {
  const auto serve = [&batch, cycles = stage.cycles](std::uint16_t load, bool hit) {
    batch.cycles[load] += hit ? cycles : 0;
    batch.level[load] = Level::l1;  // a later level overwrites it
    return hit;
  };
  if (always_hits(stage, walk)) {
    for (std::size_t i = 0; i < pending_.size; ++i) serve(pending_.load[i], true);
    pending_.size = 0;
    return;
  }
  const std::size_t came = pending_.size;
  with_rule(stage.state->rule(), [&](auto rule) {
    CacheState& state = *stage.state;
    const Request& request = *stage.request;
    const Place* const places = stage.places.data();
    const auto holds = [&](std::uint32_t line, std::uint8_t sector) {
      const std::uint32_t wanted = request.wanted[sector];
      return (state.use<rule()>(line, wanted, request.fetched[sector]) & wanted) == wanted;
    };
    if (stage.lines > 1) {
      // A load that covers several lines misses as a whole if one of them is missing.
      keep_misses(pending_, [&](std::uint16_t load) {
        const Place place = places[batch.position[load]];
        const std::uint32_t first = place.line - place.line % stage.lines;
        bool all = true;
        for (std::uint32_t line = first; line < first + stage.lines; ++line) all = holds(line, place.sector) && all;
        return serve(load, all);
      });
    } else {
      keep_misses(pending_, [&](std::uint16_t load) {
        const Place place = places[batch.position[load]];
        return serve(load, holds(place.line, place.sector));
      });
    }
  });
  count_hits(stage, walk, batch, came, pending_.size);
}

/// Each TLB level translates what the levels before it miss.
void MemorySystem::translate(Walk& walk, Batch& batch) {
  untranslated_ = pending_;
  for (Stage& level : walk.tlb) {
    if (always_hits(level, walk)) return;
    const std::size_t came = untranslated_.size;
    with_rule(level.state->rule(), [&](auto rule) {
      CacheState& state = *level.state;
      const Request& request = *level.request;
      keep_misses(untranslated_, [&, places = level.places.data(), cycles = level.cycles](std::uint16_t load) {
        const Place place = places[batch.position[load]];
        const std::uint32_t wanted = request.wanted[place.sector];
        const bool hit = (state.use<rule()>(place.line, wanted, wanted) & wanted) != 0;
        batch.cycles[load] += hit ? 0 : cycles;
        return hit;
      });
    });
    count_hits(level, walk, batch, came, untranslated_.size);
    if (untranslated_.size == 0) return;
  }
  if (!walk.tlb.empty()) walk_page_tables(walk, batch);
  if (!walk.windows.empty()) activate_windows(walk, batch);
}

/// The first walk for a page reads the page table from DRAM. Later walks find it in the L2, which caches page tables
/// too (Mei & Chu 2017, section 3).
void MemorySystem::walk_page_tables(const Walk& walk, Batch& batch) {
  const auto penalty = static_cast<std::uint32_t>(hierarchy_.gpu.translation.first_walk_penalty);
  for (std::size_t i = 0; i < untranslated_.size; ++i) {
    const std::uint16_t load = untranslated_.load[i];
    const Place place = walk.tlb.back().places[batch.position[load]];
    const std::uint32_t page = std::uint32_t{1} << place.sector;
    if ((walked_[place.line] & page) == 0) batch.cycles[load] += penalty;
    walked_[place.line] |= page;
  }
}

/// A walk outside the active window activates the window of its page. The first window costs nothing.
void MemorySystem::activate_windows(const Walk& walk, Batch& batch) {
  for (std::size_t i = 0; i < untranslated_.size; ++i) {
    const std::uint16_t load = untranslated_.load[i];
    const std::uint32_t window = walk.windows[batch.position[load]].line;
    if (active_window_ && *active_window_ != window) {
      batch.cycles[load] += static_cast<std::uint32_t>(hierarchy_.gpu.translation.page_window->penalty);
    }
    active_window_ = window;
  }
}

void MemorySystem::ask_l2(const Walk& walk, Batch& batch) {
  far_.clear();
  with_rule(l2_.front().rule(), [&](auto rule) {
    ask_near_partition<rule()>(walk, batch);
    ask_homes<rule()>(walk, batch);
  });
}

/// A line is cached in its home partition. If the GPU replicates, an SM of another partition also keeps a copy in its
/// near partition, where the copy is replaced like any other line.
template <Rule rule>
void MemorySystem::ask_near_partition(const Walk& walk, Batch& batch) {
  const Gpu& gpu = hierarchy_.gpu;
  // Mask over partition numbers: 0 if lines are replicated, so that no lookup depends on the home. Avoids an
  // unpredictable branch.
  const std::uint32_t elsewhere = gpu.l2.replicate ? 0 : ~std::uint32_t{0};
  const std::uint32_t partition = walk.sm->partition;
  const auto l2_cycles = static_cast<std::uint32_t>(gpu.l2.latency);
  const Request& request = walk.route->l2;
  const bool large = rule != Rule::no_eviction && walk.nodes > large_ring;
  const std::size_t loads = pending_.size;
  const Place* const places = walk.l2.data();
  const std::int32_t* const distances = walk.sm->distances.data();
  const bool alone = walk.route->l2_lines == 1;
  const bool disturbed = disturbed_;
  CacheState& near = l2_[partition];
  for (std::size_t i = 0; i < loads; ++i) {
    if (large && i + ahead < loads) near.prefetch_on_host(places[batch.position[pending_.load[i + ahead]]].line);
    const std::uint16_t load = pending_.load[i];
    if (disturbed) disturb<rule>();
    const Place place = places[batch.position[load]];
    const bool far = place.home != partition;
    batch.cycles[load] += static_cast<std::uint32_t>(distances[place.slice]);
    bool valid = false;
    if (((place.home ^ partition) & elsewhere) == 0) {
      valid = (near.use<rule>(place.line, request.wanted[place.sector], request.fetched[place.sector]) >> place.sector &
               1) != 0;
    }
    if (valid) {
      batch.cycles[load] += l2_cycles;
      batch.level[load] = Level::l2;
    } else if (far) {
      far_.push_back({place.line, place.sector, place.home, load});
    } else {
      batch.cycles[load] += near_memory_;
      batch.level[load] = Level::dram;
      prefetch_following<rule>(near, place.line);
    }
    if (!alone) fetch_rest_of_block<rule>(walk, place.line);
  }
}

/// A load that DRAM serves fetches its whole line and the following lines (Mei & Chu 2017, section 4.6).
template <Rule rule>
void MemorySystem::prefetch_following(CacheState& home, std::uint32_t line) {
  if (prefetch_.empty()) return;
  const std::uint32_t sectors = hierarchy_.l2_line;
  home.prefetch<rule>(line, sectors);
  prefetch_.following(line, [&](std::uint32_t other) { home.prefetch<rule>(other, sectors); });
}

/// A miss that fetches several L2 lines reads the others too. The load waits only for its own line.
template <Rule rule>
void MemorySystem::fetch_rest_of_block(const Walk& walk, std::uint32_t line) {
  const Request& request = walk.route->l2;
  const std::uint32_t lines = walk.route->l2_lines;
  const std::uint32_t first = line - line % lines;
  for (std::uint32_t other = first; other < first + lines; ++other) {
    if (other == line) continue;
    const std::uint8_t home = layout_->homes()[other];
    const bool far = home != walk.sm->partition;
    bool valid = false;
    if (!far || hierarchy_.gpu.l2.replicate) {
      valid = (l2_[walk.sm->partition].use<rule>(other, request.wanted[0], request.fetched[0]) & 1) != 0;
    }
    if (far && !valid) far_.push_back({other, 0, home, no_load});
    if (!far && !valid) prefetch_following<rule>(l2_[home], other);
  }
}

template <Rule rule>
void MemorySystem::ask_homes(const Walk& walk, Batch& batch) {
  const auto l2_cycles = static_cast<std::uint32_t>(hierarchy_.gpu.l2.far_latency);
  const Request& request = walk.route->l2;
  const bool large = rule != Rule::no_eviction && walk.nodes > large_ring;
  for (std::size_t i = 0; i < far_.size(); ++i) {
    if (large && i + ahead < far_.size()) l2_[far_[i + ahead].home].prefetch_on_host(far_[i + ahead].line);
    const Far& far = far_[i];
    const std::uint32_t before =
        l2_[far.home].use<rule>(far.line, request.wanted[far.sector], request.fetched[far.sector]);
    const bool valid = (before >> far.sector & 1) != 0;
    if (!valid) prefetch_following<rule>(l2_[far.home], far.line);
    if (far.load == no_load) continue;
    batch.cycles[far.load] += valid ? l2_cycles : far_memory_;
    batch.level[far.load] = valid ? Level::l2 : Level::dram;
  }
}

}  // namespace tomograph::sim
