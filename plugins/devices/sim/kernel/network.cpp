#include "sim/kernel/network.hpp"

#include <bit>
#include <utility>

#include "sim/random.hpp"

namespace tomograph::sim::timed {

std::span<const Message> Sorter::take(Inbox& inbox, Cycle until, std::size_t cycles) {
  sorted_.clear();
  chains_.resize(cycles);
  busy_.resize(cycles / 64 + 1);
  next_.resize(std::max(next_.size(), inbox.size()));
  for (std::uint32_t i = 0; i < inbox.size(); ++i) {
    if (inbox[i].when >= until) continue;
    const auto cycle = static_cast<std::size_t>(inbox[i].when - until) + cycles;
    const std::uint64_t bit = std::uint64_t{1} << cycle % 64;
    const bool is_first = (busy_[cycle / 64] & bit) == 0;
    busy_[cycle / 64] |= bit;
    (is_first ? chains_[cycle].first : next_[chains_[cycle].last]) = i;
    chains_[cycle].last = i;
  }
  for (std::size_t word = 0; word < busy_.size(); ++word) {
    for (std::uint64_t left = std::exchange(busy_[word], 0); left != 0; left &= left - 1) {
      const auto [first, last] = chains_[64 * word + static_cast<std::size_t>(std::countr_zero(left))];
      for (std::uint32_t i = first; i != last; i = next_[i]) sorted_.push_back(inbox[i]);
      sorted_.push_back(inbox[last]);
    }
  }
  std::erase_if(inbox, [&](const Message& message) { return message.when < until; });
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
