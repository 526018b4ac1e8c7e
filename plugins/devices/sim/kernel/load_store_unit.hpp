#ifndef TOMOGRAPH_SIM_KERNEL_LOAD_STORE_UNIT_HPP
#define TOMOGRAPH_SIM_KERNEL_LOAD_STORE_UNIT_HPP

#include <cstdint>
#include <vector>

#include "sim/kernel/fifo.hpp"
#include "sim/kernel/line_map.hpp"
#include "sim/kernel/line_store.hpp"
#include "sim/kernel/network.hpp"
#include "sim/kernel/pool.hpp"
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
  LoadStoreUnit(const Gpu& gpu, std::int64_t carveout, Network& network, std::uint32_t sm);

  /// Whether it takes no more instructions for now.
  [[nodiscard]] bool is_full() const { return queue_.size() >= most_queued_; }
  /// Takes an instruction with at least one sector. `load` is the number of a load; none for stores.
  void take(Cycle now, const kernel::Warp& warp, const kernel::Instruction& instruction, std::uint32_t load);
  /// When the next line has its turn; `never` if there is none, or it must wait for a reply.
  [[nodiscard]] Cycle next_access() const { return next_access_; }
  /// The next line has its turn. Returns whether an instruction has left the queue.
  bool access(Cycle now);
  /// A reply will soon arrive.
  void expect(const Request& request) const {
    store_.prefetch(request.line);
    misses_.prefetch(request.miss);
  }
  /// A write will be acknowledged then.
  void acknowledge(Cycle when);
  /// A reply with data has arrived.
  void reply(Cycle now, const Request& request);
  /// Adds a load that `take` will be given.
  std::uint32_t add(Load load) { return loads_.add(load); }
  /// When the next load is done that waits for lines that hit.
  [[nodiscard]] Cycle next_load() const { return hitting_.next(); }
  void finish_load() { finish(hitting_.pop()); }
  [[nodiscard]] bool has_done() const { return !done_.empty(); }
  /// Exchanges `loads` for those that have all their lines since the last call.
  void take_done(std::vector<Load>& loads);
  [[nodiscard]] Cycle last_write() const { return last_write_; }

 private:
  struct Line {
    std::uint64_t address = 0;
    std::uint32_t sectors = 0;
  };
  struct Entry {
    kernel::Operation operation = kernel::Operation::load;
    bool past_l1 = false;
    bool fills_sectors = true;
    std::uint32_t load = 0;
    std::size_t lines = 0;  ///< that have not had their turn

    [[nodiscard]] bool is_through_l1() const { return operation == kernel::Operation::load && !past_l1; }
  };
  struct Miss {
    std::uint32_t sectors = 0;
    bool fills = true;  ///< the L1
    std::uint32_t first_load = 0;
    Queues<std::uint32_t>::Queue other_loads = {};
  };
  /// Appends the distinct lines of an instruction. Returns their number.
  std::size_t add_lines(const kernel::Warp& warp, const kernel::Instruction& instruction);
  /// Each returns false if the line must wait for a reply.
  bool read(Cycle now, const Entry& entry, const Line& line);
  bool write(Cycle now, const Entry& entry, const Line& line);
  /// The L1, or a miss that is on its way, has all of a line.
  bool is_served(Cycle now, const Entry& entry, const Line& line);
  /// Whether a line will find no MSHR, if none is free until its turn.
  bool must_wait(const Entry& entry, const Line& line);
  void miss(Cycle now, const Entry& entry, const Line& line);

  void send(Cycle now, const Request& request, double bytes);
  void line_is_there(Cycle now, std::uint32_t load_number);
  void finish(std::uint32_t load);
  /// `sectors`, rounded up to aligned groups of so many.
  [[nodiscard]] std::uint32_t rounded(std::uint32_t sectors, int group) const;

  const NocTiming& noc_;
  Network& network_;
  std::uint16_t sm_;
  std::size_t most_queued_;
  std::uint32_t mshrs_;
  std::uint64_t line_bytes_;
  int sector_bits_;       ///< of a sector's number that tell its place in the line
  int fetch_sectors_;     ///< that a miss of the L1 fetches
  int smallest_sectors_;  ///< that a load past it fetches
  Cycle l1_latency_;
  LineStore store_;
  Server port_;
  Fifo<Entry> queue_;
  Fifo<Line> lines_;  ///< of the instructions in the queue
  Pool<Load> loads_;
  Agenda<std::uint32_t> hitting_;
  Pool<Miss> misses_;
  Queues<std::uint32_t> other_loads_;
  LineMap miss_of_line_;
  std::uint32_t writes_ = 0;  ///< that had not been acknowledged when the last one was sent
  Fifo<Cycle> acknowledged_;  ///< when those are of which it is known
  std::vector<Load> done_;
  bool is_blocked_ = false;
  std::uint32_t missing_ = 0;  ///< sectors of the first line in the queue, where it waits for an MSHR
  Cycle next_access_ = never;
  Cycle last_access_ = -1;
  Cycle last_write_ = 0;
};

}  // namespace tomograph::sim::timed

#endif
