#ifndef TOMOGRAPH_SIM_KERNEL_REQUEST_HPP
#define TOMOGRAPH_SIM_KERNEL_REQUEST_HPP

#include <cstdint>

#include "sim/kernel/event_queue.hpp"
#include "sim/kernel/pool.hpp"

namespace tomograph::sim::timed {

/// An access to one line of the L2 or of memory.
struct Request {
  enum class Kind : std::uint8_t { read, write, atomic };
  std::uint64_t line = 0;     ///< address of the line
  std::uint32_t sectors = 0;  ///< mask
  Kind kind = Kind::read;
  std::uint32_t sm = 0;
  std::uint32_t miss = 0;  ///< number of the SM's miss that waits for it
};

/// What all parts of a simulated GPU share: time, and the requests on their way.
struct Traffic {
  EventQueue events;
  Pool<Request> requests;
};

}  // namespace tomograph::sim::timed

#endif
