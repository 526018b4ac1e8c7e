#ifndef TOMOGRAPH_L2_SLICES_ACQUIRE_LINES_HPP
#define TOMOGRAPH_L2_SLICES_ACQUIRE_LINES_HPP

#include <cstdint>
#include <vector>

#include "analysis_clusters.hpp"
#include "analysis_contention.hpp"
#include "tomograph/l2_lines.hpp"
#include "tomograph/session.hpp"

namespace tomograph::l2_slices {

/// The lines that experiments load: some of a few pages of memory, which L2 holds together.
struct Field {
  l2_lines::Memory memory;
  std::int64_t lines_at_once = 0;  ///< of an experiment: a quarter of what L2 holds, so that no set overflows

  /// For an L2 of `l2_bytes`.
  Field(std::int64_t line_size, std::int64_t l2_bytes);
  /// Lines of a page, in their order, in parts for an experiment each.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> page(std::int64_t page) const;
  /// At most `count` lines of a page, and no more than an experiment may have, chosen at random, in their order.
  [[nodiscard]] std::vector<std::int64_t> sample(std::size_t count, std::int64_t page) const;
};

/// Latencies of `lines` from these SMs, all if there are none. `trial` tells repetitions apart. Throws as Session::ask.
[[nodiscard]] LatencyTable time_lines(const Session& session, const Field& field,
                                      const std::vector<std::int64_t>& lines, const std::vector<std::int64_t>& sms,
                                      std::int64_t trial = 0);

/// Sets of lines that SMs load together.
struct Loading {
  std::vector<std::vector<std::int64_t>> sets;
  std::vector<std::int64_t> sms = {};  ///< empty: all
  std::int64_t trial = 0;
  bool atomic = false;  ///< additions in place of loads
};

/// Loads per cycle of these SMs together, for each set. Throws as Session::ask.
[[nodiscard]] std::vector<double> rates_of(const Session& session, const Field& field, const Loading& loading);

}  // namespace tomograph::l2_slices

#endif
