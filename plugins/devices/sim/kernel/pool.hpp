#ifndef TOMOGRAPH_SIM_KERNEL_POOL_HPP
#define TOMOGRAPH_SIM_KERNEL_POOL_HPP

#include <cstdint>
#include <vector>

namespace tomograph::sim::timed {

/// Objects by number. Numbers of those that were removed are used again.
template <typename T>
class Pool {
 public:
  std::uint32_t add(const T& object) {
    if (in_use_ == numbers_.size()) {
      numbers_.push_back(in_use_);
      objects_.emplace_back();
    }
    const std::uint32_t number = numbers_[in_use_++];
    objects_[number] = object;
    return number;
  }
  void remove(std::uint32_t number) { numbers_[--in_use_] = number; }
  void prefetch(std::uint32_t number) const { __builtin_prefetch(objects_.data() + number); }
  T& operator[](std::uint32_t number) { return objects_[number]; }
  const T& operator[](std::uint32_t number) const { return objects_[number]; }
  [[nodiscard]] std::uint32_t in_use() const { return in_use_; }

 private:
  std::vector<T> objects_;
  std::vector<std::uint32_t> numbers_;  ///< from `in_use_` on: those that are free
  std::uint32_t in_use_ = 0;
};

/// Many short queues whose elements share a pool, so that all of them stay in the processor's cache.
template <typename T>
class Queues {
 public:
  /// One of them.
  class Queue {
   public:
    [[nodiscard]] bool empty() const { return first_ == nothing; }

   private:
    friend class Queues;
    std::uint32_t first_ = nothing;
    std::uint32_t last_ = nothing;
  };

  void push(Queue& queue, T value) {
    const std::uint32_t number = nodes_.add({value, nothing});
    (queue.empty() ? queue.first_ : nodes_[queue.last_].next) = number;
    queue.last_ = number;
  }
  /// Removes the first of a queue that is not empty.
  T pop(Queue& queue) {
    const Node first = nodes_[queue.first_];
    nodes_.remove(queue.first_);
    queue.first_ = first.next;
    return first.value;
  }

 private:
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};
  struct Node {
    T value = {};
    std::uint32_t next = nothing;
  };
  Pool<Node> nodes_;
};

}  // namespace tomograph::sim::timed

#endif
