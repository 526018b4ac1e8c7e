#ifndef TOMOGRAPH_SIM_KERNEL_REQUEST_HPP
#define TOMOGRAPH_SIM_KERNEL_REQUEST_HPP

#include <cstdint>
#include <vector>

#include "sim/kernel/event_queue.hpp"

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

/// Objects by number. Numbers of those that were removed are used again.
template <typename T>
class Pool {
 public:
  std::uint32_t add(T object) {
    if (free_.empty()) {
      objects_.push_back(std::move(object));
      return static_cast<std::uint32_t>(objects_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    objects_[number] = std::move(object);
    return number;
  }
  void remove(std::uint32_t number) { free_.push_back(number); }
  T& operator[](std::uint32_t number) { return objects_[number]; }
  [[nodiscard]] std::size_t in_use() const { return objects_.size() - free_.size(); }

 private:
  std::vector<T> objects_;
  std::vector<std::uint32_t> free_;
};

/// What all parts of a simulated GPU share: time, and the requests on their way.
struct Traffic {
  EventQueue events;
  Pool<Request> requests;
};

}  // namespace tomograph::sim::timed

#endif
