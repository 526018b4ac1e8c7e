#include "tomograph/experiment/chase.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string_view>

namespace tomograph::chase {

namespace {

constexpr std::int64_t maximum_array_bytes = std::int64_t{1} << 40;
constexpr std::int64_t maximum_threads = 1024;

/// Most programs have no more.
constexpr std::size_t usual_columns = 16;
constexpr std::size_t result_arrays = 7;

/// The parameters of a chase, in the order in which `encode` writes them.
constexpr std::array<std::string_view, 23> names{
    "array.bytes", "array.alias",   "array.space", "array.width", "ring.array", "ring.start",
    "ring.stride", "ring.count",    "ring.order",  "ring.seed",   "ring.nodes", "actor.sm",
    "actor.path",  "actor.threads", "actor.warp",  "phase.actor", "phase.ring", "phase.first",
    "phase.loads", "phase.timing",  "carveout",    "alone",       "trial"};
enum Name : std::size_t {
  array_bytes,
  array_alias,
  array_space,
  array_width,
  ring_array,
  ring_start,
  ring_stride,
  ring_count,
  ring_order,
  ring_seed,
  ring_nodes,
  actor_sm,
  actor_path,
  actor_threads,
  actor_warp,
  phase_actor,
  phase_ring,
  phase_first,
  phase_loads,
  phase_timing,
  carveout,
  alone,
  trial
};
static_assert(names[array_bytes] == "array.bytes" && names[ring_nodes] == "ring.nodes" &&
              names[phase_actor] == "phase.actor" && names[trial] == "trial");

/// Adds a column of a table. Most tables are short: theirs are gathered without an allocation.
template <typename Owner, typename Field>
void add(Arrays& columns, Name name, const std::vector<Owner>& owners, Field field) {
  const auto value = [&](const Owner& owner) { return static_cast<std::int64_t>(std::invoke(field, owner)); };
  std::array<std::int64_t, 8> few{};
  std::vector<std::int64_t> many(owners.size() > few.size() ? owners.size() : 0);
  const std::span<std::int64_t> values = many.empty() ? std::span(few).first(owners.size()) : many;
  std::ranges::transform(owners, values.begin(), value);
  columns.add({names[name].data(), std::span<const std::int64_t>(values)});
}

/// The stride of explicit nodes is 0 on the wire, whatever the field holds.
std::int64_t wire_stride(const Ring& ring) { return ring.nodes.empty() ? ring.stride : 0; }

/// Adds a column unless it holds what readers assume of an absent one anyway: every column crosses the boundary with
/// every experiment, of which a probe may have thousands.
template <typename Owner, typename Field>
void add_unless(Arrays& columns, std::int64_t assumed, Name name, const std::vector<Owner>& owners, Field field) {
  const auto differs = [&](const Owner& owner) {
    return static_cast<std::int64_t>(std::invoke(field, owner)) != assumed;
  };
  if (std::ranges::any_of(owners, differs)) add(columns, name, owners, field);
}

void add_unless(Arrays& columns, std::int64_t assumed, Name name, std::int64_t value) {
  if (value != assumed) columns.add({names[name].data(), value});
}

/// The columns of a request.
class Columns {
 public:
  /// @throws std::invalid_argument if a parameter is unknown or there twice.
  explicit Columns(const Experiment& experiment) {
    std::size_t name = 0;
    for (const ArrayView& parameter : experiment.parameters) {
      // They mostly come in the order of the names: one pass over both finds them all.
      for (std::size_t tried = 0; !parameter.is_called(names[name]); name = (name + 1) % names.size()) {
        if (++tried == names.size()) throw std::invalid_argument("the chase has an unknown parameter");
      }
      if (has(static_cast<Name>(name))) {
        throw std::invalid_argument("parameter '" + std::string(names[name]) + "' is there twice");
      }
      columns_[name] = &parameter;
    }
  }

  [[nodiscard]] bool has(Name name) const { return columns_[name] != nullptr; }

  [[nodiscard]] std::span<const std::int64_t> required(Name name) const {
    if (!has(name)) throw std::invalid_argument("array '" + std::string(names[name]) + "' is missing");
    return columns_[name]->numbers<std::int64_t>();
  }

