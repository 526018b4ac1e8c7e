#ifndef TOMOGRAPH_KERNEL_ADDRESS_WALK_HPP
#define TOMOGRAPH_KERNEL_ADDRESS_WALK_HPP

#include <array>
#include <cstdint>
#include <optional>

#include "tomograph/kernel.hpp"

/// The addresses of a kernel as data, on the host. Every function here is the arithmetic of abi/kernel.h.
namespace tomograph::kernel {

/// The finalizer of MurmurHash3 (Appleby 2011).
[[nodiscard]] constexpr std::uint32_t mix(std::uint32_t x) {
  x = (x ^ x >> 16) * 0x85ebca6bU;
  x = (x ^ x >> 13) * 0xc2b2ae35U;
  return x ^ x >> 16;
}

/// floor(x y / 2^32).
[[nodiscard]] constexpr std::uint32_t mulhi(std::uint32_t x, std::uint32_t y) {
  return static_cast<std::uint32_t>(std::uint64_t{x} * y >> 32);
}

/// One element per lane; nothing for a lane that does not take part.
using LaneAddresses = std::array<std::optional<std::uint64_t>, static_cast<std::size_t>(warp_lanes)>;

/// A warp of a kernel.
struct WarpPlace {
  std::int64_t cta = 0;
  std::int64_t warp = 0;  ///< of the CTA
};

/// The byte offsets in the footprint that one access of a warp touches, iteration by iteration.
class AddressWalk {
 public:
  /// `step` is a load, store or atomic of `kernel`, which keeps the rules. Both outlive the object.
  AddressWalk(const Kernel& kernel, const Step& step, WarpPlace place);

  /// The addresses in the next iteration, the first one at first. `index` are the addresses of the load that a gather
  /// names, in the same iteration; other patterns ignore it.
  [[nodiscard]] LaneAddresses next(const LaneAddresses* index);

 private:
  [[nodiscard]] std::uint64_t thread(std::int64_t lane) const;
  [[nodiscard]] std::optional<std::uint64_t> offset(const Stride& pattern, std::int64_t lane) const;
  [[nodiscard]] std::optional<std::uint64_t> offset(const Hash& pattern, std::int64_t lane);
  [[nodiscard]] std::optional<std::uint64_t> offset(const Stencil& pattern, std::int64_t lane) const;
  [[nodiscard]] std::optional<std::uint64_t> offset(const Csr& pattern, std::int64_t lane) const;
  [[nodiscard]] std::optional<std::uint64_t> offset(const Column& pattern, std::int64_t lane) const;
  [[nodiscard]] std::optional<std::uint64_t> gathered(const LaneAddresses& index, std::int64_t lane) const;

  const Kernel* kernel_;
  const Step* step_;
  const Access* access_;
  WarpPlace place_;
  std::int64_t iteration_ = 0;
  std::array<std::uint32_t, static_cast<std::size_t>(warp_lanes)> random_{};  ///< state of Hash by lane
};

}  // namespace tomograph::kernel

#endif
