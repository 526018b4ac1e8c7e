#ifndef TOMOGRAPH_SIM_KERNEL_LOAD_STORE_UNIT_HPP
#define TOMOGRAPH_SIM_KERNEL_LOAD_STORE_UNIT_HPP

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/kernel/line_map.hpp"
#include "sim/kernel/line_store.hpp"
#include "sim/kernel/request.hpp"
#include "tomograph/kernel/trace.hpp"

namespace tomograph::sim::timed {

/// A load or atomic on its way.
struct Load {
  std::uint32_t warp = 0;         ///< that waits for it
  std::uint32_t instruction = 0;  ///< its position in the warp's list
  std::uint32_t missing = 0;      ///< lines that are not there yet
  Cycle issued = 0;
  Cycle hits_done = 0;  ///< when the lines that hit are there
};

/// Coalescer, L1 and MSHRs of an SM. Takes one line per cycle, in the order of the instructions. The L1 is
/// write-through and does not allocate on writes. A miss that finds no MSHR free blocks the unit until one is (Wang et
/// al. 2019, section 2.1); misses on lines that are on their way share an MSHR.
class LoadStoreUnit {
 public:
  LoadStoreUnit(const Gpu& gpu, std::int64_t carveout, Traffic& traffic, std::uint32_t sm);

  /// Whether it takes no more instructions for now.
  [[nodiscard]] bool is_full() const { return queue_.size() >= most_queued_; }
  /// Takes an instruction with at least one sector. `load` is the number of a load; none for stores.
  void take(const kernel::Warp& warp, const kernel::Instruction& instruction, std::uint32_t load);
  /// The next line has its turn. Returns whether an instruction has left the queue.
  bool access();
  /// A reply has arrived.
  void reply(std::uint32_t request);
  /// Adds a load that `take` will be given.
  std::uint32_t add(Load load) { return loads_.add(load); }
  /// Exchanges `loads` for those that have all their lines since the last call.
  void take_done(std::vector<Load>& loads);
  /// A load whose lines all hit is done.
  void finish(std::uint32_t load);
  [[nodiscard]] Cycle last_write() const { return last_write_; }

 private:
  struct Line {
    std::uint64_t address = 0;
    std::uint32_t sectors = 0;
  };
  struct Entry {
    kernel::Operation operation = kernel::Operation::load;
    bool past_l1 = false;
    std::uint32_t load = 0;
    std::size_t next = 0;
    std::vector<Line> lines = {};
  };
  struct Miss {
    std::uint32_t sectors = 0;
    bool fills = true;                          ///< the L1
    Queues<std::uint32_t>::Queue waiting = {};  ///< loads
  };
  /// Each returns false if the line must wait for a reply.
  bool read(const Entry& entry, const Line& line);
  bool write(const Line& line);
  bool miss(const Entry& entry, const Line& line, std::uint32_t sectors, bool through_l1);

  void send(Request request, double bytes);
  void access_at(Cycle when);
  void line_is_there(std::uint32_t load_number);
  /// `sectors`, rounded up to aligned groups of so many.
  [[nodiscard]] std::uint32_t rounded(std::uint32_t sectors, int group) const;

  const Gpu& gpu_;
  Traffic& traffic_;
  std::uint32_t sm_;
  std::size_t most_queued_;
  std::size_t mshrs_;
  std::uint64_t line_bytes_;
  int fetch_sectors_;     ///< that a miss of the L1 fetches
  int smallest_sectors_;  ///< that a load past it fetches
  Cycle l1_latency_;
  Ways ways_;
  LineStore store_;
  Server port_;
  std::deque<Entry> queue_;
  Pool<Load> loads_;
  Pool<Miss> misses_;
  Queues<std::uint32_t> waiting_;
  LineMap miss_of_line_;
  std::size_t writes_ = 0;  ///< on their way
  std::vector<Load> done_;
  bool is_blocked_ = false;
  bool is_scheduled_ = false;
  Cycle last_access_ = -1;
  Cycle last_write_ = 0;
};

}  // namespace tomograph::sim::timed

#endif