  [[nodiscard]] std::span<const std::int64_t> sized(Name name, std::size_t size) const {
    const auto values = required(name);
    if (values.size() == size) return values;
    throw std::invalid_argument("parameter '" + std::string(names[name]) + "' has " + std::to_string(values.size()) +
                                " elements, expected " + std::to_string(size));
  }

  /// The column, or `fallback` for every element if it is absent.
  struct Column {
    std::optional<std::span<const std::int64_t>> values;
    std::int64_t fallback;
    std::int64_t operator[](std::size_t i) const { return values ? (*values)[i] : fallback; }
  };
  [[nodiscard]] Column optional(Name name, std::size_t size, std::int64_t fallback) const {
    if (!has(name)) return {std::nullopt, fallback};
    return {sized(name, size), fallback};
  }

 private:
  std::array<const ArrayView*, names.size()> columns_{};
};

template <typename Enum>
Enum enumerator(std::int64_t value, Enum last, Name name) {
  if (value < 0 || value > static_cast<std::int64_t>(last)) {
    throw std::invalid_argument("parameter '" + std::string(names[name]) + "' has no meaning for " +
                                std::to_string(value));
  }
  return static_cast<Enum>(value);
}

bool is_index(std::int64_t value, std::size_t size) { return value >= 0 && static_cast<std::size_t>(value) < size; }

std::optional<std::string> space_violation(const Array& array) {
  const bool texture = array.space == Space::texture;
  if (array.alias != no_alias && array.space != Space::global) return "an alias is not in global memory";
  if (!texture && array.width != 0) return "an array has a width but is not in texture memory";
  if (texture && (array.width < node_bytes || array.width % node_bytes != 0 || array.bytes % array.width != 0)) {
    return "the width of an array in texture memory is no multiple of 8 B or does not divide its size";
  }
  return std::nullopt;
}

std::optional<std::string> array_violation(const Program& program) {
  for (std::size_t i = 0; i < program.arrays.size(); ++i) {
    const Array& array = program.arrays[i];
    if (array.bytes <= 0 || array.bytes > maximum_array_bytes) return "an array is empty or larger than 2^40 B";
    if (auto why = space_violation(array)) return why;
    if (array.alias == no_alias) continue;
    if (!is_index(array.alias, i)) return "an array is an alias of one that does not come before it";
    if (program.arrays[static_cast<std::size_t>(array.alias)].bytes != array.bytes) {
      return "an array is an alias of one of another size";
    }
  }
  return std::nullopt;
}

std::optional<std::string> phase_violation(const Program& program) {
  for (const Actor& actor : program.actors) {
    if (actor.threads < 1 || actor.threads > maximum_threads) return "an actor has no or more than 1024 threads";
    if (actor.sm < any_sm) return "an actor names a negative SM";
    if (!is_index(actor.warp, warps_of_cta)) return "an actor names a warp that no CTA has";
    if (actor.threads > 1 && actor.warp != 0) return "an actor of several threads names a warp";
  }
  for (const Phase& phase : program.phases) {
    if (!is_index(phase.actor, program.actors.size())) return "a phase names an actor that does not exist";
    if (!is_index(phase.ring, program.rings.size())) return "a phase names a ring that does not exist";
    if (!is_index(phase.first, static_cast<std::size_t>(program.rings[static_cast<std::size_t>(phase.ring)].size()))) {
      return "a phase starts at a node that its ring does not have";
    }
    if (phase.loads < 1) return "a phase has no loads";
    const bool many = program.actors[static_cast<std::size_t>(phase.actor)].threads > 1;
    if (many && phase.timing == Timing::each) return "a phase times each load of several threads";
  }
  return std::nullopt;
}

/// Every ring must be readable by those who follow it: see abi/chase.h.
std::optional<std::string> path_violation(const Program& program) {
  std::vector<std::optional<Path>> followed(program.rings.size());
  for (const Phase& phase : program.phases) {
    const auto ring = static_cast<std::size_t>(phase.ring);
    const Path path = program.actors[static_cast<std::size_t>(phase.actor)].path;
    if (program.arrays[static_cast<std::size_t>(program.rings[ring].array)].space != space_of(path)) {
      return "an actor follows a ring in a memory space that its load path does not read";
    }
    const Path before = followed[ring].value_or(path);
    if (before != path && !(is_global(before) && is_global(path))) {
      return "a ring is followed on two load paths that find their way in different ways";
    }
    followed[ring] = path;
  }
  return std::nullopt;
}

std::optional<std::string> ring_violation(const Program& program) {
  for (const Ring& ring : program.rings) {
    if (!is_index(ring.array, program.arrays.size())) return "a ring names an array that does not exist";
    if (ring.size() < 1) return "a ring has no nodes";
    if (ring.nodes.empty() && ring.size() > 1 && ring.stride < node_bytes) return "a ring's nodes overlap";
  }
  return std::nullopt;
}

/// The array whose physical memory `array` shows.
std::size_t original(const Program& program, std::size_t array) {
  while (program.arrays[array].alias != no_alias) array = static_cast<std::size_t>(program.arrays[array].alias);
  return array;
}

/// An evenly spaced ring as an arithmetic progression, so that large rings need not be enumerated.
struct Progression {
  std::int64_t first = 0;
  std::int64_t stride = 0;
  std::int64_t last = 0;

