#include "tomograph/tlb/lines.hpp"

#include <stdexcept>

#include "tomograph/tlb/walk.hpp"

namespace tomograph::tlb {

Lines::Lines(std::int64_t line, std::int64_t count, std::int64_t first, std::int64_t visits)
    : line_(line), count_(count), next_(first) {
  taken_.reserve(static_cast<std::size_t>(visits));
}

std::int64_t Lines::next(std::int64_t page) {
  for (std::int64_t tried = 0; tried < count_; ++tried) {
    const std::int64_t offset = page + line_of_visit(next_++, count_) * line_;
    if (taken_.insert(offset).second) return offset;
  }
  // Successive numbers leave some lines out.
  for (std::int64_t line = 0; line < count_; ++line) {
    if (taken_.insert(page + line * line_).second) return page + line * line_;
  }
  throw std::invalid_argument("a page is visited more often than it has lines");
}

}  // namespace tomograph::tlb
