#ifndef TOMOGRAPH_SIM_KERNEL_FIFO_HPP
#define TOMOGRAPH_SIM_KERNEL_FIFO_HPP

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "sim/kernel/time.hpp"

namespace tomograph::sim::timed {

/// A queue in a ring that grows to the most that it ever held.
template <typename T>
class Fifo {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The `position`-th from the front.
  T& operator[](std::size_t position) { return ring_[(first_ + position) & mask_]; }
  const T& operator[](std::size_t position) const { return ring_[(first_ + position) & mask_]; }
  T& front() { return ring_[first_]; }
  void push(const T& value) {
    if (size_ == mask_ + 1) grow();
    (*this)[size_++] = value;
  }
  void pop() {
    first_ = (first_ + 1) & mask_;
    --size_;
  }
  /// Removes the `position`-th from the front, for which those before it move.
  void remove(std::size_t position) {
    for (; position > 0; --position) (*this)[position] = (*this)[position - 1];
    pop();
  }

 private:
  /// The size stays a power of two.
  void grow() {
    std::vector<T> larger(ring_.empty() ? 1 : 2 * ring_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    ring_ = std::move(larger);
    mask_ = ring_.size() - 1;
    first_ = 0;
  }

  std::vector<T> ring_;
  std::size_t mask_ = ~std::size_t{0};  ///< the ring's size less 1
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

/// What happens to a part of the GPU, in the order of time; at the same time in the order of `push`. Times are mostly
/// pushed in order, so that a place near the end is found at once.
template <typename T>
class Agenda {
 public:
  /// When the first one happens; `never` if there is none.
  [[nodiscard]] Cycle next() const { return next_; }
  void push(Cycle when, const T& what) {
    entries_.push({when, what});
    std::size_t place = entries_.size() - 1;
    if (place > 0 && entries_[place - 1].when > when) {
      do {
        entries_[place] = entries_[place - 1];
        --place;
      } while (place > 0 && entries_[place - 1].when > when);
      entries_[place] = {when, what};
    }
    next_ = std::min(next_, when);
  }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  const T& operator[](std::size_t position) const { return entries_[position].what; }
  /// When the `position`-th from the front happens.
  [[nodiscard]] Cycle when(std::size_t position) const { return entries_[position].when; }
  /// Takes the first one.
  T pop() {
    const T first = entries_.front().what;
    entries_.pop();
    next_ = entries_.empty() ? never : entries_.front().when;
    return first;
  }

 private:
  struct Entry {
    Cycle when = 0;
    T what = {};
  };
  Fifo<Entry> entries_;
  Cycle next_ = never;
};

}  // namespace tomograph::sim::timed

#endif
