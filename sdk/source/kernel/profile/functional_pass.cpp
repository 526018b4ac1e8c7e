#include "functional_pass.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

#include "cache_contents.hpp"
#include "issue.hpp"
#include "partitioned_cache.hpp"
#include "tomograph/kernel/address_walk.hpp"

namespace tomograph::kernel {

namespace {

/// A warp on an SM, and its next instruction.
struct Resident {
  Warp warp;
  bool is_first = true;  ///< whether its CTA is the first of its place
  std::size_t next = 0;
  double cycle = 0;  ///< in which its last instruction issued
  IssueTimes times = {};
};

/// Room for a CTA.
struct Place {
  std::vector<Resident> warps;
  double begin = 0;    ///< of its CTA
  double longest = 0;  ///< cycles of those of its warps that have ended
  bool had_cta = false;
};

/// One SM: its L1, its resident CTAs and those that wait for a place.
struct Sm {
  Sm(const ProfiledMachine& machine, std::size_t partition)
      : l1(machine.l1, machine.miss_bytes), partition(partition) {}
  CacheContents l1;
  std::size_t partition;  ///< of the last level cache
  std::vector<Place> places;
  std::deque<std::uint32_t> waiting;
};

/// Of the iterations of the first CTAs. Of 417 random kernels on an H200 (seed 31), 86.8 % were predicted within a
/// factor of 1.5 with one part and 88.7 % with eight; of 30 gathers, 80 and 90 %.
constexpr std::uint32_t most_parts = 8;

/// Counts the lines of one instruction, whose units are in order.
class Lines {
 public:
  /// 1 if `line` is another than before, else 0.
  double count(std::uint64_t line) { return std::exchange(last_, line) == line ? 0 : 1; }

 private:
  std::uint64_t last_ = ~std::uint64_t{0};
};

class Pass {
 public:
  Pass(const Trace& trace, const ProfiledMachine& machine, std::int64_t warm_passes)
      : trace_(trace),
        machine_(machine),
        units_per_line_(static_cast<std::uint64_t>(machine.llc.line / machine.miss_bytes)),
        llc_(machine) {
    const Launch& launch = trace.launch();
    warm(launch.footprint / static_cast<std::uint64_t>(machine.miss_bytes), warm_passes);
    result_.first.resize(std::clamp(launch.iterations, 1U, most_parts));
    const std::int64_t places = resident_ctas(launch, machine);
    if (places == 0) throw std::invalid_argument("no CTA of " + launch.name + " fits on an SM");
    for (std::int64_t i = 0; i < machine.sms; ++i) {
      sms_.emplace_back(machine, static_cast<std::size_t>(i % machine.llc_partitions));
      sms_.back().places.resize(static_cast<std::size_t>(places));
    }
    for (std::uint32_t cta = 0; cta < launch.ctas; ++cta) sms_[cta % sms_.size()].waiting.push_back(cta);
  }

  FunctionalPass run(std::int64_t most_warps) {
    for (bool busy = true; busy;) {
      busy = false;
      for (Sm& sm : sms_) busy |= turn(sm, most_warps);
    }
    return std::move(result_);
  }

 private:
  /// Reads `units` units, `passes` times, but only as many of the last lines as leave nothing older in the cache.
  void warm(std::uint64_t units, std::int64_t passes) {
    constexpr std::uint64_t fillings = 8;  // if victims are random, e^-8 of the older lines survive
    const std::uint64_t lines = (units + units_per_line_ - 1) / units_per_line_;
    const std::uint64_t last_ones = std::min(lines, fillings * llc_.lines());
    if (last_ones < lines) passes = std::min<std::int64_t>(passes, 1);
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      for (std::uint64_t line = lines - last_ones; line < lines; ++line)
        llc_.read_line(line, std::min(units_per_line_, units - line * units_per_line_), llc_.any_partition(~line));
    }
  }

  /// Each warp of the SM takes a turn. Returns whether there was any warp.
  bool turn(Sm& sm, std::int64_t most_warps) {
    bool busy = false;
    for (Place& place : sm.places) {
      if (place.warps.empty() && result_.warps() < most_warps) fill(sm, place);
      for (Resident& resident : place.warps) step(sm, place, resident);
      busy |= !place.warps.empty();
      const auto ended =
          std::erase_if(place.warps, [](const Resident& one) { return one.next == one.warp.instructions.size(); });
      if (ended > 0 && place.warps.empty()) leave(place);
    }
    return busy;
  }

