#ifndef TOMOGRAPH_SIM_KERNEL_SM_HPP
#define TOMOGRAPH_SIM_KERNEL_SM_HPP

#include <array>
#include <cstdint>
#include <vector>

#include "sim/kernel/divisor.hpp"
#include "sim/kernel/load_store_unit.hpp"

namespace tomograph::sim::timed {

/// What a kernel run needs beside the GPU.
struct KernelRun {
  const kernel::Trace* trace = nullptr;
  std::vector<std::int64_t> sms;  ///< numbers of the SMs that take part; not empty
  std::int64_t warm_passes = 1;
  std::int64_t carveout = -1;
  /// Loads at positions p with p mod `timed_period` = `timed_position` are timed. Negative: none.
  std::int64_t timed_position = -1;
  std::int64_t timed_period = 1;
  /// Numbers of instructions that an SM has issued, between which its cycles are counted.
  struct Section {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  Section section = {};
};

/// A simulated SM. Warps issue in order, and wait where a result is not there. Each of its schedulers has its share of
/// the warps and chooses one per cycle: in turn (LRR), or the same as long as it can issue and then the oldest (GTO).
class Sm {
 public:
  /// The `index`-th of `run.sms`, which executes the CTAs of its places (abi/kernel.h).
  Sm(const Gpu& gpu, const KernelRun& run, Network& network, std::uint32_t index);

  /// Simulates it until then. All replies that arrive before are on their way.
  void run(Cycle until);
  /// Whether nothing happens any more until a reply arrives.
  [[nodiscard]] bool is_idle() const { return next() == never; }

  [[nodiscard]] Cycle end() const { return std::max(end_, unit_.last_write()); }
  [[nodiscard]] std::int64_t instructions() const { return instructions_; }
  [[nodiscard]] double timed_cycles() const { return timed_cycles_; }
  [[nodiscard]] double timed_loads() const { return timed_loads_; }
  /// Cycles from the first to the last instruction of the section.
  [[nodiscard]] Cycle section_cycles() const { return section_end_ - section_begin_; }

 private:
  struct WarpState {
    kernel::Warp warp;
    std::vector<Cycle> done = {};  ///< of each instruction; `never` until it is known
    std::uint32_t next = 0;
    std::uint32_t loads = 0;  ///< on their way
    std::uint32_t place = 0;
    std::uint64_t age = 0;
    Cycle latest = 0;  ///< when the last result is there
    bool at_barrier = false;

    [[nodiscard]] bool is_issued() const { return next == warp.instructions.size(); }
  };
  /// What schedulers look at in every cycle, apart from the rest.
  struct Readiness {
    Cycle ready = never;  ///< when the next instruction can issue; `never`: not known
    kernel::Operation operation = kernel::Operation::integer;
  };
  struct Place {
    std::uint64_t next_cta = 0;
    std::uint32_t live = 0;  ///< warps that have not ended
    std::uint32_t at_barrier = 0;
  };
  struct Scheduler {
    std::vector<Readiness> warps;
    std::uint64_t known = 0;             ///< mask of those warps whose `ready` is known
    std::array<double, 10> unit_free{};  ///< by operation
    std::array<Cycle, 10> unit_next{};   ///< the first cycle of that
    std::uint32_t last = 0;              ///< the warp that issued last
    Cycle next = never;                  ///< when it chooses next
  };

  /// When the next thing happens.
  [[nodiscard]] Cycle next() const;
  /// What happens now.
  void step();
  /// Replies pass the port as they arrive.
  void receive(Cycle until);
  void schedule();
  void schedule(std::uint32_t scheduler_number);
  void access_l1();
  void warp_done(std::uint32_t warp_number);

  void start_cta(std::uint32_t place_number);
  void wake(Scheduler& scheduler, Cycle when);
  /// When a warp whose `ready` is known can issue; `never` if that depends on something that wakes the scheduler.
  [[nodiscard]] Cycle issuable(const Scheduler& scheduler, std::uint32_t position) const;
  static constexpr std::uint32_t most_warps = 64;  ///< of a scheduler
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// What a scheduler sees.
  struct View {
    std::uint32_t position = none;  ///< of a warp that can issue
    Cycle next = never;             ///< if none can: when one can
    bool waits_for_unit = false;    ///< if none can: whether one only waits for room in the unit
  };
  /// The first warp, in turn from `first` on, that can issue until then.
  [[nodiscard]] View first_issuable(const Scheduler& scheduler, std::uint32_t first, Cycle until) const;
  /// The warp to issue now.
  [[nodiscard]] View choose(std::uint32_t scheduler_number) const;
  void issue(Scheduler& scheduler, std::uint32_t warp_number);
  void access_memory(std::uint32_t warp_number, const kernel::Instruction& instruction);
  void find_ready(std::uint32_t warp_number);
  void set_ready(std::uint32_t warp_number, Cycle ready);
  void arrive_at_barrier(std::uint32_t warp_number);
  void release_barrier(std::uint32_t place_number);
  void end_if_done(std::uint32_t warp_number);
  void complete_loads();
  [[nodiscard]] bool is_timed(std::uint32_t position) const;
  Scheduler& scheduler_of(std::uint32_t warp) { return schedulers_[scheduler_count_.remainder(warp)]; }
  Readiness& readiness(std::uint32_t warp) { return scheduler_of(warp).warps[scheduler_count_.quotient(warp)]; }
  [[nodiscard]] std::uint32_t warp_of(std::uint32_t scheduler, std::uint32_t position) const {
    return scheduler + position * static_cast<std::uint32_t>(schedulers_.size());
  }

  const Gpu& gpu_;
  const KernelRun& run_;
  Network& network_;
  std::uint32_t index_;
  Cycle now_ = 0;
  std::array<Cycle, 10> latency_{};
  std::array<double, 10> interval_{};
  LoadStoreUnit unit_;
  Server port_;
  Agenda<Request> replies_;             ///< that pass the port
  Agenda<std::uint32_t> last_results_;  ///< of warps
  std::vector<WarpState> warps_;
  std::vector<Place> places_;
  std::vector<Scheduler> schedulers_;
  Divisor scheduler_count_;
  Cycle next_choice_ = never;  ///< the first of theirs
  std::vector<Load> done_;     ///< kept for its memory
  bool waits_for_unit_ = false;
  std::uint32_t first_woken_ = 0;  ///< scheduler that is the first to ask for room in the unit
  std::uint64_t started_ = 0;
  Cycle end_ = 0;
  std::int64_t instructions_ = 0;
  double timed_cycles_ = 0;
  double timed_loads_ = 0;
  Cycle section_begin_ = 0;
  Cycle section_end_ = 0;
};

}  // namespace tomograph::sim::timed

#endif
