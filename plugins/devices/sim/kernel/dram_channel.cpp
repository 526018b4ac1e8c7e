#include "sim/kernel/dram_channel.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "sim/random.hpp"

namespace tomograph::sim::timed {

DramChannel::DramChannel(const Gpu& gpu)
    : timing_(gpu.timing->dram),
      chunk_(static_cast<std::uint64_t>(gpu.timing->l2.interleave)),
      slices_(static_cast<std::uint64_t>(gpu.l2.slices)),
      rate_(channel_rate(gpu)),
      ways_(ways(gpu)),
      most_in_window_(static_cast<std::size_t>(timing_.window)),
      banks_(static_cast<std::size_t>(timing_.banks)) {
  window_.reserve(most_in_window_);
}

void DramChannel::arrive() {
  const Cycle now = arrivals_.next();
  const Transfer transfer = arrivals_.pop();
  // The chunks of a slice lie one behind the other in its channel. Rows go round the banks in changing order
  // (permutation-based interleaving, Zhang, Zhu and Zhang 2000).
  const std::uint64_t local = transfer.line / chunk_ / slices_ * chunk_;
  const std::uint64_t row = local / static_cast<std::uint64_t>(timing_.row);
  const std::uint64_t banks = banks_.size();
  const std::uint64_t row_of_bank = row / banks;
  const Waiting waiting{transfer, static_cast<double>(now), row_of_bank,
                        static_cast<std::uint32_t>((row + mix(row_of_bank)) % banks)};
  if (window_.size() < most_in_window_) {
    window_.push_back(waiting);
  } else {
    later_.push(waiting);
  }
  choose_at(now, bus_free_);
}

void DramChannel::choose_at(Cycle now, double when) {
  next_choice_ = std::min(next_choice_, std::max(now, static_cast<Cycle>(when)));
}

double DramChannel::ready(const Waiting& waiting) const {
  const Bank& bank = banks_[waiting.bank];
  return std::max(waiting.arrived, bank.free) + (bank.row != waiting.row ? timing_.row_miss_cycles : 0);
}

void DramChannel::choose() {
  const Cycle now = std::exchange(next_choice_, never);
  if (window_.empty()) return;
  const double soonest = std::max(bus_free_, static_cast<double>(now));
  const double turned = std::max(bus_free_ + timing_.turnaround_cycles, soonest);
  auto best = window_.begin();
  double start = std::numeric_limits<double>::infinity();
  for (auto it = best; start > soonest && it != window_.end(); ++it) {
    const double bus = it->transfer.writes != bus_writes_ ? turned : soonest;
    if (bus >= start) continue;
    if (const double other = std::max(ready(*it), bus); other < start) {
      best = it;
      start = other;
    }
  }
  if (start >= static_cast<double>(now + 1)) return choose_at(now, start);  // until then, a better one may come
  const Waiting chosen = *best;
  window_.erase(best);
  if (!later_.empty()) {
    window_.push_back(later_.front());
    later_.pop();
  }
  begin(chosen, start);
  if (!window_.empty()) choose_at(now, bus_free_);
}

void DramChannel::begin(const Waiting& waiting, double start) {
  Bank& bank = banks_[waiting.bank];
  if (bank.row != waiting.row) ++row_misses_;
  bus_free_ = start + static_cast<double>(std::popcount(waiting.transfer.sectors)) * 32 / rate_;
  bus_writes_ = waiting.transfer.writes;
  bank = {waiting.row, bus_free_};
  if (!bus_writes_) answers_.push(round_up(bus_free_) + ways_.from_memory, waiting.transfer);
}

}  // namespace tomograph::sim::timed