  void fill(Sm& sm, Place& place) {
    if (sm.waiting.empty()) return;
    const bool is_first = !std::exchange(place.had_cta, true);
    const std::uint32_t warps = trace_.launch().warps_per_cta;
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      place.warps.push_back({.warp = trace_.warp(sm.waiting.front(), warp), .is_first = is_first});
    }
    (is_first ? result_.first_warps : result_.later_warps) += warps;
    sm.waiting.pop_front();
  }

  /// The CTA has ended.
  void leave(Place& place) {
    result_.longest_cycles += place.longest;
    place.begin += std::exchange(place.longest, 0);
  }

  /// The sum to which instruction k of the warp counts.
  WarpTraffic& sum_of(const Resident& resident, std::size_t k) {
    if (!resident.is_first) return result_.later;
    return result_.first[k * result_.first.size() / resident.warp.instructions.size()];
  }

  /// The next memory instruction or, from a greedy scheduler, all up to the first that needs what has just missed.
  void step(Sm& sm, Place& place, Resident& resident) {
    const auto& list = resident.warp.instructions;
    missed_.clear();
    const auto is_missing = [&](std::int32_t need) { return std::ranges::find(missed_, need) != missed_.end(); };
    bool has_turn = true;
    for (; has_turn && resident.next < list.size(); ++resident.next) {
      const Instruction& instruction = list[resident.next];
      if (std::ranges::any_of(instruction.needs, is_missing)) return;
      const IssueTimes::Issue issue = resident.times.issue(instruction);
      sum_ = &sum_of(resident, resident.next);
      sum_->instructions += 1;
      sum_->operations[static_cast<std::size_t>(instruction.operation)] += 1;
      count_cycles(resident, issue);
      if (!touches_memory(instruction)) {
        resident.times.complete(machine_.latency[static_cast<std::size_t>(instruction.operation)]);
        continue;
      }
      now_ = place.begin + issue.cycle;
      const Outcome outcome = access(sm, resident.warp, resident.next);
      resident.times.complete(outcome.latency, outcome.waits && reads_memory(instruction) ? 1 : 0);
      if (outcome.waits) missed_.push_back(static_cast<std::int32_t>(resident.next));
      has_turn = machine_.greedy;
    }
    if (resident.next == list.size()) end(place, resident);
  }

  void end(Place& place, Resident& resident) {
    if (resident.warp.instructions.empty()) return;
    const IssueTimes::Issue end = resident.times.end();
    sum_ = &sum_of(resident, resident.next - 1);
    count_cycles(resident, end);
    place.longest = std::max(place.longest, end.cycle);
  }

  void count_cycles(Resident& resident, const IssueTimes::Issue& issue) {
    sum_->cycles += issue.cycle - std::exchange(resident.cycle, issue.cycle);
    sum_->waits += issue.waits_for_miss;
    sum_->waiting += issue.waits_for_miss * issue.stall;
  }

  struct Outcome {
    double latency = 0;
    bool waits = false;  ///< for data that were not in the L1
  };

  Outcome access(Sm& sm, const Warp& warp, std::size_t position) {
    const Instruction& instruction = warp.instructions[position];
    units_of(warp, instruction, machine_.miss_bytes, units_);
    if (result_.accesses.size() <= position) result_.accesses.resize(position + 1);
    AccessCounts& access = result_.accesses[position];
    access.instructions += 1;
    access.units += static_cast<double>(units_.size());
    const double misses = access.misses;
    double latency = units_.empty() ? machine_.latency[static_cast<std::size_t>(Operation::integer)] : 0;
    requests_ = 0;
    memory_latency_ = memory_latency_of(static_cast<double>(machine_.miss_bytes) * static_cast<double>(units_.size()));
    looked_up_ = requested_ = requested_of_memory_ = {};
    if (instruction.operation != Operation::load) count_changes();
    for (const std::uint64_t unit : units_) latency = std::max(latency, use(sm, unit, instruction, access));
    access.latency_sum += latency;
    count_passes(instruction, access.misses - misses);
    count_changed_sectors(instruction);
    if (access.misses > misses) access.missing += 1;
    return {latency, access.misses > misses || latency > machine_.l1_latency};
  }

