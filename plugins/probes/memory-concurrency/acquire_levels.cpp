#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "acquire_gather.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"

namespace tomograph::memory_concurrency {

namespace {

constexpr std::int64_t all_blocks = 32;  // one for each lane of a warp
/// Blocks of a load on the curves: a load of few blocks is short in the SM, yet all warps saturate what they share. One
/// SM alone needs more to saturate its port.
constexpr std::int64_t curve_blocks = 8;
constexpr std::int64_t port_blocks = 16;

/// Points of different loads that saturate: the most warps, and half and a quarter as many.
std::vector<Point> saturating(std::int64_t most_warps, bool writes = false) {
  std::vector<Point> points;
  for (std::int64_t warps = most_warps; warps >= std::max<std::int64_t>(most_warps / 4, 1); warps /= 2) {
    points.push_back({.warps = warps, .blocks = all_blocks, .writes = writes});
  }
  return points;
}

/// A load of few blocks needs company: half of the warps, since more loads take more registers, and half of that.
std::vector<Point> by_lines(std::int64_t most_warps) {
  constexpr std::int64_t loads = 4;  // of a warp in flight
  std::vector<Point> points;
  for (const std::int64_t element : {4, 16}) {
    for (std::int64_t blocks = 1; blocks <= all_blocks; blocks *= 2) {
      for (const std::int64_t warps : {most_warps / 4, most_warps / 2}) {
        points.push_back(
            {.warps = std::max<std::int64_t>(warps, 1), .blocks = blocks, .element = element, .loads = loads});
      }
    }
  }
  return points;
}

std::vector<Point> curve(const std::vector<std::int64_t>& rising, std::int64_t blocks) {
  std::vector<Point> points;
  for (const std::int64_t warps : rising) points.push_back({.warps = warps, .blocks = blocks});
  return points;
}

/// The fastest point of each element and number of blocks, which is published.
std::vector<std::size_t> fastest_of_shapes(std::span<const Point> points) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> best;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto [known, is_new] = best.try_emplace({points[i].element, points[i].blocks}, i);
    if (!is_new && points[i].rate() > points[known->second].rate()) known->second = i;
  }
  std::vector<std::size_t> positions;
  for (const auto& [shape, position] : best) positions.push_back(position);
  return positions;
}

std::vector<Point> measured_fastest(const Session& session, const Setting& setting, std::vector<Point> points,
                                    const std::string& evidence) {
  measure_counting(session, setting, points, fastest_of_shapes);
  session.evidence(evidence, columns(points));
  return points;
}

std::vector<Point> measured(const Session& session, const Setting& setting, std::vector<Point> points,
                            const std::string& evidence) {
  measure(session, setting, points);
  session.evidence(evidence, columns(points));
  return points;
}

/// What L2 and memory have in common: the saturated rate of all SMs and of one, the rates by lines, and the curve.
void find_level(const Session& session, const std::string& level, const Setting& everyone) {
  const auto rising = rising_warps(session);
  const std::string key = level + ".bandwidth.gather";
  const auto all = measured_fastest(session, everyone, saturating(rising.back()), key);
  publish_saturated(session, key, all, true, key);
  const std::string lines_key = key + "_by_lines";
  publish_by_lines(session, level, measured_fastest(session, everyone, by_lines(rising.back()), lines_key), lines_key);
  const std::string curve_key = level + ".queueing_curve";
  publish_queueing(session, level, measured(session, everyone, curve(rising, curve_blocks), curve_key), curve_key);
  Setting one = everyone;
  one.sms = {0};
  one.sm_number = 1;
  const std::string sm_key = key + "_per_sm";
  publish_saturated(session, sm_key, measured_fastest(session, one, saturating(rising.back()), sm_key), false, sm_key);
}

void find_stores(const Session& session, const std::string& level, const Setting& everyone) {
  const std::string key = level + ".bandwidth.scatter";
  const auto points = measured_fastest(session, everyone, saturating(rising_warps(session).back(), true), key);
  publish_saturated(session, key, points, true, key);
}

/// All SMs, which find what they use in L2.
Setting near(const Session& session) {
  return {.sm_number = session.needed<std::int64_t>("device.sm_count"),
          .footprint = near_footprint(session),
          .warm_passes = 1};
}

/// All SMs, which find next to nothing in L2.
Setting far(const Session& session) {
  return {.sm_number = session.needed<std::int64_t>("device.sm_count"), .footprint = far_footprint(session)};
}

void find_groups(const Session& session, const Setting& everyone) {
  constexpr const char* key = "l2.bandwidth.gather_by_group";
  using Groups = std::vector<std::vector<std::int64_t>>;
  const auto groups = session.fact<Groups>("constant_l15.sm_groups");
  if (!groups || groups->empty()) {
    return session.inconclusive(key, "it is unknown which SMs are neighbours: no groups share a constant cache");
  }
  const std::int64_t most = rising_warps(session).back();
  Value pairs = Value::list();
  std::vector<Point> all;
  double doubt = 0;
  for (const auto& group : *groups) {
    Setting setting = everyone;
    setting.sms = group;
    setting.sm_number = std::ssize(group);
    std::vector<Point> points{{.warps = most}};
    measure(session, setting, points);
    pairs.push_back(Value::list(group.size(), points.front().rate() * sector_bytes));
    doubt += doubt_of(points.front().rates());
    all.push_back(std::move(points.front()));
  }
  session.evidence(key, columns(all));
  session.publish({.key = key,
                   .value = std::move(pairs),
                   .method = "random-loads",
                   .confidence = confidence::not_negative(1 - doubt),
                   .samples = all.size() * static_cast<std::size_t>(repetitions),
                   .conditions = {{"pairs", "SMs of a group, bytes per cycle of their random loads"}},
                   .evidence = key});
}

}  // namespace

void find_l2(const Session& session) {
  const Setting everyone = near(session);
  find_level(session, "l2", everyone);
  Setting one = everyone;
  one.sms = {0};
  one.sm_number = 1;
  constexpr const char* noc_key = "noc.queueing_curve";
  publish_queueing(session, "noc", measured(session, one, curve(rising_warps(session), port_blocks), noc_key), noc_key);
  find_groups(session, everyone);
}

void find_dram(const Session& session) { find_level(session, "dram", far(session)); }

void find_l2_stores(const Session& session) { find_stores(session, "l2", near(session)); }

void find_dram_stores(const Session& session) { find_stores(session, "dram", far(session)); }

}  // namespace tomograph::memory_concurrency
