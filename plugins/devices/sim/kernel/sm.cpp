#include "sim/kernel/sm.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tomograph::sim::timed {

namespace {

using kernel::Operation;

constexpr std::uint32_t bit_of(Operation operation) { return std::uint32_t{1} << static_cast<int>(operation); }

bool uses_memory(Operation operation) {
  constexpr std::uint32_t all = bit_of(Operation::load) | bit_of(Operation::store) | bit_of(Operation::atomic);
  return (bit_of(operation) & all) != 0;
}

/// No warp can issue so early.
constexpr Cycle before_all = -1;

std::size_t place_of(Operation operation) { return static_cast<std::size_t>(operation); }

/// Cycles until a dependent instruction, and until another of the same operation, can issue.
void read_pipelines(const Gpu& gpu, std::array<Cycle, 10>& latency, std::array<double, 10>& interval) {
  latency.fill(1);
  if (gpu.shared_memory) latency[place_of(Operation::shared_load)] = gpu.shared_memory->latency;
  if (!gpu.instructions) return;
  for (const auto& [operation, type] : {std::pair{Operation::integer, instruction::Type::int32_mad},
                                        std::pair{Operation::fp32, instruction::Type::fp32_fma},
                                        std::pair{Operation::fp64, instruction::Type::fp64_fma},
                                        std::pair{Operation::special, instruction::Type::special}}) {
    const auto found = gpu.instructions->pipelines.find(type);
    if (found == gpu.instructions->pipelines.end()) continue;
    latency[place_of(operation)] = round_up(found->second.completion);
    interval[place_of(operation)] = found->second.issue;
  }
}

}  // namespace

Sm::Sm(const Gpu& gpu, const KernelRun& run, Network& network, std::uint32_t index)
    : gpu_(gpu),
      run_(run),
      network_(network),
      index_(index),
      unit_(gpu, run.carveout, network, index),
      scheduler_count_(static_cast<std::uint64_t>(gpu.timing->schedulers)) {
  read_pipelines(gpu, latency_, interval_);
  const kernel::Launch& launch = run.trace->launch();
  schedulers_.resize(static_cast<std::size_t>(gpu.timing->schedulers));
  places_.resize(launch.ctas_per_sm);
  warps_.resize(places_.size() * launch.warps_per_cta);
  for (std::uint32_t warp = 0; warp < warps_.size(); ++warp) {
    warps_[warp].place = warp / launch.warps_per_cta;
    scheduler_of(warp).warps.emplace_back();
  }
  for (std::uint32_t place = 0; place < places_.size(); ++place) {
    places_[place].next_cta = index_ + place * run_.sms.size();
    start_cta(place);
  }
}

void Sm::run(Cycle until) {
  receive(until);
  for (now_ = next(); now_ < until; now_ = next()) step();
}

void Sm::receive(Cycle until) {
  const NocTiming& noc = gpu_.timing->noc;
  for (const Message& message : network_.at_sm(index_, until)) {
    if (!message.request.brings_data()) {
      unit_.acknowledge(message.when);
      continue;
    }
    const double bytes = noc.header + 32 * std::popcount(message.request.sectors);
    replies_.push(port_.serve(message.when, bytes / noc.sm_reply), message.request);
    unit_.expect(message.request);
  }
}

Cycle Sm::next() const {
  return std::min({replies_.next(), unit_.next_load(), last_results_.next(), unit_.next_access(), next_choice_});
}

// What makes warps ready, or room in the unit, comes before the schedulers.
void Sm::step() {
  while (replies_.next() == now_) unit_.reply(now_, replies_.pop());
  while (unit_.next_load() == now_) unit_.finish_load();
  if (unit_.has_done()) complete_loads();
  while (last_results_.next() == now_) warp_done(last_results_.pop());
  if (unit_.next_access() == now_) access_l1();
  if (next_choice_ == now_) schedule();
}

void Sm::start_cta(std::uint32_t place_number) {
  Place& place = places_[place_number];
  const kernel::Launch& launch = run_.trace->launch();
  if (place.next_cta >= launch.ctas) return;
  place.live = launch.warps_per_cta;
  place.at_barrier = 0;
  for (std::uint32_t i = 0; i < launch.warps_per_cta; ++i) {
    const std::uint32_t slot = place_number * launch.warps_per_cta + i;
    WarpState& warp = warps_[slot];
    warp = {.warp = run_.trace->warp(static_cast<std::uint32_t>(place.next_cta), i),
            .place = place_number,
            .age = started_++};
    warp.done.assign(warp.warp.instructions.size(), never);
    warp.latest = now_;
    find_ready(slot);
    if (warp.is_issued()) {
      last_results_.push(now_, slot);
    } else {
      wake(scheduler_of(slot), now_);
    }
  }
  place.next_cta += run_.sms.size() * places_.size();
}

