#ifndef TOMOGRAPH_SIM_KERNEL_DRAM_CHANNEL_HPP
#define TOMOGRAPH_SIM_KERNEL_DRAM_CHANNEL_HPP

#include <cstdint>
#include <limits>
#include <vector>

#include "sim/gpu/description.hpp"
#include "sim/kernel/request.hpp"

namespace tomograph::sim::timed {

/// A memory channel behind one slice: banks with an open row each, and a bus that all of them share. Of the oldest
/// requests it serves the one that can start first, which prefers open rows and the direction of the bus (FR-FCFS,
/// Rixner et al. 2000).
class DramChannel {
 public:
  DramChannel(const Gpu& gpu, Traffic& traffic, std::uint32_t number);

  /// A request reaches the channel.
  void arrive(std::uint32_t request);
  /// The time of a choice has come.
  void choose();
  /// Whether it takes no more writes for now.
  [[nodiscard]] bool is_full() const { return waiting_.size() >= most_waiting_; }
  [[nodiscard]] std::uint64_t row_misses() const { return row_misses_; }

 private:
  struct Bank {
    std::uint64_t row = ~std::uint64_t{0};
    double free = 0;
  };
  struct Waiting {
    std::uint32_t request = 0;
    double arrived = 0;
    std::uint32_t bank = 0;
    std::uint64_t row = 0;
    bool writes = false;
  };
  /// When the transfer of a request can begin.
  [[nodiscard]] double start_of(const Waiting& waiting) const;
  void choose_at(double when);
  void transfer(const Waiting& waiting, double start);

  const DramTiming& timing_;
  Traffic& traffic_;
  std::uint32_t number_;
  std::uint64_t chunk_;  ///< consecutive bytes of one slice
  std::uint64_t slices_;
  double rate_;
  Cycle way_back_;
  std::size_t most_waiting_;
  std::vector<Bank> banks_;
  std::vector<Waiting> waiting_;  ///< in the order of their arrival
  double bus_free_ = 0;
  bool bus_writes_ = false;
  Cycle next_choice_ = std::numeric_limits<Cycle>::max();
  std::uint64_t row_misses_ = 0;
};

/// The slice that serves an address: chunks of `interleave` bytes go round the slices, each round in another order, so
/// that no stride of powers of two prefers a slice.
[[nodiscard]] std::uint32_t slice_of(std::uint64_t address, std::uint64_t interleave, std::uint64_t slices);

}  // namespace tomograph::sim::timed

#endif
