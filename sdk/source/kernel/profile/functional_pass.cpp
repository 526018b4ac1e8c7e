#include "functional_pass.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

#include "cache_contents.hpp"
#include "tomograph/kernel/address_walk.hpp"

namespace tomograph::kernel {

namespace {

bool touches_memory(const Instruction& instruction) {
  return instruction.operation == Operation::store || reads_memory(instruction);
}

/// A warp on an SM, and its next instruction.
struct Resident {
  Warp warp;
  std::size_t next = 0;
};

/// One SM: its L1, its resident CTAs and those that wait for a place.
struct Sm {
  Sm(const ProfiledMachine& machine, std::size_t partition)
      : l1(machine.l1, machine.miss_bytes), partition(partition) {}
  CacheContents l1;
  std::size_t partition;  ///< of the last level cache
  std::vector<std::vector<Resident>> places;
  std::deque<std::uint32_t> waiting;
};

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
        llc_(machine.llc, machine.miss_bytes) {
    const Launch& launch = trace.launch();
    warm(launch.footprint / static_cast<std::uint64_t>(machine.miss_bytes), warm_passes);
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
        llc_.read_line(line, std::min(units_per_line_, units - line * units_per_line_), any_partition(~line));
    }
  }

  /// Each warp of the SM takes a turn. Returns whether there was any warp.
  bool turn(Sm& sm, std::int64_t most_warps) {
    bool busy = false;
    for (auto& place : sm.places) {
      if (place.empty() && result_.warps < most_warps) fill(sm, place);
      for (Resident& resident : place) step(sm, resident);
      busy |= !place.empty();
      std::erase_if(place, [](const Resident& one) { return one.next == one.warp.instructions.size(); });
    }
    return busy;
  }

  void fill(Sm& sm, std::vector<Resident>& place) {
    if (sm.waiting.empty()) return;
    const std::uint32_t warps = trace_.launch().warps_per_cta;
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      place.push_back({trace_.warp(sm.waiting.front(), warp), 0});
      count(place.back().warp);
    }
    result_.warps += warps;
    sm.waiting.pop_front();
  }

  void count(const Warp& warp) {
    result_.total.instructions += static_cast<double>(warp.instructions.size());
    for (const Instruction& instruction : warp.instructions)
      result_.total.operations[static_cast<std::size_t>(instruction.operation)] += 1;
  }

  /// The next memory instruction or, from a greedy scheduler, all up to the first that needs what has just missed.
  void step(Sm& sm, Resident& resident) {
    const auto& list = resident.warp.instructions;
    missed_.clear();
    const auto is_missing = [&](std::int32_t need) { return std::ranges::find(missed_, need) != missed_.end(); };
    bool has_turn = true;
    for (; has_turn && resident.next < list.size(); ++resident.next) {
      const Instruction& instruction = list[resident.next];
      if (std::ranges::any_of(instruction.needs, is_missing)) return;
      if (!touches_memory(instruction)) continue;
      if (access(sm, resident.warp, resident.next)) missed_.push_back(static_cast<std::int32_t>(resident.next));
      has_turn = machine_.greedy;
    }
  }

  /// Whether it missed in the L1.
  bool access(Sm& sm, const Warp& warp, std::size_t position) {
    const Instruction& instruction = warp.instructions[position];
    units_of(warp, instruction, machine_.miss_bytes, units_);
    if (result_.accesses.size() <= position) result_.accesses.resize(position + 1);
    AccessCounts& access = result_.accesses[position];
    access.instructions += 1;
    access.units += static_cast<double>(units_.size());
    const double misses = access.misses;
    double latency = units_.empty() ? machine_.latency[static_cast<std::size_t>(Operation::integer)] : 0;
    requests_ = 0;
    looked_up_ = requested_ = requested_of_memory_ = {};
    for (const std::uint64_t unit : units_) latency = std::max(latency, use(sm, unit, instruction, access));
    access.latency_sum += latency;
    count_passes(instruction, access.misses - misses);
    if (instruction.operation == Operation::atomic) result_.total.atomic_sectors += instruction.sector_count;
    if (access.misses > misses) access.missing += 1;
    return access.misses > misses;
  }

  /// Words that hit are read from the banks; each request that missed takes them for a cycle when its data arrive.
  void count_passes(const Instruction& instruction, double misses) {
    if (instruction.operation != Operation::load || instruction.past_l1 || units_.empty()) return;
    const double hits = 1 - misses / static_cast<double>(units_.size());
    result_.total.l1_passes += hits * instruction.bank_words + requests_;
  }

  /// Sends one unit through the caches. Returns the latency of a load.
  double use(Sm& sm, std::uint64_t unit, const Instruction& instruction, AccessCounts& access) {
    const std::uint64_t line = unit / units_per_line_;
    WarpTraffic& total = result_.total;
    if (instruction.operation == Operation::load && !instruction.past_l1) {
      total.l1_accesses += looked_up_.count(line);
      if (sm.l1.use(unit, false).hit) return machine_.l1_latency;
    }
    const bool is_store = instruction.operation == Operation::store;
    access.misses += 1;
    (is_store ? total.write_misses : total.read_misses) += 1;
    const double request = requested_.count(line);
    requests_ += request;
    (is_store ? total.write_requests : total.read_requests) += request;
    if (instruction.operation == Operation::atomic) result_.atomic_lines.insert(line);
    const auto found = llc_.use(unit, instruction.operation != Operation::load, sm.partition);
    total.memory_writes += static_cast<double>(found.written_back);
    if (found.written_back > 0) total.memory_write_requests += 1;
    if (found.hit) return is_far(sm, line, found.is_known) ? machine_.llc_far_latency : machine_.llc_latency;
    result_.llc_misses += 1;
    if (is_store && instruction.fills_sectors) return 0;
    total.memory_reads += 1;
    total.memory_requests += requested_of_memory_.count(line);
    return machine_.memory_latency;
  }

  /// A partition that the number alone decides: of a line, its home.
  [[nodiscard]] std::size_t any_partition(std::uint64_t number) const {
    return mix(static_cast<std::uint32_t>(number)) % static_cast<std::uint64_t>(machine_.llc_partitions);
  }

  [[nodiscard]] bool is_far(const Sm& sm, std::uint64_t line, bool is_known) const {
    return any_partition(line) != sm.partition && !(is_known && machine_.llc_keeps_copies);
  }

  const Trace& trace_;
  const ProfiledMachine& machine_;
  std::uint64_t units_per_line_;
  Lines looked_up_;
  Lines requested_;
  Lines requested_of_memory_;
  double requests_ = 0;  ///< of the instruction
  CacheContents llc_;
  std::vector<Sm> sms_;
  std::vector<std::uint64_t> units_;
  std::vector<std::int32_t> missed_;  ///< positions of the warp's loads that missed in its turn
  FunctionalPass result_;
};

}  // namespace

bool reads_memory(const Instruction& instruction) {
  return instruction.operation == Operation::load || instruction.operation == Operation::atomic;
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

FunctionalPass functional_pass(const Trace& trace, const ProfiledMachine& machine, std::int64_t warm_passes,
                               std::int64_t most_warps) {
  return Pass(trace, machine, warm_passes).run(most_warps);
}

}  // namespace tomograph::kernel
