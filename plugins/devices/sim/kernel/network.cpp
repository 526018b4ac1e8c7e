#include "sim/kernel/network.hpp"

#include <bit>
#include <utility>

#include "sim/random.hpp"

namespace tomograph::sim::timed {

std::span<const Message> Inbox::take(Cycle until) {
  sorted_.clear();
  const Cycle from = std::exchange(from_, until);
  if (empty()) return sorted_;
  cycles_.resize(static_cast<std::size_t>(until - from));
  arrivals_.resize((cycles_.size() + 63) / 64);
  next_.resize(on_their_way_.size());
  for (std::uint32_t i = 0; i < next_.size(); ++i) {
    const Cycle when = on_their_way_[i].when;
    if (when >= until) {
      later_.push_back(on_their_way_[i]);
      continue;
    }
    const auto cycle = static_cast<std::size_t>(when - from);
    const std::uint64_t bit = std::uint64_t{1} << cycle % 64;
    const bool is_first = (arrivals_[cycle / 64] & bit) == 0;
    arrivals_[cycle / 64] |= bit;
    (is_first ? cycles_[cycle].first : next_[cycles_[cycle].last]) = i;
    cycles_[cycle].last = i;
  }
  for (std::size_t word = 0; word < arrivals_.size(); ++word) {
    for (std::uint64_t left = std::exchange(arrivals_[word], 0); left != 0; left &= left - 1) {
      const auto [first, last] = cycles_[64 * word + static_cast<std::size_t>(std::countr_zero(left))];
      for (std::uint32_t i = first; i != last; i = next_[i]) sorted_.push_back(on_their_way_[i]);
      sorted_.push_back(on_their_way_[last]);
    }
  }
  on_their_way_.swap(later_);
  later_.clear();
  return sorted_;
}

std::uint32_t slice_of(std::uint64_t address, const Divisor& interleave, const Divisor& slices) {
  const std::uint64_t chunk = interleave.quotient(address);
  return static_cast<std::uint32_t>(slices.remainder(chunk + mix(slices.quotient(chunk))));
}

Network::Network(const Gpu& gpu, std::size_t sms)
    : ways_(sim::ways(gpu)),
      interleave_(static_cast<std::uint64_t>(gpu.timing->l2.interleave)),
      slices_(static_cast<std::uint64_t>(gpu.l2.slices)),
      to_slices_(static_cast<std::size_t>(gpu.l2.slices)),
      to_sms_(sms) {}

}  // namespace tomograph::sim::timed
