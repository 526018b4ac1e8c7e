#include "sim/kernel/dram_channel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/random.hpp"

namespace tomograph::sim::timed {

std::uint32_t slice_of(std::uint64_t address, std::uint64_t interleave, std::uint64_t slices) {
  const std::uint64_t chunk = address / interleave;
  return static_cast<std::uint32_t>((chunk + mix(chunk / slices)) % slices);
}

DramChannel::DramChannel(const Gpu& gpu, Traffic& traffic, std::uint32_t number)
    : timing_(gpu.timing->dram),
      traffic_(traffic),
      number_(number),
      chunk_(static_cast<std::uint64_t>(gpu.timing->l2.interleave)),
      slices_(static_cast<std::uint64_t>(gpu.l2.slices)),
      rate_(channel_rate(gpu)),
      way_back_(ways(gpu).from_memory),
      most_waiting_(2 * static_cast<std::size_t>(timing_.window)),
      banks_(static_cast<std::size_t>(timing_.banks)) {}

void DramChannel::arrive(std::uint32_t request) {
  const Request& arrived = traffic_.requests[request];
  // The chunks of a slice lie one behind the other in its channel. Rows go round the banks in changing order
  // (permutation-based interleaving, Zhang, Zhu and Zhang 2000).
  const std::uint64_t local = arrived.line / chunk_ / slices_ * chunk_;
  const std::uint64_t row = local / static_cast<std::uint64_t>(timing_.row);
  const std::uint64_t banks = banks_.size();
  const auto bank = static_cast<std::uint32_t>((row + mix(row / banks)) % banks);
  waiting_.push_back(
      {request, static_cast<double>(traffic_.events.now()), bank, row / banks, arrived.kind == Request::Kind::write});
  choose_at(std::max(bus_free_, static_cast<double>(traffic_.events.now())));
}

void DramChannel::choose_at(double when) {
  const auto cycle = std::max(traffic_.events.now(), static_cast<Cycle>(when));
  if (cycle >= next_choice_) return;
  next_choice_ = cycle;
  traffic_.events.push(cycle, {EventKind::choose_request, number_, 0});
}

double DramChannel::start_of(const Waiting& waiting) const {
  const Bank& bank = banks_[waiting.bank];
  double start = std::max(waiting.arrived, bank.free);
  if (bank.row != waiting.row) start += timing_.row_miss_cycles;
  const double bus = bus_free_ + (waiting.writes != bus_writes_ ? timing_.turnaround_cycles : 0);
  return std::max({start, bus, static_cast<double>(traffic_.events.now())});
}

void DramChannel::choose() {
  const Cycle now = traffic_.events.now();
  if (now != next_choice_) return;  // an earlier choice took its place
  next_choice_ = std::numeric_limits<Cycle>::max();
  if (waiting_.empty()) return;
  const auto window =
      static_cast<std::ptrdiff_t>(std::min<std::size_t>(waiting_.size(), static_cast<std::size_t>(timing_.window)));
  auto best = waiting_.begin();
  double start = start_of(*best);
  const double soonest = std::max(bus_free_, static_cast<double>(now));
  for (auto it = best + 1; start > soonest && it != waiting_.begin() + window; ++it) {
    if (const double other = start_of(*it); other < start) {
      best = it;
      start = other;
    }
  }
  if (start >= static_cast<double>(now + 1)) return choose_at(start);  // until then, a better one may come
  const Waiting chosen = *best;
  waiting_.erase(best);
  transfer(chosen, start);
  if (!waiting_.empty()) choose_at(bus_free_);
}

void DramChannel::transfer(const Waiting& waiting, double start) {
  Bank& bank = banks_[waiting.bank];
  if (bank.row != waiting.row) ++row_misses_;
  const int sectors = std::popcount(traffic_.requests[waiting.request].sectors);
  bus_free_ = start + static_cast<double>(sectors) * 32 / rate_;
  bus_writes_ = waiting.writes;
  bank = {waiting.row, bus_free_};
  if (waiting.writes) return traffic_.requests.remove(waiting.request);
  traffic_.events.push(static_cast<Cycle>(std::ceil(bus_free_)) + way_back_,
                       {EventKind::from_memory, number_, waiting.request});
}

}  // namespace tomograph::sim::timed
