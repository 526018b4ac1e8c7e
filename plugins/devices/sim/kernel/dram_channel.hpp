#ifndef TOMOGRAPH_SIM_KERNEL_DRAM_CHANNEL_HPP
#define TOMOGRAPH_SIM_KERNEL_DRAM_CHANNEL_HPP

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/gpu/description.hpp"
#include "sim/kernel/divisor.hpp"
#include "sim/kernel/fifo.hpp"
#include "sim/kernel/pool.hpp"

namespace tomograph::sim::timed {

/// An access of a slice to memory.
struct Transfer {
  std::uint64_t line = 0;     ///< address of the line
  std::uint32_t sectors = 0;  ///< mask
  bool writes = false;
};

/// A memory channel behind one slice: banks with an open row each, and a bus that all of them share. Of the oldest
/// requests it serves the one that can start first, which prefers open rows and the direction of the bus (FR-FCFS,
/// Rixner et al. 2000).
class DramChannel {
 public:
  explicit DramChannel(const Gpu& gpu);

  /// The slice sends a transfer.
  void send(Cycle when, const Transfer& transfer) { arrivals_.push(when + ways_.to_memory, transfer); }
  /// When the next one arrives.
  [[nodiscard]] Cycle next_arrival() const { return arrivals_.next(); }
  void arrive();
  /// When it chooses next.
  [[nodiscard]] Cycle next_choice() const { return next_choice_; }
  void choose();
  /// When the next sectors that were read reach the slice.
  [[nodiscard]] Cycle next_answer() const { return answers_.next(); }
  Transfer take_answer() { return answers_.pop(); }

  /// Whether it takes no more writes for now.
  [[nodiscard]] bool is_full() const { return in_window() + later_.size() >= 2 * most_in_window_; }
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
    std::uint64_t number = 0;  ///< in the order of arrival
  };
  /// A transfer in the window, and when it can start.
  struct Candidate {
    std::size_t position = 0;  ///< among those of its direction
    double start = std::numeric_limits<double>::infinity();
  };
  [[nodiscard]] std::size_t in_window() const { return window_[0].size() + window_[1].size(); }
  void enter_window(const Waiting& waiting);
  /// When the bank of a transfer is ready for it.
  [[nodiscard]] double ready(const Waiting& waiting) const;
  /// The first of one direction that can start first, not before `bus`.
  [[nodiscard]] Candidate first_ready(bool writes, double bus) const;
  void choose_at(Cycle now, double when);
  void begin(const Waiting& waiting, double start);

  const DramTiming& timing_;
  Divisor chunk_;  ///< consecutive bytes of one slice
  Divisor slices_;
  Divisor row_bytes_;
  Divisor bank_count_;
  double rate_;
  Ways ways_;
  std::size_t most_in_window_;
  std::vector<Bank> banks_;
  Agenda<Transfer> arrivals_;
  /// Reads and writes among which it chooses: their places, in the order of their arrival.
  std::array<std::vector<std::uint32_t>, 2> window_;
  Pool<Waiting> waiting_;
  std::uint64_t arrived_ = 0;
  Fifo<Waiting> later_;
  Agenda<Transfer> answers_;
  double bus_free_ = 0;
  bool bus_writes_ = false;
  Cycle next_choice_ = never;
  std::uint64_t row_misses_ = 0;
};

}  // namespace tomograph::sim::timed

#endif
