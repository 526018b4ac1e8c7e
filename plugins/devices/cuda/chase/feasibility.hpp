#ifndef TOMOGRAPH_CUDA_CHASE_FEASIBILITY_HPP
#define TOMOGRAPH_CUDA_CHASE_FEASIBILITY_HPP

#include <cstdint>
#include <optional>
#include <string>

#include "tomograph/chase.hpp"

/// Which programs a GPU can run. No GPU is needed to decide this.
namespace tomograph::cuda {

/// The limits of a GPU that bear on chase programs. Sizes are in bytes unless stated otherwise.
struct Limits {
  std::int64_t sms = 0;
  std::int64_t wave_memory = 0;       ///< arrays of all programs of a wave; a single program may exceed it
  std::int64_t kept_memory = 0;       ///< of aliased arrays and array textures that stay from submission to submission
  std::int64_t shared_per_sm = 0;     ///< the largest carve-out
  std::int64_t shared_per_block = 0;  ///< of a CTA at most, static and dynamic
  std::int64_t shared_reserved = 0;   ///< reserved by the system for each CTA
  std::int64_t shared_static = 0;     ///< static shared memory of the kernel
  bool jit_compiled = false;          ///< the driver compiled the kernel, for a GPU newer than it was built for
  std::int64_t texels = 0;            ///< of a linear texture
  std::int64_t texture_width = 0;     ///< of a two-dimensional texture, in texels
  std::int64_t texture_height = 0;
};

/// Why no schedule can run `program`, a valid chase, or nothing.
[[nodiscard]] std::optional<std::string> impossibility(const chase::Program& program, const Limits& limits);

/// Of which memory the device has too little for `program`, a valid chase, or nothing.
[[nodiscard]] std::optional<std::string> shortage(const chase::Program& program, const Limits& limits);

}  // namespace tomograph::cuda

#endif
