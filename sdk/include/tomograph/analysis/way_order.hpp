#ifndef TOMOGRAPH_ANALYSIS_WAY_ORDER_HPP
#define TOMOGRAPH_ANALYSIS_WAY_ORDER_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Sets whose victims follow a fixed order of ways, whatever was loaded (Mei & Chu 2017, Fig. 11). Ways are numbered
/// from 0, in the order in which an empty set fills.
namespace tomograph::analysis {

/// The shortest order that `victims`, the ways of successive victims, repeat from the first one on. Empty if they
/// repeat none at least three times.
[[nodiscard]] std::vector<std::size_t> repeating_order(std::span<const std::size_t> victims);

/// How often each of `ways` ways is the victim, as a share. @throws std::invalid_argument if `order` is empty or names
/// a way beyond them.
[[nodiscard]] std::vector<double> shares_of_ways(std::span<const std::size_t> order, std::size_t ways);

/// Simulates a set and returns whether each access hits. `lines` identifies the line of each access. The set is empty
/// at first. @throws std::invalid_argument as shares_of_ways.
[[nodiscard]] std::vector<bool> way_order_hits(std::span<const std::int64_t> lines, std::size_t ways,
                                               std::span<const std::size_t> order);

}  // namespace tomograph::analysis

#endif
