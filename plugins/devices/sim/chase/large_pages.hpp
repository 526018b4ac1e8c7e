#ifndef TOMOGRAPH_SIM_CHASE_LARGE_PAGES_HPP
#define TOMOGRAPH_SIM_CHASE_LARGE_PAGES_HPP

#include <sys/mman.h>

#include <cstdlib>
#include <new>
#include <vector>

namespace tomograph::sim {

/// Allocator that asks for large pages for arrays larger than half a page, and aligns others to cache lines of the
/// host. Chases through large caches access the simulation's arrays at random; with 4 KiB pages each access would miss
/// the host's TLB.
template <typename T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <typename Other>
  explicit(false) LargePages(const LargePages<Other>& /*other*/) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    const bool large = bytes > page / 2;
    const std::size_t alignment = large ? page : cache_line;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, rounded);
    if (memory == nullptr) throw std::bad_alloc();
    if (large) madvise(memory, rounded, MADV_HUGEPAGE);  // only for speed: may fail
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t /*count*/) { std::free(memory); }

  template <typename Other>
  bool operator==(const LargePages<Other>& /*other*/) const {
    return true;
  }

 private:
  static constexpr std::size_t cache_line = 64;
  static constexpr std::size_t page = std::size_t{2} << 20;
};

/// A vector for random access.
template <typename T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace tomograph::sim

#endif
