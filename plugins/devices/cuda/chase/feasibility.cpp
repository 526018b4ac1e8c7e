#include "cuda/chase/feasibility.hpp"

#include <algorithm>
#include <array>

#include "cuda/chase/program_layout.hpp"

namespace tomograph::cuda {

namespace {

std::optional<std::string> constant_shortage(const chase::Program& program) {
  for (const chase::Array& array : program.arrays) {
    if (array.space != chase::Space::constant || array.bytes <= constant_bytes) continue;
    return "the program has an array of " + std::to_string(array.bytes) + " B in constant memory, the most is " +
           std::to_string(constant_bytes) + " B";
  }
  const std::int64_t needed = banks(program);
  if (needed == 1) return std::nullopt;
  const std::string many = "the program needs " + std::to_string(needed) + " banks of constant memory, ";
  if (needed > constant_banks) return many + "the most is " + std::to_string(constant_banks);
  const bool plain = std::ranges::all_of(program.actors, [&](const chase::Actor& actor) {
    return actor.sm == program.actors.front().sm && actor.warp == 0 &&
           (actor.threads == 1 || actor.path != chase::Path::constant);
  });
  if (!plain) return many + "of which several serve only actors of one thread in the first warp of one SM";
  return std::nullopt;
}

/// Whether blocks of code can follow the ring: a block continues with the next or with the eighth block after it
/// (chase/code_array.cmake).
bool is_code_ring(const chase::Ring& ring) {
  constexpr std::array steps{1, 8};
  const auto is_stride = [&](std::int64_t step) { return ring.stride == step * code_block_bytes; };
  return ring.nodes.empty() && ring.order == chase::Order::sequential &&
         (ring.count == 1 || std::ranges::any_of(steps, is_stride));
}

std::optional<std::string> code_shortage(const chase::Program& program, const Limits& limits) {
  // Nobody has looked where the blocks of code lie (chase/code_array.cuh).
  if (limits.jit_compiled && has_code(program)) return "instruction memory needs a plugin that is built for this GPU";
  constexpr std::int64_t most = std::int64_t{code_blocks} * code_block_bytes;
  if (const std::int64_t wanted = offsets_in(program, chase::Space::instruction).back(); wanted > most) {
    return "the program has arrays of " + std::to_string(wanted) + " B in instruction memory, the most is " +
           std::to_string(most) + " B";
  }
  for (const chase::Ring& ring : program.rings) {
    const chase::Array& array = program.arrays[static_cast<std::size_t>(ring.array)];
    if (array.space != chase::Space::instruction || is_code_ring(ring)) continue;
    return "a ring over instruction memory must be sequential with a stride of 128 or 1024 B";
  }
  if (!has_code(program)) return std::nullopt;
  const bool alone = std::ranges::all_of(program.actors, [](const chase::Actor& actor) {
    return actor.path == chase::Path::constant || (actor.path == chase::Path::instruction && actor.threads == 1);
  });
  if (!alone)
    return "a program with instruction memory may have no other arrays but constants, and actors of one thread only";
  return std::nullopt;
}

std::optional<std::string> texture_shortage(const chase::Program& program, const Limits& limits) {
  for (const chase::Array& array : program.arrays) {
    if (array.space != chase::Space::texture) continue;
    if (array.width / chase::node_bytes > limits.texture_width || array.bytes / array.width > limits.texture_height) {
      return "the program has a texture of " + std::to_string(array.width / chase::node_bytes) + " x " +
             std::to_string(array.bytes / array.width) + " texels, the most is " +
             std::to_string(limits.texture_width) + " x " + std::to_string(limits.texture_height);
    }
  }
  for (const chase::Phase& phase : program.phases) {
    if (program.actors[static_cast<std::size_t>(phase.actor)].path != chase::Path::texture) continue;
    const auto ring = static_cast<std::size_t>(phase.ring);
    const std::int64_t bytes = program.arrays[static_cast<std::size_t>(program.rings[ring].array)].bytes;
    if (bytes / chase::node_bytes > limits.texels) {
      return "the program has a linear texture of " + std::to_string(bytes) + " B, the most is " +
             std::to_string(limits.texels * chase::node_bytes) + " B";
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> impossibility(const chase::Program& program, const Limits& limits) {
  for (const chase::Actor& actor : program.actors) {
    if (actor.sm >= limits.sms) {
      return "an actor names SM " + std::to_string(actor.sm) + ", the device has " + std::to_string(limits.sms) +
             " SMs";
    }
  }
  const std::uint32_t timed = timed_warps(program);
  for (const chase::Actor& actor : program.actors) {
    if (actor.threads > 1 && physical_threads(actor, timed) < 2)
      return "actors name all warps of a CTA, which leaves none for actors of several threads";
  }
  const std::int64_t room = (limits.shared_per_block - limits.shared_static - shared_arrays(program)) / slot_bytes;
  if (const std::int64_t wanted = most_slots(program); wanted > room) {
    return "the phases on one SM time " + std::to_string(wanted) + " loads and totals, at most " +
           std::to_string(room) + " fit into shared memory";
  }
  if (program.carveout < chase::default_carveout || program.carveout > limits.shared_per_sm) {
    return "the program requests a carve-out of " + std::to_string(program.carveout) + " B, the most is " +
           std::to_string(limits.shared_per_sm) + " B";
  }
  return std::nullopt;
}

std::optional<std::string> shortage(const chase::Program& program, const Limits& limits) {
  if (auto why = constant_shortage(program)) return why;
  if (auto why = code_shortage(program, limits)) return why;
  const std::int64_t room = limits.shared_per_block - limits.shared_static;
  if (const std::int64_t wanted = shared_arrays(program); wanted > room) {
    return "the program has arrays of " + std::to_string(wanted) + " B in shared memory, a CTA can have " +
           std::to_string(room) + " B";
  }
  return texture_shortage(program, limits);
}

}  // namespace tomograph::cuda