  [[nodiscard]] bool contains(std::int64_t node) const {
    return node >= first && node <= last && (node - first) % stride == 0;
  }
};

/// A ring of one node has no stride; any will do.
Progression progression(const Ring& ring) {
  const std::int64_t stride = ring.count > 1 ? ring.stride : node_bytes;
  return {ring.start, stride, ring.start + (ring.count - 1) * stride};
}

bool meet(const Progression& a, const Progression& b) {
  const std::int64_t low = std::max(a.first, b.first);
  const std::int64_t high = std::min(a.last, b.last);
  if (low > high || (b.first - a.first) % std::gcd(a.stride, b.stride) != 0) return false;
  const Progression& sparse = a.stride >= b.stride ? a : b;
  const Progression& other = a.stride >= b.stride ? b : a;
  std::int64_t node =
      sparse.first + std::max<std::int64_t>(0, low - sparse.first + sparse.stride - 1) / sparse.stride * sparse.stride;
  // Whether they meet repeats after other.stride / gcd steps.
  const std::int64_t period = other.stride / std::gcd(a.stride, b.stride);
  for (std::int64_t step = 0; step < period && node <= high; ++step, node += sparse.stride) {
    if (other.contains(node)) return true;
  }
  return false;
}

/// Whether one of `nodes`, none of which is negative, is there twice: a hash table with linear probing tells.
bool repeats(const std::vector<std::int64_t>& nodes) {
  constexpr std::int64_t none = -1;
  if (nodes.size() < 2) return false;
  const std::size_t size = std::bit_ceil(2 * nodes.size());
  const int shift = 64 - std::countr_zero(size);
  std::vector<std::int64_t> seen(size, none);
  for (const std::int64_t node : nodes) {
    std::size_t slot = (static_cast<std::uint64_t>(node) * 0x9e3779b97f4a7c15U) >> shift;
    for (; seen[slot] != none; slot = (slot + 1) & (size - 1)) {
      if (seen[slot] == node) return true;
    }
    seen[slot] = node;
  }
  return false;
}

bool overlap(const std::vector<Progression>& even, const std::vector<std::int64_t>& listed) {
  for (std::size_t i = 0; i < even.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (meet(even[i], even[k])) return true;
    }
  }
  const auto is_met = [&](std::int64_t node) {
    return std::ranges::any_of(even, [&](const Progression& one) { return one.contains(node); });
  };
  return (!even.empty() && std::ranges::any_of(listed, is_met)) || repeats(listed);
}

std::optional<std::string> node_violation(const Program& program) {
  std::vector<std::vector<Progression>> even(program.arrays.size());
  std::vector<std::vector<std::int64_t>> listed(program.arrays.size());
  for (const Ring& ring : program.rings) {
    const auto array = static_cast<std::size_t>(ring.array);
    const std::size_t physical = original(program, array);
    const std::int64_t bytes = program.arrays[array].bytes;
    const auto misplaced = [bytes](std::int64_t node) {
      return node < 0 || node % node_bytes != 0 || node > bytes - node_bytes;
    };
    std::vector<std::int64_t> ends;
    if (ring.nodes.empty()) {
      if (ring.count > 1 && ring.count - 1 > bytes / ring.stride) return "a ring is longer than its array";
      even[physical].push_back(progression(ring));
      ends = {ring.start, even[physical].back().last};
      if (ring.count > 1) ends.push_back(ring.start + ring.stride);
    } else {
      listed[physical].insert(listed[physical].end(), ring.nodes.begin(), ring.nodes.end());
    }
    const std::vector<std::int64_t>& checked = ring.nodes.empty() ? ends : ring.nodes;
    const auto wrong = std::ranges::find_if(checked, misplaced);
    if (wrong != checked.end()) {
      return "a node at offset " + std::to_string(*wrong) + " is misaligned or outside its array";
    }
  }
  for (std::size_t array = 0; array < even.size(); ++array) {
    if (overlap(even[array], listed[array])) return "two nodes overlap";
  }
  return std::nullopt;
}

/// Sattolo's algorithm: a permutation that is a single cycle. The modulo keeps it the same on every standard library;
/// its bias is below 2^-24 for any ring that fits. Partners are drawn some steps ahead, so that they come from memory
/// together.
std::vector<std::uint32_t> single_cycle(std::size_t size, std::uint64_t seed) {
  std::vector<std::uint32_t> next(size);
  std::iota(next.begin(), next.end(), 0U);
  std::mt19937_64 random(seed);
  std::array<std::size_t, 16> partners{};
  for (std::size_t i = next.size() - 1; i > 0;) {
    const std::size_t steps = std::min(i, partners.size());
    for (std::size_t k = 0; k < steps; ++k) {
      partners[k] = random() % (i - k);
      __builtin_prefetch(&next[partners[k]], 1);
    }
    for (std::size_t k = 0; k < steps; ++k, --i) std::swap(next[i], next[partners[k]]);
  }
  return next;
}

/// Calls `visit` for the nodes of a cycle in their order from node 0. A large one is cut at evenly spaced nodes, and
/// several pieces are followed at a time: each step of one alone would wait for this machine's memory.
template <typename Visit>
void follow(const std::vector<std::uint32_t>& next, Visit visit) {
  constexpr std::size_t lanes = 32;
  const int spacing = std::countr_zero(std::bit_floor(std::max<std::size_t>(next.size() / 64, 1 << 14)));
  const std::uint32_t between = (std::uint32_t{1} << spacing) - 1;
  struct Piece {
    std::vector<std::uint32_t> nodes;
    std::size_t follower = 0;
  };
  std::vector<Piece> pieces(((next.size() - 1) >> spacing) + 1);
  std::vector<std::pair<Piece*, std::uint32_t>> followed;
  for (std::size_t begun = 0; begun < pieces.size() || !followed.empty();) {
    for (; followed.size() < lanes && begun < pieces.size(); ++begun) {
      followed.emplace_back(&pieces[begun], static_cast<std::uint32_t>(begun << spacing));
    }
    for (auto& [piece, node] : followed) {
      piece->nodes.push_back(node);
      node = next[node];
      __builtin_prefetch(&next[node]);
      if ((node & between) == 0) piece->follower = (node >> spacing) + 1;
    }
    std::erase_if(followed, [](const auto& lane) { return lane.first->follower != 0; });
  }
  std::size_t piece = 0;
  do {
    std::ranges::for_each(pieces[piece].nodes, visit);
    piece = pieces[piece].follower - 1;
  } while (piece != 0);
}

void add_columns(Arrays& out, const Program& program) {
  add(out, array_bytes, program.arrays, &Array::bytes);
  add_unless(out, no_alias, array_alias, program.arrays, &Array::alias);
  add_unless(out, 0, array_space, program.arrays, &Array::space);
  add_unless(out, 0, array_width, program.arrays, &Array::width);
  add(out, ring_array, program.rings, &Ring::array);
  add(out, ring_start, program.rings, &Ring::start);
  add(out, ring_stride, program.rings, wire_stride);
  add(out, ring_count, program.rings, &Ring::size);
  add_unless(out, 0, ring_order, program.rings, &Ring::order);
  add_unless(out, 0, ring_seed, program.rings, &Ring::seed);
  std::vector<std::int64_t> nodes;
  for (const Ring& ring : program.rings) nodes.insert(nodes.end(), ring.nodes.begin(), ring.nodes.end());
  if (!nodes.empty()) out.add({names[ring_nodes].data(), nodes});
  add_unless(out, any_sm, actor_sm, program.actors, &Actor::sm);
  add(out, actor_path, program.actors, &Actor::path);
  add_unless(out, 1, actor_threads, program.actors, &Actor::threads);
  add_unless(out, 0, actor_warp, program.actors, &Actor::warp);
  add(out, phase_actor, program.phases, &Phase::actor);
  add(out, phase_ring, program.phases, &Phase::ring);
  add_unless(out, 0, phase_first, program.phases, &Phase::first);
  add(out, phase_loads, program.phases, &Phase::loads);
  add(out, phase_timing, program.phases, &Phase::timing);
  add_unless(out, default_carveout, carveout, program.carveout);
  add_unless(out, 0, alone, program.alone ? 1 : 0);
  add_unless(out, 0, trial, program.trial);
}

/// Adds the traces of all phases one behind the other.
void add_traces(Arrays& out, const char* name, const std::vector<Result::Trace>& traces,
                std::vector<std::uint32_t> Result::Trace::*field) {
  if (traces.size() == 1) return out.add({name, traces.front().*field});
  std::vector<std::uint32_t> all;
  for (const Result::Trace& trace : traces) all.insert(all.end(), (trace.*field).begin(), (trace.*field).end());
  out.add({name, all});
}

void add_arrays(Arrays& out, const Result& result) {
  add_traces(out, "latency", result.traces, &Result::Trace::latency);
  add_traces(out, "node", result.traces, &Result::Trace::node);
  out.add({"total", result.totals});
  out.add({"overhead.each", result.overhead_each});
  out.add({"overhead.total", result.overhead_total});
  out.add({"sm", result.sms});
  out.add({"kernel_shared", result.kernel_shared});
}

}  // namespace

