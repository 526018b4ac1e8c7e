#ifndef TOMOGRAPH_ANALYSIS_TREE_PLRU_HPP
#define TOMOGRAPH_ANALYSIS_TREE_PLRU_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tomograph::analysis {

/// Simulates a set with tree-PLRU replacement and returns whether each access hits. `lines` identifies the line of each
/// access. The set is empty at first and fills its ways in order from `first_way` on, cyclically; `first_way` is not 0
/// if other lines came before.
///
/// Tree-PLRU (Al-Zoubi, Milenkovic & Milenkovic, ACM-SE 2004) keeps one bit per node of a binary tree over the ways:
/// the half that was used longer ago. An access turns the bits on its path away from it; a victim is found by following
/// them. @throws std::invalid_argument if `ways` is no power of two or `first_way` is not below it.
[[nodiscard]] std::vector<bool> tree_plru_hits(std::span<const std::int64_t> lines, std::size_t ways,
                                               std::size_t first_way = 0);

/// The same for a set that is full of other lines at first. Whatever its bits are, swapping halves of the tree makes
/// them all alike, so that the result does not depend on them. @throws std::invalid_argument as tree_plru_hits.
[[nodiscard]] std::vector<bool> tree_plru_hits_when_full(std::span<const std::int64_t> lines, std::size_t ways);

}  // namespace tomograph::analysis

#endif
