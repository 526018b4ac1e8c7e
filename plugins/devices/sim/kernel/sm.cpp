#include "sim/kernel/sm.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tomograph::sim::timed {

namespace {

using kernel::Operation;

bool uses_memory(Operation operation) {
  return operation == Operation::load || operation == Operation::store || operation == Operation::atomic;
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
      inbox_(network.to_sm(index)),
      index_(index),
      unit_(gpu, run.carveout, network, clock_, index) {
  read_pipelines(gpu, latency_, interval_);
  const kernel::Launch& launch = run.trace->launch();
  schedulers_.resize(static_cast<std::size_t>(gpu.timing->schedulers));
  choices_.resize(schedulers_.size(), no_moment);
  places_.resize(launch.ctas_per_sm);
  warps_.resize(places_.size() * launch.warps_per_cta);
  readiness_.resize(warps_.size());
  for (std::uint32_t warp = 0; warp < warps_.size(); ++warp) {
    warps_[warp].place = warp / launch.warps_per_cta;
    schedulers_[scheduler_of(warp)].warps.push_back(warp);
  }
  for (std::uint32_t place = 0; place < places_.size(); ++place) {
    places_[place].next_cta = index_ + place * run_.sms.size();
    start_cta(place);
  }
}

void Sm::run(Cycle until) {
  receive(until);
  for (Moment moment = next(); Clock::cycle_of(moment) < until; moment = next()) step(moment);
}

void Sm::receive(Cycle until) {
  const NocTiming& noc = gpu_.timing->noc;
  for (const Message& message : inbox_.take(until)) {
    const double bytes = noc.header + 32 * std::popcount(message.request.sectors);
    const bool has_data = message.request.kind != Request::Kind::write;
    const Cycle done = has_data ? port_.serve(message.when, bytes / noc.sm_reply) : message.when;
    replies_.push(Clock::place_in(done, message.when), message.request);
    unit_.expect(message.request);
  }
}

Moment Sm::next() const {
  return std::min({replies_.next(), unit_.next_load(), last_results_.next(), unit_.next_access(), next_choice_});
}

void Sm::step(Moment moment) {
  clock_.advance_to(Clock::cycle_of(moment));
  if (moment == replies_.next()) {
    unit_.reply(replies_.pop());
    if (unit_.has_done()) complete_loads();
  } else if (moment == unit_.next_access()) {
    access_l1();
  } else if (moment == unit_.next_load()) {
    unit_.finish_load();
    complete_loads();
  } else if (moment == last_results_.next()) {
    warp_done(last_results_.pop());
  } else {
    schedule(static_cast<std::uint32_t>(std::ranges::find(choices_, moment) - choices_.begin()));
  }
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
    warp.latest = clock_.now();
    find_ready(slot);
    if (warp.is_issued()) {
      last_results_.push(clock_.place_in(clock_.now()), slot);
    } else {
      wake(scheduler_of(slot), clock_.now());
    }
  }
  place.next_cta += run_.sms.size() * places_.size();
}

void Sm::wake(std::uint32_t scheduler_number, Cycle when) {
  Moment& choice = choices_[scheduler_number];
  if (when >= Clock::cycle_of(choice)) return;
  choice = clock_.place_in(when);
  next_choice_ = std::ranges::min(choices_);
}

Cycle Sm::issuable(const Scheduler& scheduler, std::uint32_t warp_number) const {
  const auto [ready, operation] = readiness_[warp_number];
  if (ready == never || (uses_memory(operation) && unit_.is_full())) return never;
  return std::max(ready, scheduler.unit_next[place_of(operation)]);
}

Sm::View Sm::first_issuable(const Scheduler& scheduler, std::size_t first, Cycle until) const {
  const std::size_t count = scheduler.warps.size();
  View view{.position = count};
  for (std::size_t i = 0, position = first; i < count; ++i, ++position) {
    if (position >= count) position = 0;
    const std::uint32_t warp = scheduler.warps[position];
    const Cycle when = issuable(scheduler, warp);
    if (when <= until) return {.position = position};
    view.next = std::min(view.next, when);
    view.waits_for_unit |= when == never && readiness_[warp].ready != never;
  }
  return view;
}

Sm::View Sm::choose(const Scheduler& scheduler) const {
  const Cycle now = clock_.now();
  const std::size_t count = scheduler.warps.size();
  if (gpu_.timing->scheduler == WarpScheduler::lrr) return first_issuable(scheduler, scheduler.last + 1, now);
  if (scheduler.last < count && issuable(scheduler, scheduler.warps[scheduler.last]) <= now) return {scheduler.last};
  View view = first_issuable(scheduler, 0, now);
  for (std::size_t i = view.position + 1; i < count; ++i) {
    if (issuable(scheduler, scheduler.warps[i]) > now) continue;
    if (warps_[scheduler.warps[i]].age < warps_[scheduler.warps[view.position]].age) view.position = i;
  }
  return view;
}

void Sm::schedule(std::uint32_t scheduler_number) {
  Scheduler& scheduler = schedulers_[scheduler_number];
  const Cycle now = clock_.now();
  choices_[scheduler_number] = no_moment;
  next_choice_ = std::ranges::min(choices_);
  View view = choose(scheduler);
  if (view.position < scheduler.warps.size()) {
    const std::uint32_t warp = scheduler.warps[view.position];
    scheduler.last = view.position;
    for (std::int64_t i = 0; i < gpu_.timing->issue_width && issuable(scheduler, warp) <= now; ++i) {
      issue(scheduler, warp);
    }
    view = first_issuable(scheduler, 0, before_all);
  }
  waits_for_unit_ |= view.waits_for_unit;
  if (view.next != never) wake(scheduler_number, std::max(view.next, now + 1));
}

void Sm::issue(Scheduler& scheduler, std::uint32_t warp_number) {
  WarpState& warp = warps_[warp_number];
  const Cycle now = clock_.now();
  const std::uint32_t position = warp.next++;
  const kernel::Instruction& instruction = warp.warp.instructions[position];
  const std::size_t operation = place_of(instruction.operation);
  ++instructions_;
  if (instructions_ == run_.section.begin) section_begin_ = now;
  if (instructions_ == run_.section.end) section_end_ = now;
  double& free = scheduler.unit_free[operation];
  free = std::max(free, static_cast<double>(now)) + interval_[operation];
  scheduler.unit_next[operation] = round_up(free);
  warp.done[position] = now + latency_[operation];
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
  if (instruction.operation != Operation::store) {
    warp.done[warp.next - 1] = never;
    ++warp.loads;
    load = unit_.add({.warp = warp_number, .instruction = warp.next - 1, .issued = clock_.now()});
  }
  unit_.take(warp.warp, instruction, load);
}

void Sm::find_ready(std::uint32_t warp_number) {
  const WarpState& warp = warps_[warp_number];
  readiness_[warp_number].ready = never;
  if (warp.is_issued()) return;
  Cycle ready = clock_.now();
  for (const std::int32_t need : warp.warp.instructions[warp.next].needs) {
    if (need != kernel::Instruction::no_need) ready = std::max(ready, warp.done[static_cast<std::size_t>(need)]);
  }
  if (warp.next > 0 && is_timed(warp.next - 1)) ready = std::max(ready, warp.done[warp.next - 1]);
  readiness_[warp_number] = {ready, warp.warp.instructions[warp.next].operation};
}

void Sm::arrive_at_barrier(std::uint32_t warp_number) {
  WarpState& warp = warps_[warp_number];
  readiness_[warp_number].ready = never;
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
    Cycle& ready = readiness_[slot].ready;
    if (ready == never) continue;
    ready = std::max(ready, clock_.now() + 1);
    wake(scheduler_of(slot), ready);
  }
}

