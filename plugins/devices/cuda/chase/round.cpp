#include "cuda/chase/round.hpp"

#include <algorithm>
#include <stdexcept>

namespace tomograph::cuda {

namespace {

/// The part that `actor` belongs to: the actors of one SM form one.
std::uint32_t part_of(const chase::Program& program, std::int64_t actor) {
  std::vector<std::int64_t> sms;
  for (const chase::Actor& other : program.actors) {
    if (std::ranges::find(sms, other.sm) == sms.end()) sms.push_back(other.sm);
  }
  const auto sm = program.actors[static_cast<std::size_t>(actor)].sm;
  return static_cast<std::uint32_t>(std::ranges::find(sms, sm) - sms.begin());
}

std::uint32_t slots_of(const chase::Phase& phase) {
  switch (phase.timing) {
    case chase::Timing::each: return static_cast<std::uint32_t>(phase.loads);
    case chase::Timing::total: return 1;
    case chase::Timing::untimed: break;
  }
  return 0;
}

/// The address that load number `load` of a phase reads, as the nodes hold it.
Address node_address(const Entry& entry, const chase::Program& program, const chase::Phase& phase, std::int64_t load) {
  const auto ring = static_cast<std::size_t>(phase.ring);
  const Nodes& nodes = entry.rings[ring];
  const Address base = entry.arrays[static_cast<std::size_t>(program.rings[ring].array)];
  return base + static_cast<Address>(nodes.at((phase.first + load) % nodes.count));
}

/// Bits 3 to 34 of an address: what a slot keeps of it.
std::uint32_t kept(Address address) { return static_cast<std::uint32_t>(address >> 3U); }

chase::Result::Trace trace(const Entry& entry, const chase::Program& program, const chase::Phase& phase,
                           std::span<const std::uint64_t> slots) {
  chase::Result::Trace trace;
  trace.latency.reserve(slots.size());
  trace.node.reserve(slots.size());
  const std::int64_t count = entry.rings[static_cast<std::size_t>(phase.ring)].count;
  for (std::int64_t load = 0; load < phase.loads; ++load) {
    const std::uint64_t slot = slots[static_cast<std::size_t>(load)];
    const Address expected = node_address(entry, program, phase, load + 1);
    if (static_cast<std::uint32_t>(slot >> 32U) != kept(expected)) {
      throw Mistake("load " + std::to_string(load) + " of a phase found an address that is not its ring's next node");
    }
    trace.latency.push_back(static_cast<std::uint32_t>(slot));
    trace.node.push_back(static_cast<std::uint32_t>((phase.first + load) % count));
  }
  return trace;
}

}  // namespace

Nodes Shuffles::nodes(const chase::Ring& ring) {
  Nodes nodes{ring.start, ring.stride, ring.size(), ring.nodes};
  if (!ring.nodes.empty() || ring.order == chase::Order::sequential) return nodes;
  auto& list = shuffled_[{ring.start, ring.stride, ring.count, ring.seed}];
  if (list.empty()) list = chase::node_offsets(ring);
  nodes.list = list;
  return nodes;
}

void Round::begin_wave(const Demand& settings) {
  waves_.push_back({settings, rings_.size(), 0, 0});
  PartTask nothing{};
  nothing.program = no_program;
  parts_.resize(parts_.size() + static_cast<std::size_t>(sms_), nothing);
}

void Round::add(const chase::Program& program, const Placement& placement, std::vector<Address> arrays,
                Shuffles& shuffles) {
  Entry entry;
  entry.program = placement.program;
  entry.sms = placement.sms;
  entry.wave = waves_.size() - 1;
  entry.first_phase = phases_.size();
  entry.arrays = std::move(arrays);
  for (const chase::Ring& ring : program.rings) entry.rings.push_back(shuffles.nodes(ring));
  add_rings(entry, program);
  add_phases(entry, program, placement);
  entries_.push_back(std::move(entry));
  Entry& added = entries_.back();
  for (std::size_t part = 0; part < added.sms.size(); ++part) {
    added.outputs.push_back(parts_[position(added.wave, added.sms[part])].output);
  }
}

std::size_t Round::listed(std::span<const std::int64_t> list) {
  const auto [known, is_new] = positions_.try_emplace(list.data(), lists_.size());
  if (is_new) lists_.insert(lists_.end(), list.begin(), list.end());
  return known->second;
}

void Round::add_rings(const Entry& entry, const chase::Program& program) {
  WaveEntry& wave = waves_.back();
  for (std::size_t i = 0; i < program.rings.size(); ++i) {
    const Nodes& nodes = entry.rings[i];
    const Address base = entry.arrays[static_cast<std::size_t>(program.rings[i].array)];
    PendingRing ring{{base, static_cast<std::uint64_t>(nodes.count), nodes.start, nodes.stride, 0}, std::nullopt};
    if (!nodes.list.empty()) ring.list = listed(nodes.list);
    rings_.push_back(ring);
    ++wave.rings;
    wave.longest_ring = std::max(wave.longest_ring, nodes.count);
  }
}

void Round::add_phases(const Entry& entry, const chase::Program& program, const Placement& placement) {
  std::vector<std::uint32_t> used(placement.sms.size(), 0);
  for (const chase::Phase& phase : program.phases) {
    const chase::Actor& actor = program.actors[static_cast<std::size_t>(phase.actor)];
    const std::int64_t threads = physical_threads(actor);
    const std::uint32_t part = part_of(program, phase.actor);
    phases_.push_back({static_cast<std::uint64_t>(phase.loads), static_cast<std::uint32_t>(starts_.size()),
                       static_cast<std::uint32_t>(threads), part, used[part], static_cast<std::int32_t>(actor.path),
                       static_cast<std::int32_t>(phase.timing)});
    used[part] += slots_of(phase);
    const std::int64_t size = entry.rings[static_cast<std::size_t>(phase.ring)].count;
    for (std::int64_t thread = 0; thread < threads; ++thread) {
      starts_.push_back(node_address(entry, program, phase, thread * size / threads));
    }
  }
  for (std::size_t part = 0; part < placement.sms.size(); ++part) {
    parts_[position(entry.wave, placement.sms[part])] = {slots_,
                                                         static_cast<std::uint32_t>(entries_.size()),
                                                         static_cast<std::uint32_t>(part),
                                                         static_cast<std::uint32_t>(placement.sms.size()),
                                                         static_cast<std::uint32_t>(entry.first_phase),
                                                         static_cast<std::uint32_t>(program.phases.size()),
                                                         used[part]};
    slots_ += used[part];
  }
}

chase::Result Round::result(const chase::Program& program, const Entry& entry,
                            std::span<const std::uint64_t> slots) const {
  chase::Result result;
  for (std::size_t i = 0; i < program.phases.size(); ++i) {
    const chase::Phase& phase = program.phases[i];
    const PhaseTask& task = phases_[entry.first_phase + i];
    const auto own = slots.subspan(entry.outputs[task.part] + task.slot, slots_of(phase));
    if (phase.timing == chase::Timing::total) result.totals.push_back(static_cast<double>(own.front()));
    if (phase.timing == chase::Timing::each) {
      result.traces.push_back(trace(entry, program, phase, own));
    }
  }
  for (std::size_t actor = 0; actor < program.actors.size(); ++actor) {
    result.sms.push_back(entry.sms[part_of(program, static_cast<std::int64_t>(actor))]);
  }
  return result;
}

std::vector<RingTask> Round::rings(Address lists) const {
  std::vector<RingTask> tasks;
  tasks.reserve(rings_.size());
  for (const PendingRing& ring : rings_) {
    tasks.push_back(ring.task);
    if (ring.list) tasks.back().list = lists + *ring.list * sizeof(std::int64_t);
  }
  return tasks;
}

std::size_t Round::traffic() const {
  return parts_.size() * sizeof(PartTask) + phases_.size() * sizeof(PhaseTask) + starts_.size() * sizeof(Address) +
         rings_.size() * sizeof(RingTask) + lists_.size() * sizeof(std::int64_t) + slots_ * slot_bytes;
}

}  // namespace tomograph::cuda
