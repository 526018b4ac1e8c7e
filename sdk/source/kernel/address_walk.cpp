#include "tomograph/kernel/address_walk.hpp"

#include <cstddef>

namespace tomograph::kernel {

namespace {

/// Of the generator in tomograph/abi/kernel.h.
constexpr std::uint32_t random_factor = 747796405;
constexpr std::uint32_t random_summand = 2891336453;
constexpr std::uint64_t word_bytes = 4;

std::uint64_t row_begin(std::uint64_t row, std::uint32_t mean) {
  return row * mean + mulhi(mix(static_cast<std::uint32_t>(row)), mean);
}

}  // namespace

AddressWalk::AddressWalk(const Kernel& kernel, const Step& step, WarpPlace place)
    : kernel_(&kernel), step_(&step), access_(&*step.access), place_(place) {
  const auto* hash = std::get_if<Hash>(&access_->pattern);
  if (hash == nullptr) return;
  for (std::int64_t lane = 0; lane < warp_lanes; ++lane) {
    const std::uint64_t group = thread(lane) / static_cast<std::uint64_t>(hash->group);
    random_[static_cast<std::size_t>(lane)] =
        mix(static_cast<std::uint32_t>(hash->seed) + static_cast<std::uint32_t>(group));
  }
}

std::uint64_t AddressWalk::thread(std::int64_t lane) const {
  return static_cast<std::uint64_t>((place_.cta * kernel_->warps + place_.warp) * warp_lanes + lane);
}

std::optional<std::uint64_t> AddressWalk::offset(const Stride& pattern, std::int64_t lane) const {
  const std::int64_t warp = place_.cta * kernel_->warps + place_.warp;
  const auto elements = static_cast<std::uint64_t>(access_->elements());
  const auto at =
      static_cast<std::uint64_t>(lane * pattern.lane_stride + warp * pattern.warp_stride + pattern.offset) % elements;
  const auto moved = static_cast<std::uint64_t>(iteration_ * pattern.iteration_stride) % elements;
  return (at + moved) % elements * static_cast<std::uint64_t>(access_->element);
}

std::optional<std::uint64_t> AddressWalk::offset(const Hash& pattern, std::int64_t lane) {
  std::uint32_t& state = random_[static_cast<std::size_t>(lane)];
  const std::uint64_t block = mulhi(state, static_cast<std::uint32_t>(access_->span / pattern.block));
  state = random_factor * state + random_summand;
  return block * static_cast<std::uint64_t>(pattern.block) +
         static_cast<std::uint64_t>(lane % pattern.group * access_->element);
}

std::optional<std::uint64_t> AddressWalk::offset(const Stencil& pattern, std::int64_t lane) const {
  const std::int64_t tiles = pattern.width / warp_lanes;  // in a row
  const std::int64_t tile_rows = (kernel_->ctas + tiles - 1) / tiles;
  const std::int64_t column = place_.cta % tiles * warp_lanes + lane + pattern.dx;
  const std::int64_t row =
      kernel_->warps * (place_.cta / tiles) + place_.warp + iteration_ * kernel_->warps * tile_rows + pattern.dy;
  const std::int64_t elements = access_->elements();
  const std::int64_t element = ((row * pattern.width + column) % elements + elements) % elements;
  return static_cast<std::uint64_t>(element * access_->element);
}

std::optional<std::uint64_t> AddressWalk::offset(const Csr& pattern, std::int64_t lane) const {
  const auto mean = static_cast<std::uint32_t>(pattern.row);
  const std::uint64_t at = row_begin(thread(lane), mean) + static_cast<std::uint64_t>(iteration_);
  if (at >= row_begin(thread(lane) + 1, mean)) return std::nullopt;
  return at * static_cast<std::uint64_t>(access_->element);
}

std::optional<std::uint64_t> AddressWalk::offset(const Column& pattern, std::int64_t lane) const {
  const auto elements = static_cast<std::uint64_t>(access_->elements());
  const auto width = static_cast<std::uint64_t>(pattern.width);
  const std::uint64_t element = thread(lane) * width % elements + static_cast<std::uint64_t>(iteration_) % width;
  return element * static_cast<std::uint64_t>(access_->element);
}

std::optional<std::uint64_t> AddressWalk::gathered(const LaneAddresses& index, std::int64_t lane) const {
  const auto& address = index[static_cast<std::size_t>(lane)];
  if (!address) return std::nullopt;
  const std::uint32_t value = mix(static_cast<std::uint32_t>(*address / word_bytes));
  return std::uint64_t{mulhi(value, static_cast<std::uint32_t>(access_->elements()))} *
         static_cast<std::uint64_t>(access_->element);
}

LaneAddresses AddressWalk::next(const LaneAddresses* index) {
  LaneAddresses addresses;
  const auto base = static_cast<std::uint64_t>(access_->base);
  std::visit(
      [&](const auto& pattern) {
        for (std::int64_t lane = 0; lane < step_->lanes; ++lane) {
          std::optional<std::uint64_t> within;
          if constexpr (std::is_same_v<std::decay_t<decltype(pattern)>, Gather>) {
            within = gathered(*index, lane);
          } else {
            within = offset(pattern, lane);
          }
          if (within) addresses[static_cast<std::size_t>(lane)] = base + *within;
        }
      },
      access_->pattern);
  ++iteration_;
  return addresses;
}

}  // namespace tomograph::kernel
