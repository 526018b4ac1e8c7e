#ifndef TOMOGRAPH_SIM_KERNEL_DRAM_CHANNEL_HPP
#define TOMOGRAPH_SIM_KERNEL_DRAM_CHANNEL_HPP

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/gpu/description.hpp"
#include "sim/kernel/divisor.hpp"
#include "sim/kernel/fifo.hpp"

namespace tomograph::sim::timed {

/// An access of a slice to memory.
struct Transfer {
  static constexpr std::uint32_t no_miss = ~std::uint32_t{0};
  std::uint64_t line = 0;        ///< address of the line
  std::uint32_t sectors = 0;     ///< mask
  std::uint32_t miss = no_miss;  ///< number of the slice's miss that a read serves

  [[nodiscard]] bool writes() const { return miss == no_miss; }
};

/// A memory channel behind one slice: banks with an open row each, and a bus that all of them share. Of the oldest
/// requests it serves the one that can start first, which prefers open rows and the direction of the bus (FR-FCFS,
/// Rixner et al. 2000).
class DramChannel {
 public:
  explicit DramChannel(const Gpu& gpu);

  /// The slice sends a transfer.
  void send(Cycle when, const Transfer& transfer) {
    sent_.push(when + ways_.to_memory, transfer);
    plan_choice();
  }
  /// When it chooses next.
  [[nodiscard]] Cycle next_choice() const { return next_choice_; }
  void choose();
  /// When the next sectors that were read reach the slice.
  [[nodiscard]] Cycle next_answer() const { return answers_.next(); }
  Transfer take_answer() { return answers_.pop(); }
  [[nodiscard]] const Agenda<Transfer>& answers() const { return answers_; }

  /// Whether it takes no more writes: twice as many transfers as the window holds have arrived.
  [[nodiscard]] bool is_full(Cycle now) const {
    const std::size_t room = 2 * most_in_window_ - in_window();
    return sent_.size() >= room && sent_.when(room - 1) <= now;
  }
  [[nodiscard]] std::uint64_t row_misses() const { return row_misses_; }

 private:
  struct Bank {
    std::uint64_t row = ~std::uint64_t{0};
    double free = 0;
  };
  struct Waiting {
    Transfer transfer;
    double arrived = 0;
    std::uint64_t row = 0;
    std::uint32_t bank = 0;
  };
  /// A transfer in the window, and when it can start.
  struct Candidate {
    bool writes = false;
    std::size_t position = 0;  ///< among those of its direction
    double start = std::numeric_limits<double>::infinity();
  };
  [[nodiscard]] std::size_t in_window() const { return window_[0].size() + window_[1].size(); }
  Fifo<Waiting>& window(bool writes) { return window_[writes ? 1 : 0]; }
  /// When the bus can start a transfer of a direction.
  [[nodiscard]] double bus(bool writes) const {
    return bus_free_ + (writes != bus_writes_ ? timing_.turnaround_cycles : 0);
  }
  [[nodiscard]] double start(const Waiting& waiting, double bus) const;
  /// Those that have arrived, as far as there is room.
  void fill_window(Cycle now);
  [[nodiscard]] Waiting waiting(double arrived, const Transfer& transfer) const;
  /// The first of one direction, if it is better than the best.
  void find_best(bool writes);
  void plan_choice();
  /// Begins the best one.
  void begin();

  const DramTiming& timing_;
  Divisor row_bytes_;  ///< of all channels, in whole chunks
  Divisor bank_count_;
  std::array<double, 2> row_cycles_;  ///< of a row that is open, and of one that is not
  double rate_;
  Ways ways_;
  std::size_t most_in_window_;
  std::vector<Bank> banks_;
  Agenda<Transfer> sent_;                ///< by arrival; not yet in the window
  std::array<Fifo<Waiting>, 2> window_;  ///< reads and writes among which it chooses
  Candidate best_;
  Agenda<Transfer> answers_;
  double bus_free_ = 0;
  bool bus_writes_ = false;
  Cycle next_choice_ = never;
  std::uint64_t row_misses_ = 0;
};

}  // namespace tomograph::sim::timed

#endif