Space space_of(Path path) {
  switch (path) {
    case Path::texture_2d: return Space::texture;
    case Path::constant: return Space::constant;
    case Path::shared: return Space::shared;
    case Path::instruction: return Space::instruction;
    case Path::global_ca:
    case Path::global_cg:
    case Path::global_nc:
    case Path::texture: break;
  }
  return Space::global;
}

bool is_global(Path path) { return path == Path::global_ca || path == Path::global_cg || path == Path::global_nc; }

Experiment encode(const Program& program) {
  Experiment experiment{TOMOGRAPH_CHASE_ID, {}};
  add_columns(experiment.parameters, program);
  return experiment;
}

Experiment encode(const Program& program, ArrayMemory& memory) {
  Experiment experiment{TOMOGRAPH_CHASE_ID, memory.arrays(usual_columns)};
  add_columns(experiment.parameters, program);
  return experiment;
}

Program decode(const Experiment& experiment) {
  const Columns columns(experiment);
  Program program;

  const auto bytes = columns.required(array_bytes);
  const auto alias = columns.optional(array_alias, bytes.size(), no_alias);
  const auto space = columns.optional(array_space, bytes.size(), 0);
  const auto width = columns.optional(array_width, bytes.size(), 0);
  program.arrays.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    program.arrays.push_back({bytes[i], alias[i], enumerator(space[i], Space::instruction, array_space), width[i]});
  }

  const auto array = columns.required(ring_array);
  const auto start = columns.sized(ring_start, array.size());
  const auto stride = columns.sized(ring_stride, array.size());
  const auto count = columns.sized(ring_count, array.size());
  const auto order = columns.optional(ring_order, array.size(), 0);
  const auto seed = columns.optional(ring_seed, array.size(), 0);
  auto nodes = columns.has(ring_nodes) ? columns.required(ring_nodes) : std::span<const std::int64_t>{};
  program.rings.reserve(array.size());
  for (std::size_t i = 0; i < array.size(); ++i) {
    Ring ring{array[i], start[i], stride[i], count[i], enumerator(order[i], Order::shuffled, ring_order), seed[i], {}};
    if (ring.stride == 0) {
      if (count[i] < 0 || static_cast<std::size_t>(count[i]) > nodes.size()) {
        throw std::invalid_argument("parameter 'ring.nodes' has too few elements");
      }
      const auto own = nodes.first(static_cast<std::size_t>(count[i]));
      ring.nodes.assign(own.begin(), own.end());
      nodes = nodes.subspan(own.size());
    }
    program.rings.push_back(std::move(ring));
  }

  const auto path = columns.required(actor_path);
  const auto sm = columns.optional(actor_sm, path.size(), any_sm);
  const auto threads = columns.optional(actor_threads, path.size(), 1);
  const auto warp = columns.optional(actor_warp, path.size(), 0);
  program.actors.reserve(path.size());
  for (std::size_t i = 0; i < path.size(); ++i) {
    program.actors.push_back({sm[i], enumerator(path[i], Path::instruction, actor_path), threads[i], warp[i]});
  }

  const auto actor = columns.required(phase_actor);
  const auto ring = columns.sized(phase_ring, actor.size());
  const auto first = columns.optional(phase_first, actor.size(), 0);
  const auto loads = columns.sized(phase_loads, actor.size());
  const auto timing = columns.sized(phase_timing, actor.size());
  program.phases.reserve(actor.size());
  for (std::size_t i = 0; i < actor.size(); ++i) {
    program.phases.push_back(
        {actor[i], ring[i], first[i], loads[i], enumerator(timing[i], Timing::each, phase_timing)});
  }

  program.carveout = columns.optional(carveout, 1, default_carveout)[0];
  program.alone = columns.optional(alone, 1, 0)[0] != 0;
  program.trial = columns.optional(trial, 1, 0)[0];
  return program;
}