void Sm::wake(Scheduler& scheduler, Cycle when) {
  scheduler.next = std::min(scheduler.next, when);
  next_choice_ = std::min(next_choice_, when);
}

Cycle Sm::issuable(const Scheduler& scheduler, std::uint32_t position) const {
  const auto [ready, operation] = scheduler.warps[position];
  if (uses_memory(operation) && unit_.is_full()) return never;
  return std::max(ready, scheduler.unit_next[place_of(operation)]);
}

Sm::View Sm::first_issuable(const Scheduler& scheduler, std::uint32_t first, Cycle until) const {
  View view;
  for (std::uint64_t left = std::rotr(scheduler.known, static_cast<int>(first)); left != 0; left &= left - 1) {
    const std::uint32_t position = (first + static_cast<std::uint32_t>(std::countr_zero(left))) % most_warps;
    const Cycle when = issuable(scheduler, position);
    if (when <= until) return {.position = position};
    view.next = std::min(view.next, when);
    view.waits_for_unit |= when == never;
  }
  return view;
}

Sm::View Sm::choose(std::uint32_t scheduler_number) const {
  const Scheduler& scheduler = schedulers_[scheduler_number];
  if (gpu_.timing->scheduler == WarpScheduler::lrr) return first_issuable(scheduler, scheduler.last + 1, now_);
  const auto can_issue = [&](std::uint32_t position) {
    return (scheduler.known >> position & 1) != 0 && issuable(scheduler, position) <= now_;
  };
  if (can_issue(scheduler.last)) return {scheduler.last};
  const auto age = [&](std::uint32_t position) { return warps_[warp_of(scheduler_number, position)].age; };
  View view = first_issuable(scheduler, 0, now_);
  for (std::uint32_t i = view.position; i < scheduler.warps.size(); ++i) {
    if (can_issue(i) && age(i) < age(view.position)) view.position = i;
  }
  return view;
}

void Sm::schedule() {
  next_choice_ = never;
  const auto count = static_cast<std::uint32_t>(schedulers_.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t scheduler = (first_woken_ + i) % count;
    if (schedulers_[scheduler].next == now_) schedule(scheduler);
  }
  for (const Scheduler& scheduler : schedulers_) next_choice_ = std::min(next_choice_, scheduler.next);
}

void Sm::schedule(std::uint32_t scheduler_number) {
  Scheduler& scheduler = schedulers_[scheduler_number];
  scheduler.next = never;
  View view = choose(scheduler_number);
  if (const std::uint32_t position = view.position; position != none) {
    scheduler.last = position;
    const std::uint64_t bit = std::uint64_t{1} << position;
    for (std::int64_t i = 0; i < gpu_.timing->issue_width; ++i) {
      if ((scheduler.known & bit) == 0 || issuable(scheduler, position) > now_) break;
      issue(scheduler, warp_of(scheduler_number, position));
    }
    view = first_issuable(scheduler, 0, before_all);
  }
  waits_for_unit_ |= view.waits_for_unit;
  if (view.next != never) wake(scheduler, std::max(view.next, now_ + 1));
}

void Sm::issue(Scheduler& scheduler, std::uint32_t warp_number) {
  WarpState& warp = warps_[warp_number];
  const std::uint32_t position = warp.next++;
  const kernel::Instruction& instruction = warp.warp.instructions[position];
  const std::size_t operation = place_of(instruction.operation);
  ++instructions_;
  if (instructions_ == run_.section.begin) section_begin_ = now_;
  if (instructions_ == run_.section.end) section_end_ = now_;
  double& free = scheduler.unit_free[operation];
  free = std::max(free, static_cast<double>(now_)) + interval_[operation];
  scheduler.unit_next[operation] = round_up(free);
  warp.done[position] = now_ + latency_[operation];
  if (uses_memory(instruction.operation) && instruction.sector_count > 0) access_memory(warp_number, instruction);
  if (warp.done[position] != never) warp.latest = std::max(warp.latest, warp.done[position]);
  if (instruction.operation == Operation::barrier) {
    arrive_at_barrier(warp_number);
  } else {
    find_ready(warp_number);
  }
  end_if_done(warp_number);
}

