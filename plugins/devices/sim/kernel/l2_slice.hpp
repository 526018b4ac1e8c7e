#ifndef TOMOGRAPH_SIM_KERNEL_L2_SLICE_HPP
#define TOMOGRAPH_SIM_KERNEL_L2_SLICE_HPP

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/kernel/dram_channel.hpp"
#include "sim/kernel/line_map.hpp"
#include "sim/kernel/line_store.hpp"
#include "sim/kernel/request.hpp"

namespace tomograph::sim::timed {

/// A slice of the L2: write-back, allocates on reads and writes. Where a miss finds no MSHR free, or a write no room in
/// the queue of memory, the slice blocks: later requests wait in the order of their arrival.
class L2Slice {
 public:
  L2Slice(const Gpu& gpu, Traffic& traffic, DramChannel& channel, std::uint32_t number);

  /// A request reaches the slice.
  void arrive(std::uint32_t request);
  /// Memory answers one of its requests.
  void from_memory(std::uint32_t request);
  /// Requests that wait are tried again.
  void resume();
  /// Puts a line there, as if it had been read long ago.
  void warm(std::uint64_t line) { store_.fill(line, all_sectors_, false); }
  [[nodiscard]] std::uint64_t misses() const { return misses_seen_; }

 private:
  struct Miss {
    std::uint32_t sectors = 0;
    int answers = 0;                            ///< that memory still owes
    Queues<std::uint32_t>::Queue waiting = {};  ///< requests
  };
  /// Serves a request or returns false, if it must wait.
  bool accept(std::uint32_t request);
  bool accept_write(std::uint32_t request);
  void miss(std::uint32_t request, std::uint32_t missing, Cycle when);
  /// Memory has answered all that a waiting request wants.
  void serve(std::uint32_t request);
  void reply(std::uint32_t request, Cycle when);
  void write_back(LineStore::Evicted evicted, Cycle when);
  [[nodiscard]] std::uint32_t fetched(std::uint32_t sectors) const;

  const NocTiming& noc_;
  Traffic& traffic_;
  DramChannel& channel_;
  std::uint32_t number_;
  double request_cycles_;
  std::size_t mshrs_;
  int fetch_sectors_;
  std::uint32_t all_sectors_;
  Ways ways_;
  LineStore store_;
  Server pipeline_;
  Server reply_port_;
  Pool<Miss> misses_;
  Queues<std::uint32_t> waiting_;
  LineMap miss_of_line_;
  std::deque<std::uint32_t> blocked_;
  std::uint64_t misses_seen_ = 0;
};

}  // namespace tomograph::sim::timed

#endif
