#ifndef TOMOGRAPH_SIM_KERNEL_L2_SLICE_HPP
#define TOMOGRAPH_SIM_KERNEL_L2_SLICE_HPP

#include <cstdint>

#include "sim/kernel/dram_channel.hpp"
#include "sim/kernel/line_map.hpp"
#include "sim/kernel/line_store.hpp"
#include "sim/kernel/network.hpp"
#include "sim/kernel/pool.hpp"

namespace tomograph::sim::timed {

/// A slice of the L2 with its memory channel: write-back, allocates on reads and writes. Where a miss finds no MSHR
/// free, or a write no room in the queue of memory, the slice blocks: later requests wait in the order of their
/// arrival.
class L2Slice {
 public:
  L2Slice(const Gpu& gpu, Network& network, std::size_t number);

  /// Simulates it until then. All requests that arrive before are on their way.
  void run(Cycle until);
  /// Whether nothing happens any more until a request arrives.
  [[nodiscard]] bool is_idle() const { return next_of_channel() == never; }
  /// Puts a line there, as if it had been read long ago.
  void warm(std::uint64_t line) { store_.fill(line, all_sectors_, false); }
  [[nodiscard]] std::uint64_t misses() const { return misses_seen_; }
  [[nodiscard]] std::uint64_t row_misses() const { return channel_.row_misses(); }

 private:
  struct Miss {
    std::uint32_t sectors = 0;
    int answers = 0;  ///< that memory still owes
    Request first;
    Queues<Request>::Queue others = {};
  };
  [[nodiscard]] Cycle next_of_channel() const;
  void step_of_channel();
  void arrive(const Request& request);
  /// Requests that wait are tried again.
  void resume();
  /// Serves a request or returns false, if it must wait.
  bool accept(const Request& request);
  bool accept_write(const Request& request);
  /// `number` is that of a miss on the same line, if there is one.
  void miss(const Request& request, std::uint32_t missing, std::uint32_t number, Cycle when);
  /// Memory answers a read.
  void from_memory(const Transfer& answer);
  /// The sectors of a read or an atomic are there.
  void serve(const Request& request, Cycle when);
  void write_back(LineStore::Evicted evicted, Cycle when);
  [[nodiscard]] std::uint32_t fetched(std::uint32_t sectors) const;

  const NocTiming& noc_;
  Network& network_;
  std::size_t number_;
  double request_cycles_;
  std::uint32_t mshrs_;
  int fetch_sectors_;
  std::uint32_t all_sectors_;
  Cycle now_ = 0;
  LineStore store_;
  DramChannel channel_;
  Server pipeline_;
  Server reply_port_;
  Pool<Miss> misses_;
  Queues<Request> others_;
  LineMap miss_of_line_;
  Fifo<Request> blocked_;
  std::uint64_t misses_seen_ = 0;
};

}  // namespace tomograph::sim::timed

#endif