void Sm::access_memory(std::uint32_t warp_number, const kernel::Instruction& instruction) {
  WarpState& warp = warps_[warp_number];
  std::uint32_t load = 0;
  if (kernel::reads_memory(instruction)) {
    warp.done[warp.next - 1] = never;
    ++warp.loads;
    load = unit_.add({.warp = warp_number, .instruction = warp.next - 1, .issued = now_});
  }
  unit_.take(now_, warp.warp, instruction, load);
}

void Sm::find_ready(std::uint32_t warp_number) {
  const WarpState& warp = warps_[warp_number];
  if (warp.is_issued()) return set_ready(warp_number, never);
  Cycle ready = now_;
  for (const std::int32_t need : warp.warp.instructions[warp.next].needs) {
    if (need != kernel::Instruction::no_need) ready = std::max(ready, warp.done[static_cast<std::size_t>(need)]);
  }
  if (warp.next > 0 && is_timed(warp.next - 1)) ready = std::max(ready, warp.done[warp.next - 1]);
  const kernel::Instruction& instruction = warp.warp.instructions[warp.next];
  __builtin_prefetch(&instruction + 4);
  const std::uint64_t* const sectors = warp.warp.sectors.data() + instruction.first_sector;
  for (std::uint32_t i = 0; i < instruction.sector_count; i += 8) __builtin_prefetch(sectors + i);
  readiness(warp_number).operation = instruction.operation;
  set_ready(warp_number, ready);
}

void Sm::set_ready(std::uint32_t warp_number, Cycle ready) {
  readiness(warp_number).ready = ready;
  std::uint64_t& known = scheduler_of(warp_number).known;
  const std::uint64_t bit = std::uint64_t{1} << scheduler_count_.quotient(warp_number);
  known = ready == never ? known & ~bit : known | bit;
}

void Sm::arrive_at_barrier(std::uint32_t warp_number) {
  WarpState& warp = warps_[warp_number];
  set_ready(warp_number, never);
  warp.at_barrier = true;
  ++places_[warp.place].at_barrier;
  release_barrier(warp.place);
}

void Sm::release_barrier(std::uint32_t place_number) {
  Place& place = places_[place_number];
  if (place.at_barrier == 0 || place.at_barrier < place.live) return;
  place.at_barrier = 0;
  const std::uint32_t warps = run_.trace->launch().warps_per_cta;
  for (std::uint32_t slot = place_number * warps; slot < (place_number + 1) * warps; ++slot) {
    WarpState& warp = warps_[slot];
    if (!std::exchange(warp.at_barrier, false)) continue;
    find_ready(slot);
    const Cycle ready = readiness(slot).ready;
    if (ready == never) continue;
    set_ready(slot, std::max(ready, now_ + 1));
    wake(scheduler_of(slot), std::max(ready, now_ + 1));
  }
}

void Sm::end_if_done(std::uint32_t warp_number) {
  const WarpState& warp = warps_[warp_number];
  if (!warp.is_issued() || warp.loads > 0) return;
  last_results_.push(std::max(warp.latest, now_), warp_number);
}

void Sm::warp_done(std::uint32_t warp_number) {
  end_ = std::max(end_, now_);
  const std::uint32_t place = warps_[warp_number].place;
  if (--places_[place].live == 0) {
    start_cta(place);
  } else {
    release_barrier(place);
  }
}

void Sm::access_l1() {
  if (unit_.access(now_) && std::exchange(waits_for_unit_, false)) {
    first_woken_ = (first_woken_ + 1) % static_cast<std::uint32_t>(schedulers_.size());
    for (Scheduler& scheduler : schedulers_) wake(scheduler, now_ + 1);
  }
  if (unit_.has_done()) complete_loads();
}

bool Sm::is_timed(std::uint32_t position) const {
  return run_.timed_position >= 0 && position % run_.timed_period == run_.timed_position;
}

void Sm::complete_loads() {
  unit_.take_done(done_);
  for (const Load& load : done_) {
    WarpState& warp = warps_[load.warp];
    warp.done[load.instruction] = now_;
    warp.latest = std::max(warp.latest, now_);
    --warp.loads;
    if (is_timed(load.instruction)) {
      timed_cycles_ += static_cast<double>(now_ - load.issued);
      timed_loads_ += 1;
    }
    if (warp.is_issued()) {
      end_if_done(load.warp);
    } else if (readiness(load.warp).ready == never && !warp.at_barrier) {
      find_ready(load.warp);
      if (const Cycle ready = readiness(load.warp).ready; ready != never) wake(scheduler_of(load.warp), ready);
    }
  }
}

}  // namespace tomograph::sim::timed
