#include "tomograph/chase.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "tomograph/scalars.hpp"

namespace tomograph::chase {

namespace {

/// Memory to reserve: most programs have no more columns. A result has exactly seven arrays.
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

/// Adds a column of a table. Columns of short tables, the usual case, need no allocation.
template <typename Owner, typename Field>
void add(Arrays& columns, Name name, const std::vector<Owner>& owners, Field field) {
  const auto value = [&](const Owner& owner) { return static_cast<std::int64_t>(std::invoke(field, owner)); };
  std::array<std::int64_t, 8> few{};
  std::vector<std::int64_t> many(owners.size() > few.size() ? owners.size() : 0);
  const std::span<std::int64_t> values = many.empty() ? std::span(few).first(owners.size()) : many;
  std::ranges::transform(owners, values.begin(), value);
  columns.add({names[name].data(), std::span<const std::int64_t>(values)});
}

/// A request gives stride 0 to a ring of explicit nodes, whatever the field holds.
std::int64_t wire_stride(const Ring& ring) { return ring.nodes.empty() ? ring.stride : 0; }

/// Adds a column unless it holds only the default of an absent column. A probe may send thousands of experiments, so
/// fewer columns save time.
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
  /// @throws std::invalid_argument if a parameter is unknown or occurs twice.
  explicit Columns(const Experiment& experiment) {
    std::size_t name = 0;
    for (const ArrayView& parameter : experiment.parameters) {
      // Parameters are mostly in the order of the names, so the search goes on where the last one ended.
      for (std::size_t tried = 0; !parameter.is_called(names[name]); name = (name + 1) % names.size()) {
        if (++tried == names.size()) throw std::invalid_argument("the chase has an unknown parameter");
      }
      if (has(static_cast<Name>(name))) {
        throw std::invalid_argument("parameter '" + std::string(names[name]) + "' occurs twice");
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

/// Adds the nodes of all rings one after the other. Node lists are most of the numbers in a request.
void add_nodes(Arrays& out, const std::vector<Ring>& rings) {
  const auto has_nodes = [](const Ring& ring) { return !ring.nodes.empty(); };
  const auto first = std::ranges::find_if(rings, has_nodes);
  if (first == rings.end()) return;
  if (std::none_of(first + 1, rings.end(), has_nodes)) return out.add({names[ring_nodes].data(), first->nodes});
  std::size_t count = 0;
  for (const Ring& ring : rings) count += ring.nodes.size();
  std::vector<std::int64_t> nodes;
  nodes.reserve(count);
  for (const Ring& ring : rings) nodes.insert(nodes.end(), ring.nodes.begin(), ring.nodes.end());
  out.add({names[ring_nodes].data(), nodes});
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
  add_nodes(out, program.rings);
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

/// Adds the traces of all phases one after the other.
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

std::vector<Array> decode_arrays(const Columns& columns) {
  const auto bytes = columns.required(array_bytes);
  const auto alias = columns.optional(array_alias, bytes.size(), no_alias);
  const auto space = columns.optional(array_space, bytes.size(), 0);
  const auto width = columns.optional(array_width, bytes.size(), 0);
  std::vector<Array> arrays;
  arrays.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    arrays.push_back({bytes[i], alias[i], enumerator(space[i], Space::instruction, array_space), width[i]});
  }
  return arrays;
}

/// Takes the next `count` nodes from the list of all rings' nodes.
std::vector<std::int64_t> take_nodes(std::span<const std::int64_t>& nodes, std::int64_t count) {
  if (count < 0 || static_cast<std::size_t>(count) > nodes.size()) {
    throw std::invalid_argument("parameter 'ring.nodes' has too few elements");
  }
  const auto own = nodes.first(static_cast<std::size_t>(count));
  nodes = nodes.subspan(own.size());
  return {own.begin(), own.end()};
}

std::vector<Ring> decode_rings(const Columns& columns) {
  const auto array = columns.required(ring_array);
  const auto start = columns.sized(ring_start, array.size());
  const auto stride = columns.sized(ring_stride, array.size());
  const auto count = columns.sized(ring_count, array.size());
  const auto order = columns.optional(ring_order, array.size(), 0);
  const auto seed = columns.optional(ring_seed, array.size(), 0);
  auto nodes = columns.has(ring_nodes) ? columns.required(ring_nodes) : std::span<const std::int64_t>{};
  std::vector<Ring> rings;
  rings.reserve(array.size());
  for (std::size_t i = 0; i < array.size(); ++i) {
    Ring ring{array[i], start[i], stride[i], count[i], enumerator(order[i], Order::shuffled, ring_order), seed[i], {}};
    if (ring.stride == 0) ring.nodes = take_nodes(nodes, count[i]);
    rings.push_back(std::move(ring));
  }
  return rings;
}

std::vector<Actor> decode_actors(const Columns& columns) {
  const auto path = columns.required(actor_path);
  const auto sm = columns.optional(actor_sm, path.size(), any_sm);
  const auto threads = columns.optional(actor_threads, path.size(), 1);
  const auto warp = columns.optional(actor_warp, path.size(), 0);
  std::vector<Actor> actors;
  actors.reserve(path.size());
  for (std::size_t i = 0; i < path.size(); ++i) {
    actors.push_back({sm[i], enumerator(path[i], Path::instruction, actor_path), threads[i], warp[i]});
  }
  return actors;
}

std::vector<Phase> decode_phases(const Columns& columns) {
  const auto actor = columns.required(phase_actor);
  const auto ring = columns.sized(phase_ring, actor.size());
  const auto first = columns.optional(phase_first, actor.size(), 0);
  const auto loads = columns.sized(phase_loads, actor.size());
  const auto timing = columns.sized(phase_timing, actor.size());
  std::vector<Phase> phases;
  phases.reserve(actor.size());
  for (std::size_t i = 0; i < actor.size(); ++i) {
    phases.push_back({actor[i], ring[i], first[i], loads[i], enumerator(timing[i], Timing::each, phase_timing)});
  }
  return phases;
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
  return {.arrays = decode_arrays(columns),
          .rings = decode_rings(columns),
          .actors = decode_actors(columns),
          .phases = decode_phases(columns),
          .carveout = columns.optional(carveout, 1, default_carveout)[0],
          .alone = columns.optional(alone, 1, 0)[0] != 0,
          .trial = columns.optional(trial, 1, 0)[0]};
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

namespace {

/// @throws std::invalid_argument if `result` says what no device can have seen. Its arrays fit the program.
void expect_plausible(const Program& program, const Result& result) {
  auto trace = result.traces.begin();
  for (const Phase& phase : program.phases) {
    if (phase.timing != Timing::each) continue;
    const std::int64_t nodes = program.rings[static_cast<std::size_t>(phase.ring)].size();
    const auto most = std::ranges::max_element(trace->node);
    if (most != trace->node.end() && *most >= nodes) {
      throw std::invalid_argument("array 'node' has node " + std::to_string(*most) + " of a ring of " +
                                  std::to_string(nodes));
    }
    ++trace;
  }
  const auto is_time = [](double cycles) { return std::isfinite(cycles) && cycles >= 0; };
  if (!std::ranges::all_of(result.totals, is_time))
    throw std::invalid_argument("array 'total' has a time that is negative or not finite");
  if (!std::isfinite(result.overhead_each) || !std::isfinite(result.overhead_total)) {
    throw std::invalid_argument("an overhead is not finite");
  }
  for (std::size_t i = 0; i < result.sms.size(); ++i) {
    const std::int64_t asked = program.actors[i].sm;
    if (result.sms[i] >= 0 && (asked == any_sm || asked == result.sms[i])) continue;
    throw std::invalid_argument("array 'sm' has SM " + std::to_string(result.sms[i]) + " for an actor on " +
                                (asked == any_sm ? "any SM" : "SM " + std::to_string(asked)));
  }
}

}  // namespace

Result decode_result(const Program& program, const Answer& answer) {
  auto latency = numbers<std::uint32_t>(answer.arrays, "latency");
  auto node = numbers<std::uint32_t>(answer.arrays, "node");
  const auto total = numbers<double>(answer.arrays, "total");
  const auto sm = numbers<std::int64_t>(answer.arrays, "sm");

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
  result.overhead_each = scalar<double>(answer.arrays, "overhead.each");
  result.overhead_total = scalar<double>(answer.arrays, "overhead.total");
  result.sms.assign(sm.begin(), sm.end());
  result.kernel_shared = scalar<std::int64_t>(answer.arrays, "kernel_shared");
  expect_plausible(program, result);
  return result;
}

}  // namespace tomograph::chase
