#ifndef TOMOGRAPH_KERNEL_PROFILE_LRU_CACHE_HPP
#define TOMOGRAPH_KERNEL_PROFILE_LRU_CACHE_HPP

#include <cstdint>
#include <vector>

#include "tomograph/kernel/profile.hpp"

namespace tomograph::kernel {

/// The contents of a cache: lines of units, each of which is valid or not, and modified or not.
class LruCache {
 public:
  /// `unit` is the number of bytes that a miss fetches. Without a size, nothing ever hits.
  LruCache(const CacheShape& shape, std::int64_t unit);

  struct Outcome {
    bool hit = false;
    std::int64_t written_back = 0;  ///< modified units of the evicted line
  };
  /// Reads or writes unit number `unit`, and allocates it.
  Outcome use(std::uint64_t unit, bool writes);
  /// Whether it is there; if so, it becomes the most recently used.
  bool look_up(std::uint64_t unit);

 private:
  struct Line {
    std::uint64_t number = ~std::uint64_t{0};
    std::uint64_t used = 0;
    std::uint64_t valid = 0;
    std::uint64_t modified = 0;
  };
  /// The ways of the set of a line.
  [[nodiscard]] Line* set_of(std::uint64_t number);
  [[nodiscard]] Line* find(std::uint64_t number);

  std::uint64_t units_per_line_;
  std::size_t ways_;
  std::vector<Line> lines_;
  std::uint64_t clock_ = 0;
};

}  // namespace tomograph::kernel

#endif
