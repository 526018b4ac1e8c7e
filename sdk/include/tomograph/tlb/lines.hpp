#ifndef TOMOGRAPH_TLB_LINES_HPP
#define TOMOGRAPH_TLB_LINES_HPP

#include <cstdint>
#include <memory_resource>
#include <unordered_set>

namespace tomograph::tlb {

/// Chooses a line for each visit of a page: another one each time, none twice.
class Lines {
 public:
  /// Of pages of `count` lines of `line` bytes, for `visits` visits in all, numbered from `first` on.
  Lines(std::int64_t line, std::int64_t count, std::int64_t first, std::int64_t visits);

  /// The offset of the next visit's line, of the page at this offset. @throws std::invalid_argument if it has no line
  /// left.
  [[nodiscard]] std::int64_t next(std::int64_t page);

 private:
  std::int64_t line_;
  std::int64_t count_;
  std::int64_t next_;
  std::pmr::monotonic_buffer_resource memory_;  // allocations one by one took two fifths of the time
  std::pmr::unordered_set<std::int64_t> taken_{&memory_};
};

}  // namespace tomograph::tlb

#endif