void Sm::end_if_done(std::uint32_t warp_number) {
  const WarpState& warp = warps_[warp_number];
  if (!warp.is_issued() || warp.loads > 0) return;
  last_results_.push(clock_.place_in(std::max(warp.latest, clock_.now())), warp_number);
}

void Sm::warp_done(std::uint32_t warp_number) {
  end_ = std::max(end_, clock_.now());
  const std::uint32_t place = warps_[warp_number].place;
  if (--places_[place].live == 0) {
    start_cta(place);
  } else {
    release_barrier(place);
  }
}

void Sm::access_l1() {
  if (unit_.access() && std::exchange(waits_for_unit_, false)) {
    const auto count = static_cast<std::uint32_t>(schedulers_.size());
    first_woken_ = (first_woken_ + 1) % count;
    for (std::uint32_t i = 0; i < count; ++i) wake((first_woken_ + i) % count, clock_.now() + 1);
  }
  if (unit_.has_done()) complete_loads();
}

bool Sm::is_timed(std::uint32_t position) const {
  return run_.timed_position >= 0 && position % run_.timed_period == run_.timed_position;
}

void Sm::complete_loads() {
  const Cycle now = clock_.now();
  unit_.take_done(done_);
  for (const Load& load : done_) {
    WarpState& warp = warps_[load.warp];
    warp.done[load.instruction] = now;
    warp.latest = std::max(warp.latest, now);
    --warp.loads;
    if (is_timed(load.instruction)) {
      timed_cycles_ += static_cast<double>(now - load.issued);
      timed_loads_ += 1;
    }
    if (warp.is_issued()) {
      end_if_done(load.warp);
    } else if (readiness_[load.warp].ready == never && !warp.at_barrier) {
      find_ready(load.warp);
      if (const Cycle ready = readiness_[load.warp].ready; ready != never) wake(scheduler_of(load.warp), ready);
    }
  }
}

}  // namespace tomograph::sim::timed
