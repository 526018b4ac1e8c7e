#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "tomograph/chase.hpp"

namespace tomograph::chase {

namespace {

/// Limits that abi/chase.h states; 1024 threads are the largest CTA of CUDA.
constexpr std::int64_t maximum_array_bytes = std::int64_t{1} << 40;
constexpr std::int64_t maximum_threads = 1024;

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

/// Actors must be able to read the rings that they follow: see abi/chase.h.
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
      return "a ring is followed on two load paths that encode the next node differently";
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

/// The array whose physical memory `array` maps.
std::size_t original(const Program& program, std::size_t array) {
  while (program.arrays[array].alias != no_alias) array = static_cast<std::size_t>(program.arrays[array].alias);
  return array;
}

/// An evenly spaced ring as an arithmetic progression, so that its nodes need not be enumerated.
struct Progression {
  std::int64_t first = 0;
  std::int64_t stride = 0;
  std::int64_t last = 0;

  [[nodiscard]] bool contains(std::int64_t node) const {
    return node >= first && node <= last && (node - first) % stride == 0;
  }
};

/// A ring of one node has no stride; node_bytes stands in for it.
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
  // The remainder of `node` by other.stride repeats after this many steps.
  const std::int64_t period = other.stride / std::gcd(a.stride, b.stride);
  for (std::int64_t step = 0; step < period && node <= high; ++step, node += sparse.stride) {
    if (other.contains(node)) return true;
  }
  return false;
}

/// Explicit nodes of rings in the same memory, none of which is negative.
using Lists = std::vector<std::span<const std::int64_t>>;

/// Whether a node occurs twice in lists of `count` nodes. Uses a hash table with linear probing.
bool repeats_by_hash(const Lists& lists, std::size_t count) {
  constexpr std::int64_t none = -1;  // no node
  const std::size_t size = std::bit_ceil(2 * count);
  const int shift = 64 - std::countr_zero(size);
  std::vector<std::int64_t> seen(size, none);
  for (const auto nodes : lists) {
    for (const std::int64_t node : nodes) {
      std::size_t slot = (static_cast<std::uint64_t>(node) * 0x9e3779b97f4a7c15U) >> shift;
      for (; seen[slot] != none; slot = (slot + 1) & (size - 1)) {
        if (seen[slot] == node) return true;
      }
      seen[slot] = node;
    }
  }
  return false;
}

/// Whether a node occurs twice, in memory of `bytes`: a bit for each place, which few places make faster than hashing.
bool repeats_by_place(const Lists& lists, std::int64_t bytes) {
  std::vector<bool> seen(static_cast<std::size_t>(bytes / node_bytes));
  for (const auto nodes : lists) {
    for (const std::int64_t node : nodes) {
      auto place = seen[static_cast<std::size_t>(node / node_bytes)];
      if (place) return true;
      place = true;
    }
  }
  return false;
}

bool repeats(const Lists& lists, std::int64_t bytes) {
  constexpr std::int64_t few = 64;  // places for each node: as many bits as an entry of the hash table
  std::size_t count = 0;
  for (const auto nodes : lists) count += nodes.size();
  if (count < 2) return false;
  const bool is_dense = bytes / node_bytes <= few * static_cast<std::int64_t>(count);
  return is_dense ? repeats_by_place(lists, bytes) : repeats_by_hash(lists, count);
}

bool overlap(const std::vector<Progression>& even, const Lists& lists, std::int64_t bytes) {
  for (std::size_t i = 0; i < even.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (meet(even[i], even[k])) return true;
    }
  }
  const auto is_met = [&](std::int64_t node) {
    return std::ranges::any_of(even, [&](const Progression& one) { return one.contains(node); });
  };
  const auto are_met = [&](std::span<const std::int64_t> nodes) { return std::ranges::any_of(nodes, is_met); };
  return (!even.empty() && std::ranges::any_of(lists, are_met)) || repeats(lists, bytes);
}

std::optional<std::string> node_violation(const Program& program) {
  std::vector<std::vector<Progression>> even(program.arrays.size());
  std::vector<Lists> listed(program.arrays.size());
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
      ends = {ring.start};
      if (!misplaced(ring.start)) {  // else sums with it could overflow
        even[physical].push_back(progression(ring));
        ends.push_back(even[physical].back().last);
        if (ring.count > 1) ends.push_back(ring.start + ring.stride);
      }
    } else {
      listed[physical].emplace_back(ring.nodes);
    }
    const std::vector<std::int64_t>& checked = ring.nodes.empty() ? ends : ring.nodes;
    const auto wrong = std::ranges::find_if(checked, misplaced);
    if (wrong != checked.end()) {
      return "a node at offset " + std::to_string(*wrong) + " is misaligned or outside its array";
    }
  }
  for (std::size_t array = 0; array < even.size(); ++array) {
    if (overlap(even[array], listed[array], program.arrays[array].bytes)) return "two nodes overlap";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> violation(const Program& program) {
  if (program.carveout < default_carveout) return "the carve-out is negative";
  for (const auto check : {&array_violation, &ring_violation, &phase_violation, &path_violation, &node_violation}) {
    if (auto why = check(program)) return why;
  }
  return std::nullopt;
}

}  // namespace tomograph::chase