  void count_changes() {
    changed_ += static_cast<double>(units_.size());
    Lines lines;
    for (const std::uint64_t unit : units_) changes_ += lines.count(unit / units_per_line_);
  }

  /// Those that the L2 reads to write them.
  void count_changed_sectors(const Instruction& instruction) {
    if (instruction.operation == Operation::atomic)
      (instruction.returns ? sum_->atomic_sectors : sum_->reduction_sectors) += instruction.sector_count;
    if (instruction.operation == Operation::store && !instruction.fills_sectors)
      sum_->partial_sectors += instruction.sector_count;
  }

  /// Words that hit are read from the banks; each request that missed takes them for a cycle when its data arrive.
  void count_passes(const Instruction& instruction, double misses) {
    if (instruction.operation != Operation::load || instruction.past_l1 || units_.empty()) return;
    const double hits = 1 - misses / static_cast<double>(units_.size());
    sum_->l1_passes += hits * instruction.bank_words + requests_;
  }

  /// Sends one unit through the caches. Returns its latency.
  double use(Sm& sm, std::uint64_t unit, const Instruction& instruction, AccessCounts& access) {
    if (instruction.operation != Operation::load || instruction.past_l1) return use_llc(sm, unit, instruction, access);
    sum_->l1_accesses += looked_up_.count(unit / units_per_line_);
    const auto found = sm.l1.use(unit, false);
    if (found.hit) return std::max(machine_.l1_latency, on_the_way(*found.ready));
    const double latency = use_llc(sm, unit, instruction, access);
    if (found.ready != nullptr) *found.ready = now_ + latency;
    return latency;
  }

  double use_llc(Sm& sm, std::uint64_t unit, const Instruction& instruction, AccessCounts& access) {
    const std::uint64_t line = unit / units_per_line_;
    WarpTraffic& sum = *sum_;
    const bool is_store = instruction.operation == Operation::store;
    access.misses += 1;
    const double request = requested_.count(line);
    requests_ += request;
    if (is_store || reads_memory(instruction)) {
      (is_store ? sum.write_misses : sum.read_misses) += 1;
      (is_store ? sum.write_requests : sum.read_requests) += request;
    }
    count_slice(unit, instruction.operation);
    const Use use = use_of(instruction);
    const auto found = llc_.use(unit, use, sm.partition);
    if (use == Use::write_through) write_memory(1, 0);
    if (found.written_back > 0) write_memory(static_cast<double>(found.written_back), 1);
    if (!found.hit) read_memory(line, instruction);
    if (!reads_memory(instruction)) return machine_.llc_latency;
    if (!found.hit) {
      llc_.arrive(now_ + memory_latency_);
      return memory_latency_;
    }
    return std::max(found.far ? machine_.llc_far_latency : machine_.llc_latency, on_the_way(found.ready));
  }

  using Use = PartitionedCache::Use;

  /// Stores of parts of sectors are written through as soon as modified lines fill the cache.
  [[nodiscard]] Use use_of(const Instruction& instruction) {
    if (instruction.operation == Operation::load) return Use::load;
    // Of an H200 with 61 MB, no store of a part took the time of a write to memory among 50 MB, two of three did among
    // 59 MB, and each did among 64 to 512 MB.
    constexpr double full = 0.9;
    const auto lines = static_cast<double>(llc_.lines());
    writes_through_ = writes_through_ || static_cast<double>(llc_.modified_lines()) >= full * lines;
    const bool is_partial = instruction.operation == Operation::store && !instruction.fills_sectors;
    return is_partial && writes_through_ ? Use::write_through : Use::write;
  }

  void count_slice(std::uint64_t unit, Operation operation) {
    if (operation == Operation::atomic) result_.atomics[slice_or_line(unit)] += 1;
    if (operation == Operation::store) result_.stores[slice_or_line(unit)] += 1;
    if (operation == Operation::load && machine_.llc_slices > 0) result_.loads[slice_or_line(unit)] += 1;
  }

  [[nodiscard]] std::uint64_t slice_or_line(std::uint64_t unit) const {
    if (machine_.llc_slice.is_known())
      return machine_.llc_slice(unit * static_cast<std::uint64_t>(machine_.miss_bytes));
    const std::uint64_t line = unit / units_per_line_;
    if (machine_.llc_slices == 0) return line;
    return mix(static_cast<std::uint32_t>(line)) % static_cast<std::uint64_t>(machine_.llc_slices);
  }

