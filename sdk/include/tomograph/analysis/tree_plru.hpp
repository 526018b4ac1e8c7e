#ifndef TOMOGRAPH_ANALYSIS_TREE_PLRU_HPP
#define TOMOGRAPH_ANALYSIS_TREE_PLRU_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tomograph::analysis {

/// Whether each access of a set with tree-PLRU replacement hits (Al-Zoubi, Milenkovic & Milenkovic, ACM-SE 2004): one
/// bit per node of a binary tree over the ways says which half was used longer ago; an access turns the bits on its
/// path away from it, a victim is found by following them. The set holds none of `lines` at first and takes them in
/// from `first_way` on, round to the way before it: another one than 0 if lines that are not among these came before.
/// `lines` are any numbers that tell lines apart. @throws std::invalid_argument if `ways` is no power of two or has no
/// such first way.
[[nodiscard]] std::vector<bool> tree_plru_hits(std::span<const std::int64_t> lines, std::size_t ways,
                                               std::size_t first_way = 0);

}  // namespace tomograph::analysis

#endif
