#include "tomograph/analysis/tree_plru.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <stdexcept>

namespace tomograph::analysis {

namespace {

/// The binary tree, stored as an array: node n has the children 2n and 2n + 1, and the leaves are `ways` and above.
class Tree {
 public:
  explicit Tree(std::size_t ways) : older_is_right_(ways, false) {}

  void use(std::size_t way) {
    for (std::size_t node = way + older_is_right_.size(); node > 1; node /= 2)
      older_is_right_[node / 2] = node % 2 == 0;
  }

  [[nodiscard]] std::size_t oldest() const {
    std::size_t node = 1;
    while (node < older_is_right_.size()) node = 2 * node + (older_is_right_[node] ? 1 : 0);
    return node - older_is_right_.size();
  }

 private:
  std::vector<bool> older_is_right_;
};

/// `filled` ways hold other lines at first; the others are filled in order from `first_way` on.
std::vector<bool> hits_of(std::span<const std::int64_t> lines, std::size_t ways, std::size_t filled,
                          std::size_t first_way) {
  if (!std::has_single_bit(ways)) throw std::invalid_argument("a tree over ways needs a power of two of them");
  if (first_way >= ways) throw std::invalid_argument("the first way is none of them");
  Tree tree(ways);
  std::vector<std::optional<std::int64_t>> held(ways);
  std::vector<bool> hits;
  for (const std::int64_t line : lines) {
    auto way = static_cast<std::size_t>(std::ranges::find(held, std::optional(line)) - held.begin());
    hits.push_back(way < ways);
    if (!hits.back()) {
      way = filled < ways ? (first_way + filled++) % ways : tree.oldest();
      held[way] = line;
    }
    tree.use(way);
  }
  return hits;
}

}  // namespace

std::vector<bool> tree_plru_hits(std::span<const std::int64_t> lines, std::size_t ways, std::size_t first_way) {
  return hits_of(lines, ways, 0, first_way);
}

std::vector<bool> tree_plru_hits_when_full(std::span<const std::int64_t> lines, std::size_t ways) {
  return hits_of(lines, ways, ways, 0);
}

}  // namespace tomograph::analysis
