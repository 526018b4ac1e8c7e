#ifndef TOMOGRAPH_SIM_CHASE_LARGE_PAGES_HPP
#define TOMOGRAPH_SIM_CHASE_LARGE_PAGES_HPP

#include <sys/mman.h>

#include <cstddef>
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
    const std::size_t boundary = alignment(count);
    const std::size_t rounded = (count * sizeof(T) + boundary - 1) / boundary * boundary;
    void* memory = ::operator new (rounded, std::align_val_t{boundary});
    if (boundary == page) madvise(memory, rounded, MADV_HUGEPAGE);  // only for speed: may fail
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) { ::operator delete (memory, std::align_val_t{alignment(count)}); }

  template <typename Other>
  bool operator==(const LargePages<Other>& /*other*/) const {
    return true;
  }

 private:
  static constexpr std::size_t cache_line = 64;
  static constexpr std::size_t page = std::size_t{2} << 20;

  static std::size_t alignment(std::size_t count) { return count * sizeof(T) > page / 2 ? page : cache_line; }
};

/// A vector for random access.
template <typename T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace tomograph::sim

#endif
