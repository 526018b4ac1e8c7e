#ifndef TOMOGRAPH_SIM_KERNEL_EVENT_QUEUE_HPP
#define TOMOGRAPH_SIM_KERNEL_EVENT_QUEUE_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <queue>

#include "sim/kernel/pool.hpp"

namespace tomograph::sim::timed {

using Cycle = std::int64_t;

enum class EventKind : std::uint8_t {
  schedule,        ///< a scheduler of an SM chooses a warp; item: scheduler
  access_l1,       ///< an SM's L1 takes the next line
  at_slice,        ///< a request reaches a slice of the L2; item: request
  at_channel,      ///< a request reaches a memory channel; item: request
  choose_request,  ///< a memory channel chooses its next request
  from_memory,     ///< memory's answer reaches a slice; item: request
  at_sm,           ///< a reply reaches its SM's port; item: request
  reply,           ///< a reply has passed the port; item: request
  load_done,       ///< a load that hit in the L1 is done; item: load
  warp_done,       ///< the last result of a warp is there; item: warp
};

/// Something that happens to a unit (an SM, a slice, a channel).
struct Event {
  EventKind kind;
  std::uint32_t unit;
  std::uint32_t item;
};

/// A part that serves one customer after the other, in the order of their arrival.
class Server {
 public:
  /// Serves for `cycles`, which need not be whole. Returns when it is done.
  Cycle serve(Cycle now, double cycles) {
    free_ = std::max(free_, static_cast<double>(now)) + cycles;
    return static_cast<Cycle>(std::ceil(free_));
  }
  /// When it can serve the next one.
  [[nodiscard]] double free() const { return free_; }

 private:
  double free_ = 0;
};

/// Events in the order of time, and of their insertion within a cycle: a calendar queue (Brown 1988) with a bucket for
/// each of the next cycles, and a heap for all later ones.
class EventQueue {
 public:
  [[nodiscard]] Cycle now() const { return now_; }

  /// `when` is not before now.
  void push(Cycle when, Event event) {
    ++count_;
    if (when - now_ < span) {
      events_.push(bucket(when), event);
    } else {
      later_.push({when, inserted_++, event});
    }
  }

  /// Passes each event to `handle`, which may push more, until none is left.
  template <typename Handle>
  void run(Handle handle) {
    for (; count_ > 0; ++now_) {
      take_from_later();
      for (Queues<Event>::Queue& today = bucket(now_); !today.empty(); --count_) handle(events_.pop(today));
    }
  }

 private:
  static constexpr Cycle span = 1024;
  struct Later {
    Cycle when;
    std::uint64_t number;
    Event event;
    friend bool operator<(const Later& a, const Later& b) {
      return a.when != b.when ? a.when > b.when : a.number > b.number;
    }
  };

  Queues<Event>::Queue& bucket(Cycle when) { return buckets_[static_cast<std::size_t>(when % span)]; }
  void take_from_later() {
    while (!later_.empty() && later_.top().when - now_ < span) {
      events_.push(bucket(later_.top().when), later_.top().event);
      later_.pop();
    }
  }

  Cycle now_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t inserted_ = 0;
  Queues<Event> events_;
  std::array<Queues<Event>::Queue, span> buckets_;
  std::priority_queue<Later> later_;
};

}  // namespace tomograph::sim::timed

#endif