std::optional<std::string> violation(const Program& program) {
  for (const auto check : {&array_violation, &ring_violation, &phase_violation, &path_violation, &node_violation}) {
    if (auto why = check(program)) return why;
  }
  return std::nullopt;
}

std::vector<std::int64_t> node_offsets(const Ring& ring) {
  if (!ring.nodes.empty()) return ring.nodes;
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(std::max<std::int64_t>(ring.count, 0)));
  const auto at = [&](std::size_t node) { return ring.start + static_cast<std::int64_t>(node) * ring.stride; };
  if (ring.order == Order::sequential || offsets.size() < 2) {
    for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = at(i);
    return offsets;
  }
  auto offset = offsets.begin();
  follow(single_cycle(offsets.size(), static_cast<std::uint64_t>(ring.seed)),
         [&](std::uint32_t node) { *offset++ = at(node); });
  return offsets;
}

Arrays encode(const Result& result) {
  Arrays arrays;
  add_arrays(arrays, result);
  return arrays;
}

Arrays encode(const Result& result, ArrayMemory& memory) {
  Arrays arrays = memory.arrays(result_arrays);
  add_arrays(arrays, result);
  return arrays;
}

std::vector<double> Result::net_latencies(std::size_t phase) const {
  std::vector<double> net;
  for (const std::uint32_t raw : traces.at(phase).latency) net.push_back(raw - overhead_each);
  return net;
}

