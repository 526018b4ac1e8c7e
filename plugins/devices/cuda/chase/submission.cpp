#include "cuda/chase/submission.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cuda/chase/program_layout.hpp"

namespace tomograph::cuda {

namespace {

std::uint32_t slots_of(const chase::Phase& phase) {
  switch (phase.timing) {
    case chase::Timing::each: return static_cast<std::uint32_t>(phase.loads);
    case chase::Timing::total: return 1;
    case chase::Timing::untimed: break;
  }
  return 0;
}

/// The format of a ring's nodes, which the load path of the actors that follow it requires.
NodeFormat format_of(const chase::Program& program, std::size_t ring) {
  for (const chase::Phase& phase : program.phases) {
    if (static_cast<std::size_t>(phase.ring) != ring) continue;
    const chase::Path path = program.actors[static_cast<std::size_t>(phase.actor)].path;
    if (path == chase::Path::texture) return NodeFormat::index;
    if (path == chase::Path::instruction) return NodeFormat::block;
    return path == chase::Path::texture_2d ? NodeFormat::texel : NodeFormat::address;
  }
  const auto array = static_cast<std::size_t>(program.rings[ring].array);
  return program.arrays[array].space == chase::Space::texture ? NodeFormat::texel : NodeFormat::address;
}

/// The value that names a node of a ring.
std::uint64_t node_value(const Entry& entry, const chase::Program& program, std::size_t ring, NodeFormat format,
                         std::int64_t node) {
  const auto array = static_cast<std::size_t>(program.rings[ring].array);
  const auto offset = static_cast<std::uint64_t>(entry.rings[ring].at(node));
  if (format == NodeFormat::address) return entry.arrays[array].base + offset;
  if (format == NodeFormat::index) return offset / chase::node_bytes;
  if (format == NodeFormat::block) return (entry.arrays[array].base + offset) / code_block_bytes;
  const auto width = static_cast<std::uint64_t>(program.arrays[array].width);
  return offset / width << 32U | offset % width / chase::node_bytes;
}

/// The bits of a node that a slot keeps, as `Load::mark` on the GPU.
std::uint32_t mark(std::uint64_t node, NodeFormat format) {
  if (format == NodeFormat::address) return static_cast<std::uint32_t>(node >> 3U);
  if (format == NodeFormat::index || format == NodeFormat::block) return static_cast<std::uint32_t>(node);
  return static_cast<std::uint32_t>(node) + (static_cast<std::uint32_t>(node >> 32U) << 16U);
}

chase::Result::Trace trace(const Entry& entry, const chase::Program& program, const chase::Phase& phase,
                           std::span<const std::uint64_t> slots) {
  chase::Result::Trace trace;
  trace.latency.reserve(slots.size());
  trace.node.reserve(slots.size());
  const auto ring = static_cast<std::size_t>(phase.ring);
  const std::int64_t count = entry.rings[ring].count;
  const NodeFormat format = format_of(program, ring);
  std::int64_t node = phase.first % count;
  for (std::int64_t load = 0; load < phase.loads; ++load) {
    const std::uint64_t slot = slots[static_cast<std::size_t>(load)];
    const std::int64_t next = node + 1 == count ? 0 : node + 1;
    // A load returns the next node; a block of code returns its own number.
    const std::uint64_t expected = node_value(entry, program, ring, format, format == NodeFormat::block ? node : next);
    if (static_cast<std::uint32_t>(slot >> 32U) != mark(expected, format)) {
      throw TraceMismatch("load " + std::to_string(load) +
                          " of a phase returned something other than the next node of its ring");
    }
    trace.latency.push_back(static_cast<std::uint32_t>(slot));
    trace.node.push_back(static_cast<std::uint32_t>(node));
    node = next;
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

void Submission::begin_wave(const Demand& settings) {
  waves_.push_back({settings, rings_.size(), 0, 0, launches_, constants_.size(), 0});
  launches_ += static_cast<std::size_t>(settings.banks);
  PartTask nothing{};
  nothing.program = no_program;
  parts_.resize(launches_ * static_cast<std::size_t>(sms_), nothing);
}

void Submission::add(const chase::Program& program, const Placement& placement, std::vector<Place> arrays,
                     Shuffles& shuffles) {
  Entry entry;
  entry.program = placement.program;
  entry.sms = placement.sms;
  entry.wave = waves_.size() - 1;
  entry.first_phase = phases_.size();
  entry.arrays = std::move(arrays);
  for (const chase::Ring& ring : program.rings) entry.rings.push_back(shuffles.nodes(ring));
  const std::size_t launch = waves_.back().first_launch;
  const bool one_sm = waves_.back().settings.banks > 1;
  const std::size_t parts = tomograph::cuda::parts(program);
  for (std::size_t part = 0; part < parts; ++part) {
    entry.positions.push_back(one_sm ? position(launch + part, entry.sms.front()) : position(launch, entry.sms[part]));
  }
  add_rings(entry, program);
  if (waves_.back().constants == 0) add_constants(entry, program);
  add_phases(entry, program);
  add_parts(entry, program);
  entries_.push_back(std::move(entry));
}

std::size_t Submission::listed(std::span<const std::int64_t> list) {
  const auto [known, is_new] = positions_.try_emplace(list.data(), listed_nodes_);
  if (is_new) {
    lists_.push_back(list);
    listed_nodes_ += list.size();
  }
  return known->second;
}

void Submission::add_rings(const Entry& entry, const chase::Program& program) {
  WaveEntry& wave = waves_.back();
  for (std::size_t i = 0; i < program.rings.size(); ++i) {
    const auto array = static_cast<std::size_t>(program.rings[i].array);
    const chase::Space space = program.arrays[array].space;
    if (space == chase::Space::constant || space == chase::Space::instruction) continue;
    const Nodes& nodes = entry.rings[i];
    const Place& place = entry.arrays[array];
    PendingRing ring{
        {space == chase::Space::texture ? place.surface : place.base, static_cast<std::uint64_t>(nodes.count),
         nodes.start, nodes.stride, 0, program.arrays[array].width, format_of(program, i), 0},
        std::nullopt};
    if (!nodes.list.empty()) ring.list = listed(nodes.list);
    if (space == chase::Space::shared) {
      shared_rings_.push_back(ring);
      continue;
    }
    rings_.push_back(ring);
    ++wave.rings;
    wave.longest_ring = std::max(wave.longest_ring, nodes.count);
  }
}

/// Adds the contents of constant memory, which are the same for all programs of a wave that have any.
void Submission::add_constants(const Entry& entry, const chase::Program& program) {
  constexpr std::int64_t bank_words = constant_bytes / chase::node_bytes;
  const std::vector<ConstantPlace> places = constant_places(program);
  WaveEntry& wave = waves_.back();
  wave.constants = static_cast<std::size_t>(places.back().bank * bank_words + places.back().offset / chase::node_bytes);
  constants_.resize(wave.first_constant + wave.constants, 0);
  for (std::size_t i = 0; i < program.rings.size(); ++i) {
    const auto array = static_cast<std::size_t>(program.rings[i].array);
    if (program.arrays[array].space != chase::Space::constant) continue;
    const Nodes& nodes = entry.rings[i];
    const ConstantPlace& place = places[array];
    const auto bank = constants_.begin() + static_cast<std::ptrdiff_t>(wave.first_constant) + place.bank * bank_words;
    for (std::int64_t node = 0; node < nodes.count; ++node) {
      const std::int64_t next = nodes.at(node + 1 == nodes.count ? 0 : node + 1);
      bank[(place.offset + nodes.at(node)) / chase::node_bytes] = static_cast<std::uint64_t>(place.offset + next);
    }
  }
}

/// Adds the nodes at which the threads of `task` start.
void Submission::add_starts(const Entry& entry, const chase::Program& program, const chase::Phase& phase,
                            PhaseTask& task) {
  const auto ring = static_cast<std::size_t>(phase.ring);
  const Nodes& nodes = entry.rings[ring];
  const NodeFormat format = format_of(program, ring);
  task.first_start = static_cast<std::uint32_t>(starts_.size());
  if (format == NodeFormat::block) {
    const std::int64_t step = nodes.count > 1 ? nodes.stride / code_block_bytes : 1;
    task.texture = CodeRing{static_cast<std::uint32_t>(nodes.count), static_cast<std::uint32_t>(step),
                            static_cast<std::uint32_t>(phase.first % nodes.count)}
                       .packed();
    starts_.push_back(node_value(entry, program, ring, format, 0));
    return;
  }
  for (std::int64_t thread = 0; thread < task.threads; ++thread) {
    const std::int64_t node = (phase.first + thread * nodes.count / task.threads) % nodes.count;
    starts_.push_back(node_value(entry, program, ring, format, node));
  }
}

void Submission::add_phases(const Entry& entry, const chase::Program& program) {
  std::vector<std::uint32_t> used(entry.positions.size(), 0);
  const std::uint32_t timed = timed_warps(program);
  const std::vector<std::size_t> parts = parts_of_phases(program);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const chase::Phase& phase = program.phases[i];
    const chase::Actor& actor = program.actors[static_cast<std::size_t>(phase.actor)];
    PhaseTask task{};
    task.loads = static_cast<std::uint64_t>(phase.loads);
    task.texture =
        entry.arrays[static_cast<std::size_t>(program.rings[static_cast<std::size_t>(phase.ring)].array)].texture;
    task.threads = static_cast<std::uint32_t>(physical_threads(actor, timed));
    task.warp = static_cast<std::uint32_t>(actor.warp);
    task.part = static_cast<std::uint32_t>(parts[i]);
    task.slot = used[task.part];
    task.path = static_cast<std::int32_t>(actor.path);
    task.timing = static_cast<std::int32_t>(phase.timing);
    used[task.part] += slots_of(phase);
    add_starts(entry, program, phase, task);
    phases_.push_back(task);
  }
}

/// Links the phases of each part. Returns the first phase of each part.
std::vector<std::uint32_t> Submission::link_phases(const Entry& entry, std::size_t phases) {
  std::vector<std::uint32_t> next(entry.positions.size(), static_cast<std::uint32_t>(phases));
  for (std::size_t i = phases; i-- > 0;) {
    PhaseTask& task = phases_[entry.first_phase + i];
    task.next = std::exchange(next[task.part], static_cast<std::uint32_t>(i));
  }
  return next;
}

void Submission::add_parts(Entry& entry, const chase::Program& program) {
  const auto is_shared = [&](const chase::Ring& ring) {
    return program.arrays[static_cast<std::size_t>(ring.array)].space == chase::Space::shared;
  };
  const std::vector<std::uint32_t> first = link_phases(entry, program.phases.size());
  const std::vector<std::int64_t> counts = tomograph::cuda::slots(program);
  PartTask part{};
  part.program = static_cast<std::uint32_t>(entries_.size());
  part.parts = static_cast<std::uint32_t>(entry.positions.size());
  part.first_phase = static_cast<std::uint32_t>(entry.first_phase);
  part.phases = static_cast<std::uint32_t>(program.phases.size());
  part.rings = static_cast<std::uint32_t>(std::ranges::count_if(program.rings, is_shared));
  part.first_ring = static_cast<std::uint32_t>(shared_rings_.size()) - part.rings;
  part.shared_bytes = static_cast<std::uint32_t>(offsets_in(program, chase::Space::shared).back());
  part.timed_warps = timed_warps(program);
  for (const PhaseTask& task : std::span(phases_).subspan(entry.first_phase)) {
    if (task.threads > 1) part.workers = std::max(part.workers, task.threads);
  }
  for (; part.part < part.parts; ++part.part) {
    part.output = slots_;
    part.slots = static_cast<std::uint32_t>(counts[part.part]);
    part.first_own = first[part.part];
    parts_[entry.positions[part.part]] = part;
    entry.outputs.push_back(slots_);
    slots_ += part.slots;
    // Parts that read further banks of constant memory have no arrays in shared memory.
    if (waves_.back().settings.banks > 1) part.rings = part.shared_bytes = 0;
  }
}

chase::Result Submission::result(const chase::Program& program, const Entry& entry,
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
  const std::vector<std::int64_t> asked = distinct_sms(program);
  for (const chase::Actor& actor : program.actors) {
    result.sms.push_back(entry.sms[static_cast<std::size_t>(std::ranges::find(asked, actor.sm) - asked.begin())]);
  }
  return result;
}

std::vector<RingTask> Submission::tasks(const std::vector<PendingRing>& rings, Address lists) {
  std::vector<RingTask> tasks;
  tasks.reserve(rings.size());
  for (const PendingRing& ring : rings) {
    tasks.push_back(ring.task);
    if (ring.list) tasks.back().list = lists + *ring.list * sizeof(std::int64_t);
  }
  return tasks;
}

std::size_t Submission::traffic() const {
  return parts_.size() * sizeof(PartTask) + phases_.size() * sizeof(PhaseTask) +
         starts_.size() * sizeof(std::uint64_t) + (rings_.size() + shared_rings_.size()) * sizeof(RingTask) +
         constants_.size() * sizeof(std::uint64_t) + listed_nodes_ * sizeof(std::int64_t) + slots_ * slot_bytes;
}

}  // namespace tomograph::cuda
