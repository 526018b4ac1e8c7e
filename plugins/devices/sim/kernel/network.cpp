#include "sim/kernel/network.hpp"

#include <numeric>
#include <utility>

#include "sim/random.hpp"

namespace tomograph::sim::timed {

std::span<const Message> Inbox::take(Cycle until) {
  sorted_.clear();
  const Cycle from = std::exchange(from_, until);
  if (empty()) return sorted_;
  places_.assign(static_cast<std::size_t>(until - from) + 1, 0);
  for (const Message& message : on_their_way_) {
    if (message.when < until) ++places_[static_cast<std::size_t>(message.when - from) + 1];
  }
  std::partial_sum(places_.begin(), places_.end(), places_.begin());
  sorted_.resize(places_.back());
  std::size_t later = 0;
  for (const Message& message : on_their_way_) {
    if (message.when < until) {
      sorted_[places_[static_cast<std::size_t>(message.when - from)]++] = message;
    } else {
      on_their_way_[later++] = message;
    }
  }
  on_their_way_.resize(later);
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