Result decode_result(const Program& program, const Answer& answer) {
  auto latency = numbers<std::uint32_t>(answer.arrays, "latency");
  auto node = numbers<std::uint32_t>(answer.arrays, "node");
  const auto total = numbers<double>(answer.arrays, "total");
  const auto sm = numbers<std::int64_t>(answer.arrays, "sm");
  const auto scalar = [&]<typename T>(std::string_view name, T) {
    const auto values = numbers<T>(answer.arrays, name);
    if (values.size() != 1) throw std::invalid_argument("array '" + std::string(name) + "' is not one number");
    return values.front();
  };

  Result result;
  std::size_t totals = 0;
  for (const Phase& phase : program.phases) {
    if (phase.timing == Timing::total) ++totals;
    if (phase.timing != Timing::each) continue;
    const auto loads = static_cast<std::size_t>(phase.loads);
    if (latency.size() < loads || node.size() < loads) throw std::invalid_argument("array 'latency' is too short");
    result.traces.push_back(
        {{latency.begin(), latency.begin() + phase.loads}, {node.begin(), node.begin() + phase.loads}});
    latency = latency.subspan(loads);
    node = node.subspan(loads);
  }
  if (!latency.empty() || !node.empty()) throw std::invalid_argument("array 'latency' is too long");
  if (total.size() != totals) throw std::invalid_argument("array 'total' does not fit the program");
  if (sm.size() != program.actors.size()) throw std::invalid_argument("array 'sm' does not fit the program");
  result.totals.assign(total.begin(), total.end());
  result.overhead_each = scalar("overhead.each", double{});
  result.overhead_total = scalar("overhead.total", double{});
  result.sms.assign(sm.begin(), sm.end());
  result.kernel_shared = scalar("kernel_shared", std::int64_t{});
  return result;
}

}  // namespace tomograph::chase
