#include "sim/kernel/dram_channel.hpp"

#include <algorithm>
#include <bit>

#include "sim/random.hpp"

namespace tomograph::sim::timed {

DramChannel::DramChannel(const Gpu& gpu)
    : timing_(gpu.timing->dram),
      row_bytes_(static_cast<std::uint64_t>(timing_.row / gpu.timing->l2.interleave * gpu.timing->l2.interleave *
                                            gpu.l2.slices)),
      bank_count_(static_cast<std::uint64_t>(timing_.banks)),
      row_cycles_{0, timing_.row_miss_cycles},
      rate_(channel_rate(gpu)),
      ways_(ways(gpu)),
      most_in_window_(static_cast<std::size_t>(timing_.window)),
      banks_(static_cast<std::size_t>(timing_.banks)) {}

DramChannel::Waiting DramChannel::waiting(double arrived, const Transfer& transfer) const {
  // The chunks of a slice lie one behind the other in its channel. Rows go round the banks in changing order
  // (permutation-based interleaving, Zhang, Zhu and Zhang 2000).
  const std::uint64_t row = row_bytes_.quotient(transfer.line);
  const std::uint64_t row_of_bank = bank_count_.quotient(row);
  const std::uint64_t bank = bank_count_.remainder(row + mix(row_of_bank));
  return {transfer, arrived, row_of_bank, static_cast<std::uint32_t>(bank)};
}

double DramChannel::start(const Waiting& waiting, double bus) const {
  const Bank& bank = banks_[waiting.bank];
  return std::max(std::max(waiting.arrived, bank.free) + row_cycles_[bank.row != waiting.row ? 1 : 0], bus);
}

void DramChannel::fill_window(Cycle now) {
  while (in_window() < most_in_window_ && sent_.next() <= now) {
    const auto arrived = static_cast<double>(sent_.next());
    const Waiting next = waiting(arrived, sent_.pop());
    const bool writes = next.transfer.writes();
    window(writes).push(next);
    const double when = start(next, bus(writes));
    if (when < best_.start) best_ = {writes, window(writes).size() - 1, when};
  }
}

void DramChannel::find_best(bool writes) {
  const Fifo<Waiting>& waiting = window(writes);
  const double soonest = bus(writes);
  Candidate best = best_;
  for (std::size_t i = 0; i < waiting.size() && best.start > soonest; ++i) {
    const double when = start(waiting[i], soonest);
    best.position = when < best.start ? i : best.position;
    best.start = std::min(best.start, when);
  }
  if (best.start < best_.start) best_ = {writes, best.position, best.start};
}

void DramChannel::choose() {
  const Cycle now = next_choice_;
  fill_window(now);
  // Until then, a better one may come.
  if (best_.start < static_cast<double>(now + 1)) {
    begin();
    best_ = {};
    find_best(bus_writes_);
    find_best(!bus_writes_);
    fill_window(now);
  }
  plan_choice();
}

void DramChannel::plan_choice() {
  next_choice_ = in_window() == 0 ? never : static_cast<Cycle>(best_.start);
  if (in_window() == most_in_window_ || sent_.next() == never) return;
  next_choice_ = std::min(next_choice_, std::max(sent_.next(), static_cast<Cycle>(bus_free_)));
}

void DramChannel::begin() {
  const Waiting waiting = window(best_.writes)[best_.position];
  window(best_.writes).remove(best_.position);
  Bank& bank = banks_[waiting.bank];
  row_misses_ += bank.row != waiting.row ? 1 : 0;
  bus_free_ = best_.start + static_cast<double>(std::popcount(waiting.transfer.sectors)) * 32 / rate_;
  bus_writes_ = waiting.transfer.writes();
  bank = {waiting.row, bus_free_};
  if (!bus_writes_) answers_.push(round_up(bus_free_) + ways_.from_memory, waiting.transfer);
}

}  // namespace tomograph::sim::timed
