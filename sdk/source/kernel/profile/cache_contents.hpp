#ifndef TOMOGRAPH_KERNEL_PROFILE_CACHE_CONTENTS_HPP
#define TOMOGRAPH_KERNEL_PROFILE_CACHE_CONTENTS_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "tomograph/kernel/profile.hpp"

namespace tomograph::kernel {

/// Bit i is the parity of address & masks[i].
[[nodiscard]] std::uint64_t parities(std::uint64_t address, std::span<const std::uint64_t> masks);

/// The contents of a cache: lines of units, each of which is valid or not, and modified or not.
class CacheContents {
 public:
  /// `unit` is the number of bytes that a miss fetches. Without a size, nothing ever hits. If the size is no multiple
  /// of the sets, some sets have a way less than others.
  CacheContents(const CacheShape& shape, std::int64_t unit);

  struct Outcome {
    bool hit = false;
    std::int64_t written_back = 0;  ///< modified units of the evicted line
    double* ready = nullptr;        ///< when the line's data arrive, which the caller notes; null without a cache
  };
  /// Reads or writes unit number `unit`, and allocates it. Uses of a line right after one another, as those of the
  /// units of an instruction, count as one.
  Outcome use(std::uint64_t unit, bool writes);
  /// Reads the first `units` units of line number `line`, as `use` would one by one.
  void read_line(std::uint64_t line, std::uint64_t units);
  /// Lines that it holds.
  [[nodiscard]] std::uint64_t lines() const { return lines_.size(); }
  /// Those of them that have modified units.
  [[nodiscard]] std::uint64_t modified_lines() const { return modified_lines_; }

 private:
  struct Line {
    std::uint64_t valid = 0;
    std::uint64_t modified = 0;
    double ready = 0;
  };
  /// The ways at [first, first + ways) of the arrays below.
  struct Set {
    std::size_t first = 0;
    std::size_t ways = 0;
    std::uint64_t number = 0;
  };
  struct Place {
    Line* line = nullptr;
    std::int64_t written_back = 0;  ///< modified units of the line that was evicted for it
  };
  /// The place of line number `number`, which is loaded if need be.
  Place place(std::uint64_t number);
  [[nodiscard]] Set set_of(std::uint64_t line) const;
  /// These functions name a way by its position in the arrays.
  [[nodiscard]] std::size_t victim(const Set& set);
  /// Keeps what the policy notes of a use. `is_new`: the line has just been loaded.
  void note_use(const Set& set, std::size_t way, bool is_new);
  void protect(const Set& set, std::size_t way);

  CacheShape shape_;
  std::uint64_t units_per_line_;
  std::uint64_t sets_ = 0;
  std::vector<Line> lines_;
  /// Of `lines_`, apart from them since a search reads those of all ways: numbers, and when each was used last, or
  /// loaded (FIFO), plus `is_protected`; 0: the way is empty.
  std::vector<std::uint64_t> numbers_;
  std::vector<std::uint64_t> used_;
  std::vector<std::vector<bool>> trees_;  ///< of tree-PLRU, by set: whether the right half of a node is the older one
  std::uint64_t last_ = ~std::uint64_t{0};
  std::uint64_t clock_ = 0;
  std::uint64_t modified_lines_ = 0;
  std::uint32_t draws_ = 0;
};

}  // namespace tomograph::kernel

#endif
