#include "sim/kernel/dram_channel.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/random.hpp"

namespace tomograph::sim::timed {

DramChannel::DramChannel(const Gpu& gpu)
    : timing_(gpu.timing->dram),
      chunk_(static_cast<std::uint64_t>(gpu.timing->l2.interleave)),
      slices_(static_cast<std::uint64_t>(gpu.l2.slices)),
      row_bytes_(static_cast<std::uint64_t>(timing_.row)),
      bank_count_(static_cast<std::uint64_t>(timing_.banks)),
      rate_(channel_rate(gpu)),
      ways_(ways(gpu)),
      most_in_window_(static_cast<std::size_t>(timing_.window)),
      banks_(static_cast<std::size_t>(timing_.banks)) {}

void DramChannel::arrive() {
  const Cycle now = arrivals_.next();
  const Transfer transfer = arrivals_.pop();
  // The chunks of a slice lie one behind the other in its channel. Rows go round the banks in changing order
  // (permutation-based interleaving, Zhang, Zhu and Zhang 2000).
  const std::uint64_t local = slices_.quotient(chunk_.quotient(transfer.line)) * chunk_.value();
  const std::uint64_t row = row_bytes_.quotient(local);
  const std::uint64_t row_of_bank = bank_count_.quotient(row);
  const Waiting waiting{transfer, static_cast<double>(now), row_of_bank,
                        static_cast<std::uint32_t>(bank_count_.remainder(row + mix(row_of_bank))), arrived_++};
  if (in_window() < most_in_window_) {
    enter_window(waiting);
  } else {
    later_.push(waiting);
  }
  choose_at(now, bus_free_);
}

void DramChannel::enter_window(const Waiting& waiting) {
  window_[waiting.transfer.writes ? 1 : 0].push_back(waiting_.add(waiting));
}

void DramChannel::choose_at(Cycle now, double when) {
  next_choice_ = std::min(next_choice_, std::max(now, static_cast<Cycle>(when)));
}

double DramChannel::ready(const Waiting& waiting) const {
  const Bank& bank = banks_[waiting.bank];
  return std::max(waiting.arrived, bank.free) + (bank.row != waiting.row ? timing_.row_miss_cycles : 0);
}

DramChannel::Candidate DramChannel::first_ready(bool writes, double bus) const {
  const std::vector<std::uint32_t>& places = window_[writes ? 1 : 0];
  Candidate first;
  for (std::size_t i = 0; i < places.size() && first.start > bus; ++i) {
    if (const double start = std::max(ready(waiting_[places[i]]), bus); start < first.start) first = {i, start};
  }
  return first;
}

void DramChannel::choose() {
  const Cycle now = std::exchange(next_choice_, never);
  if (in_window() == 0) return;
  const double soonest = std::max(bus_free_, static_cast<double>(now));
  const double turned = std::max(bus_free_ + timing_.turnaround_cycles, soonest);
  bool writes = bus_writes_;
  Candidate best = first_ready(writes, soonest);
  if (best.start >= turned) {
    const Candidate other = first_ready(!writes, turned);
    const auto number = [&](bool direction, const Candidate& one) {
      return waiting_[window_[direction ? 1 : 0][one.position]].number;
    };
    if (other.start < best.start || (other.start == best.start && number(!writes, other) < number(writes, best))) {
      best = other;
      writes = !writes;
    }
  }
  if (best.start >= static_cast<double>(now + 1))
    return choose_at(now, best.start);  // until then, a better one may come
  std::vector<std::uint32_t>& places = window_[writes ? 1 : 0];
  const std::uint32_t place = places[best.position];
  places.erase(places.begin() + static_cast<std::ptrdiff_t>(best.position));
  begin(waiting_[place], best.start);
  waiting_.remove(place);
  if (!later_.empty()) {
    enter_window(later_.front());
    later_.pop();
  }
  if (in_window() != 0) choose_at(now, bus_free_);
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
