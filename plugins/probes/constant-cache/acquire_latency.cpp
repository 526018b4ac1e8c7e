#include <algorithm>

#include "acquire_spectrum.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::constant_cache {

namespace {

/// Extra latency of the far partition of L2, if it is known.
std::optional<double> far_distance(const Session& session) {
  const auto near = session.fact<double>("l2.latency.near");
  const auto far = session.fact<double>("l2.latency.far");
  if (far && near) return *far - *near;
  if (session.fact<std::int64_t>("l2.partition.count") == 1) return 0;
  return std::nullopt;
}

/// Latency of the near partition of L2. Where no probe has found it, of the fastest tenth of some loads: slices lie at
/// different distances.
double near_l2(const Session& session, const cache::Executor& execute) {
  // Of four partitions, a quarter of the loads are near: less than a tenth of 128 in 2e-5 of the cases (binomial).
  constexpr double fastest = 0.1;
  const auto known = session.fact<double>("l2.latency.near");
  return known ? *known : analysis::quantile(global_loads(execute), fastest);
}

/// Bytes of constants that the L2 of any SM holds: half of a partition.
std::int64_t held_by_l2(const Session& session) {
  constexpr std::int64_t large = std::int64_t{64} << 20;  // for an unknown L2; an H200 has 60 MiB
  constexpr std::int64_t most_partitions = 4;             // of any L2; an H200 has two
  const auto partitions = session.fact<std::int64_t>("l2.partition.count").value_or(most_partitions);
  return session.fact<std::int64_t>("l2.nominal_size").value_or(large) / (2 * partitions);
}

/// Some of the SMs other than number `reader`, evenly spaced.
std::vector<std::int64_t> neighbours_of(std::span<const std::int64_t> sms, std::size_t reader) {
  // Hardly all share its second level, and if half of the SMs are far, all eight are in 0.4 % of the cases.
  constexpr std::size_t most = 8;
  const std::size_t count = std::min(most, sms.size() - 1);
  std::vector<std::int64_t> others;
  for (std::size_t i = 0; i < count; ++i) {
    others.push_back(sms[(reader + 1 + i * (sms.size() - 1) / count) % sms.size()]);
  }
  return others;
}

/// Loads that L2 served, on several SMs, which lie at different distances.
std::vector<Neighbour> l2_loads(const cache::Executor& execute, const Levels& levels, const ConstantSize& constants,
                                std::span<const std::int64_t> sms) {
  if (levels.ambiguity != Ambiguity::none) return {{0, levels.from_l2}};
  std::vector<Neighbour> all;
  for (std::size_t i = 0; i < sms.size(); ++i) {
    const auto sm = sms.subspan(i, 1);
    const auto loads = levels.source == FromL2::first_misses ? footprint_on(execute, levels.beyond_first, sm)
                       : levels.source == FromL2::large_footprint
                           ? all_constants_on(execute, constants, sm)
                           : after_neighbours(execute, constants.of_array, sms[i], neighbours_of(sms, i));
    auto served = served_by_l2(levels, loads);
    if (!served.empty()) all.push_back({sms[i], std::move(served)});
  }
  return all;
}

}  // namespace

void find_latencies(const Session& session) {
  const auto execute = cache::executor(session);
  const auto sms = some_sms(session.needed<std::int64_t>("device.sm_count"));
  const std::int64_t bytes = reach(execute);
  publish_reach(session, bytes);
  auto smallest = smallest_footprint(execute, session.needed<std::int64_t>("device.sm_count"));
  Spectrum spectrum{smallest.hits, sweep(execute, bytes),
                    after_neighbours(execute, bytes, 0, std::span(sms).subspan(1))};
  const auto far = far_distance(session);
  const double near = near_l2(session, execute);
  Levels levels = find_levels(spectrum, far, near);
  const ConstantSize constants{.of_array = bytes, .held_by_l2 = held_by_l2(session)};
  if (levels.beyond_first > 0 && !levels.second && !levels.as_slow_as_l2) {
    spectrum.reference = reference(execute, constants, levels.beyond_first);
    levels = find_levels(spectrum, far, near);
  }
  keep_evidence(session, spectrum);
  if (!levels.first && smallest.clock_is_coarse()) return publish_coarse_clock(session);
  if (!levels.first) return publish_no_cache(session);
  const auto from_l2 = l2_loads(execute, levels, constants, sms);
  smallest.threshold = levels.first;
  smallest.misses = levels.second || levels.ambiguity != Ambiguity::none ? levels.first_misses : all_of(from_l2);
  if (smallest.misses.empty()) smallest.misses = levels.from_l2;
  cache::publish_latencies(session, l1, smallest);
  publish_l2_latency(session, levels, from_l2);
  if (levels.second) {
    // It takes as long on every SM, or nearly.
    publish_second(session, levels, from_l2,
                   hits_of_second(levels, footprint_on(execute, levels.beyond_first, std::span(sms).subspan(1))));
  } else {
    publish_no_second(session, levels);
  }
}

}  // namespace tomograph::constant_cache
