#include "program_runner.hpp"

#include <algorithm>
#include <bit>
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

/// A large L2 is told of an access so many accesses before. Its state is not in the host's caches, and the simulation
/// would spend most of its time waiting for it.
constexpr std::int64_t look_ahead = 8;

/// How many nodes' addresses are kept, of one ring.
constexpr std::int64_t most_addresses = std::int64_t{1} << 18;

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

PathOfFirstLevel global_path(chase::Path path) {
  switch (path) {
    case chase::Path::global_ca: return data_path;
    case chase::Path::global_nc: return read_only_path;
    case chase::Path::texture: return texture_path;
    default: return past_first_level;
  }
}

/// The node that a thread is at, and how many it loads.
struct Thread {
  std::int64_t node;
  std::int64_t loads;
};

std::vector<Thread> dealt(const chase::Phase& phase, std::int64_t threads, std::int64_t count) {
  std::vector<Thread> dealt;
  for (std::int64_t thread = 0; thread < threads; ++thread) {
    dealt.push_back({(phase.first + thread * count / threads) % count,
                     (thread + 1) * phase.loads / threads - thread * phase.loads / threads});
  }
  return dealt;
}

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
  const std::int64_t kept = std::min({nodes.count, remembered(ring), most_addresses});
  nodes.addresses.resize(std::bit_ceil(static_cast<std::uint64_t>(kept)));
  nodes.translated = program_.arrays[array].space == chase::Space::global;
  return nodes;
}

Address ProgramRunner::new_address(std::size_t ring, std::uint64_t logical) const {
  const ArrayPlace& place = places_[static_cast<std::size_t>(program_.rings[ring].array)];
  return machine_.address(logical, machine_.placed(logical - place.logical + place.physical));
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
    const std::int64_t first = std::max<std::int64_t>(0, count - remembered(program_.rings[ring]));
    for (std::int64_t node = first; node < count; ++node) {
      if (machine_.is_large() && node + look_ahead < count) machine_.expect_write(address(ring, node + look_ahead));
      machine_.write(address(ring, node), rings_[ring].translated);
    }
  }
}

ProgramRunner::Reader ProgramRunner::reader_of(const chase::Actor& actor) const {
  return {actor.path, global_path(actor.path), sm_of(actor), static_cast<std::uint32_t>(actor.warp)};
}

bool ProgramRunner::looks_ahead(const Reader& reader) const {
  if (reader.path == chase::Path::constant || reader.path == chase::Path::shared) return false;
  return machine_.is_large() && machine_.skips_first_level(reader.global_path);
}

double ProgramRunner::load(const Reader& reader, Address& address) {
  if (reader.path == chase::Path::shared) return machine_.gpu().shared_latency;
  if (reader.path == chase::Path::constant) return machine_.load_constant(reader.sm, reader.warp, address);
  return machine_.load_global(reader.global_path, reader.sm, reader.warp, address);
}

// The threads take turns, one load each. Their warps are dealt to an SM's caches. Flattened, since each load would
// otherwise make calls that take a tenth of its time.
[[gnu::flatten]] void ProgramRunner::run_threads(const chase::Phase& phase) {
  const chase::Actor& actor = program_.actors[static_cast<std::size_t>(phase.actor)];
  Reader reader = reader_of(actor);
  const auto ring = static_cast<std::size_t>(phase.ring);
  const std::int64_t count = rings_[ring].count;
  const std::int64_t threads = actor.threads;
  const std::int64_t most_steps = (phase.loads + threads - 1) / threads;
  const bool looks_ahead = this->looks_ahead(reader);
  std::vector<Thread> next = dealt(phase, threads, count);
  double longest = 0;
  for (std::int64_t step = 0; step < most_steps; ++step) {
    for (std::int64_t thread = 0; thread < threads; ++thread) {
      auto& [node, loads] = next[static_cast<std::size_t>(thread)];
      if (step >= loads) continue;
      reader.warp = static_cast<std::uint32_t>(thread / 32);
      longest = std::max(longest, load(reader, address(ring, node)));
      if (++node == count) node = 0;
      if (looks_ahead) machine_.expect_load(reader.sm, address(ring, node));
    }
  }
  machine_.noise().pass(longest * static_cast<double>(most_steps));
}

// Flattened for the same reason.
[[gnu::flatten]] void ProgramRunner::run_thread(const chase::Phase& phase, std::vector<chase::Result::Trace>& traces) {
  const Reader reader = reader_of(program_.actors[static_cast<std::size_t>(phase.actor)]);
  const auto ring = static_cast<std::size_t>(phase.ring);
  const std::int64_t count = rings_[ring].count;
  Noise& noise = machine_.noise();
  const bool each = phase.timing == chase::Timing::each;
  if (each) traces.emplace_back();
  const bool looks_ahead = this->looks_ahead(reader);
  std::int64_t node = phase.first;
  for (std::int64_t i = 0; i < phase.loads; ++i) {
    if (looks_ahead && node + look_ahead < count) machine_.expect_load(reader.sm, address(ring, node + look_ahead));
    const double cycles = load(reader, address(ring, node));
    if (each) {
      const std::int64_t before = noise.clock();
      noise.end(cycles + overhead_each);
      traces.back().latency.push_back(static_cast<std::uint32_t>(noise.clock() - before));
      traces.back().node.push_back(static_cast<std::uint32_t>(node));
    } else {
      noise.end(cycles);
    }
    if (++node == count) node = 0;
  }
}

void ProgramRunner::run_phase(const chase::Phase& phase, chase::Result& result) {
  const chase::Actor& actor = program_.actors[static_cast<std::size_t>(phase.actor)];
  Noise& noise = machine_.noise();
  noise.pass(gap_between_phases * noise.random().uniform());
  const std::int64_t begin = noise.clock();
  if (actor.threads > 1) {
    run_threads(phase);
  } else {
    run_thread(phase, result.traces);
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
