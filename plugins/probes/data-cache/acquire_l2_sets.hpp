#ifndef TOMOGRAPH_DATA_CACHE_ACQUIRE_L2_SETS_HPP
#define TOMOGRAPH_DATA_CACHE_ACQUIRE_L2_SETS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis_l2_sets.hpp"
#include "tomograph/l2_lines.hpp"
#include "tomograph/session.hpp"

/// Sets of an L2 whose lines do not overflow a page. Lines of many pages share its sets, wherever the pages lie.
namespace tomograph::data_cache {

/// Rounds of a search: analysis::GroupTesting::Setup. One suffices where hits renew a line's place. If there are more,
/// walks that a line should survive visit it, too: see Search::settling_.
struct Rounds {
  std::int64_t first = 1;
  std::int64_t most = 1;

  [[nodiscard]] bool visit_target() const { return first > 1; }
};

/// What the tests have in common.
struct EvictionSetting {
  l2_lines::Memory memory;
  std::vector<std::int64_t> sms;  ///< of one partition, or all that share the lines of L2
  std::int64_t partitions = 1;    ///< that keep copies of each other's lines
  std::int64_t limit = 0;         ///< cycles above which a load missed
  std::int64_t capacity_lines = 0;
  Rounds rounds = {};
};

/// Lines that share a set, one more than fit into it: together they miss, and without any one they fit.
using EvictionSet = std::vector<std::int64_t>;

/// About `wanted` eviction sets, verified, found by group testing among lines of all pages; none if the first two
/// searches fail. Throws as Session::ask.
[[nodiscard]] std::vector<EvictionSet> eviction_sets(const Session& session, const EvictionSetting& setting,
                                                     std::size_t wanted);

/// Lines of the pages, but for the first of each, that share a set with each eviction set.
struct SetMembers {
  /// By eviction set, ascending: lines that memory serves after walks over the set. If partitions keep copies, these
  /// are at home in the partition of the SMs.
  std::vector<std::vector<std::int64_t>> lines;
  std::vector<std::vector<std::int64_t>> copies;  ///< the same, of lines that another partition still holds
  std::size_t doubtful = 0;                       ///< lines that all trials evicted but one, not the first
};
[[nodiscard]] SetMembers members_of(const Session& session, const EvictionSetting& setting,
                                    const std::vector<EvictionSet>& sets);

/// Whether each of the last visits hits, by the majority of three trials.
[[nodiscard]] Visits visit(const Session& session, const EvictionSetting& setting,
                           const std::vector<std::int64_t>& lines, std::size_t last);

}  // namespace tomograph::data_cache

#endif
