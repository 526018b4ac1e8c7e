#include "sim/kernel/network.hpp"

#include <bit>
#include <utility>

#include "sim/random.hpp"

namespace tomograph::sim::timed {

std::span<const Message> Sorter::take(Inbox& inbox, Cycle until, std::size_t cycles) {
  chains_.resize(cycles);
  busy_.resize(cycles / 64 + 1);
  next_.resize(std::max(next_.size(), inbox.size()));
  std::uint32_t place = 0;
  std::size_t due = 0;
  for (const Message& message : inbox) {
    if (message.when < until) {
      const auto cycle = static_cast<std::size_t>(message.when - until) + cycles;
      const std::uint64_t bit = std::uint64_t{1} << cycle % 64;
      std::uint64_t& busy = busy_[cycle / 64];
      Chain& chain = chains_[cycle];
      ((busy & bit) == 0 ? chain.first : next_[chain.last]) = place;
      busy |= bit;
      chain.last = place;
      ++due;
    }
    ++place;
  }
  sorted_.resize(std::max(sorted_.size(), due));
  Message* sorted = sorted_.data();
  for (std::size_t word = 0; word < busy_.size(); ++word) {
    for (std::uint64_t left = std::exchange(busy_[word], 0); left != 0; left &= left - 1) {
      const auto [first, last] = chains_[64 * word + static_cast<std::size_t>(std::countr_zero(left))];
      for (std::uint32_t i = first; i != last; i = next_[i]) *sorted++ = inbox[i];
      *sorted++ = inbox[last];
    }
  }
  if (due == inbox.size()) {
    inbox.clear();
  } else {
    std::erase_if(inbox, [&](const Message& message) { return message.when < until; });
  }
  return std::span(sorted_).first(due);
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