  /// Modified units of one line. They were written a few at a time, and memory takes them so, too: an H200 takes single
  /// sectors of 100 MB, of which an evicted line has modified two, at the rate of lines of which one is modified.
  void write_memory(double units, double least_requests) {
    sum_->memory_writes += units;
    sum_->memory_write_requests += std::max(least_requests, units * changes_ / changed_);
  }

  void read_memory(std::uint64_t line, const Instruction& instruction) {
    result_.llc_misses += 1;
    if (instruction.operation == Operation::store && instruction.fills_sectors) return;
    sum_->memory_reads += 1;
    sum_->memory_requests += requested_of_memory_.count(line);
  }

  [[nodiscard]] double memory_latency_of(double bytes) const {
    double latency = machine_.memory_latency;
    for (const auto& [least, of_bytes] : machine_.memory_latency_by_bytes) {
      if (least <= bytes) latency = of_bytes;
    }
    return latency;
  }

  /// Cycles until the data are there that another access has asked for. No access waits longer than for memory: SMs and
  /// warps take turns, and do not keep step.
  [[nodiscard]] double on_the_way(double ready) const { return std::min(ready - now_, memory_latency_); }

  const Trace& trace_;
  const ProfiledMachine& machine_;
  std::uint64_t units_per_line_;
  Lines looked_up_;
  Lines requested_;
  Lines requested_of_memory_;
  double requests_ = 0;  ///< of the instruction
  double changed_ = 0;   ///< units that were written, one or more at a time
  double changes_ = 0;   ///< these times
  double now_ = 0;       ///< the cycle in which it issues
  double memory_latency_ = 0;
  PartitionedCache llc_;
  bool writes_through_ = false;
  std::vector<Sm> sms_;
  std::vector<std::uint64_t> units_;
  std::vector<std::int32_t> missed_;  ///< positions of the warp's loads that missed in its turn
  FunctionalPass result_;
  WarpTraffic* sum_ = nullptr;  ///< of the instruction that issues
};

}  // namespace

bool touches_memory(const Instruction& instruction) {
  return instruction.operation == Operation::load || instruction.operation == Operation::store ||
         instruction.operation == Operation::atomic;
}

void units_of(const Warp& warp, const Instruction& instruction, std::int64_t miss_bytes,
              std::vector<std::uint64_t>& units) {
  units.clear();
  const std::uint64_t sectors = static_cast<std::uint64_t>(miss_bytes) / sector_bytes;
  for (std::uint32_t i = 0; i < instruction.sector_count; ++i) {
    units.push_back(warp.sectors[instruction.first_sector + i] / sectors);
  }
  std::ranges::sort(units);
  units.erase(std::unique(units.begin(), units.end()), units.end());
}

void add(WarpTraffic& sum, const WarpTraffic& traffic, double share) {
  constexpr std::array fields{&WarpTraffic::instructions,
                              &WarpTraffic::cycles,
                              &WarpTraffic::waits,
                              &WarpTraffic::waiting,
                              &WarpTraffic::l1_accesses,
                              &WarpTraffic::read_misses,
                              &WarpTraffic::read_requests,
                              &WarpTraffic::write_misses,
                              &WarpTraffic::write_requests,
                              &WarpTraffic::memory_reads,
                              &WarpTraffic::memory_requests,
                              &WarpTraffic::memory_writes,
                              &WarpTraffic::memory_write_requests,
                              &WarpTraffic::l1_passes,
                              &WarpTraffic::atomic_sectors,
                              &WarpTraffic::reduction_sectors,
                              &WarpTraffic::partial_sectors};
  for (const auto field : fields) sum.*field += share * traffic.*field;
  for (std::size_t i = 0; i < operation_count; ++i) sum.operations[i] += share * traffic.operations[i];
}

WarpTraffic total(const FunctionalPass& pass) {
  WarpTraffic sum = pass.later;
  for (const WarpTraffic& part : pass.first) add(sum, part, 1);
  return sum;
}

FunctionalPass functional_pass(const Trace& trace, const ProfiledMachine& machine, std::int64_t warm_passes,
                               std::int64_t most_warps) {
  return Pass(trace, machine, warm_passes).run(most_warps);
}

}  // namespace tomograph::kernel
