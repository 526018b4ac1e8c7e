#include "analysis_levels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::instruction_cache {

namespace {

/// Latencies of one level are within a tenth of each other, for most of the blocks. Of two levels in equal parts no
/// median has most blocks near it.
constexpr double likeness = 0.1;
constexpr double most = 0.6;
/// Blocks of the last level may scatter more, since they come from slices of L2 that are near and far: by 17 % from the
/// median on one H100. They are one level if their latencies stay as they are while the footprint grows by half.
/// Between two levels they change: a cache of two ways or more goes from hits to misses within that.
constexpr double longest_change = 1.5;
/// Footprints at the end of the walks that may be off the last plateau: a footprint is off by chance if two of its
/// three trials were disturbed.
constexpr std::size_t stray_footprints = 2;
/// Share of blocks that may miss or hit by chance. Chosen by hand.
constexpr double hardly_any = 0.01;

bool alike(double a, double b) { return std::abs(a - b) <= likeness * std::min(a, b); }

/// Footprints from `first` to `last` of the same latency.
struct Plateau {
  std::size_t first = 0;
  std::size_t last = 0;
  std::vector<double> medians;

  [[nodiscard]] double latency() const { return analysis::median(medians); }
};

std::optional<double> flat_median(const Footprint& footprint) {
  if (footprint.latencies.empty()) return std::nullopt;
  const double median = analysis::median(footprint.latencies);
  const auto near = std::ranges::count_if(footprint.latencies, [&](double one) { return alike(one, median); });
  const bool flat = static_cast<double>(near) >= most * static_cast<double>(footprint.latencies.size());
  return flat ? std::optional(median) : std::nullopt;
}

using Deciles = std::array<double, 9>;

Deciles deciles(const Footprint& footprint) {
  Deciles all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = analysis::quantile(footprint.latencies, static_cast<double>(i + 1) / static_cast<double>(all.size() + 1));
  }
  return all;
}

/// Which footprints lie among ones of the same latencies, from a first one to one that is larger by half.
std::vector<bool> lasting(std::span<const Footprint> footprints) {
  std::vector<Deciles> all;
  for (const Footprint& footprint : footprints) all.push_back(deciles(footprint));
  std::vector<bool> lasts(footprints.size(), false);
  for (std::size_t first = 0; first < footprints.size(); ++first) {
    std::size_t last = first;
    while (last + 1 < footprints.size() && std::ranges::equal(all[first], all[last + 1], alike)) ++last;
    const auto growth = static_cast<double>(footprints[last].bytes) / static_cast<double>(footprints[first].bytes);
    for (std::size_t i = first; growth >= longest_change && i <= last; ++i) lasts[i] = true;
  }
  return lasts;
}

std::vector<Plateau> find_plateaus(std::span<const Footprint> footprints) {
  const std::vector<bool> lasts = lasting(footprints);
  std::vector<Plateau> plateaus;
  for (std::size_t i = 0; i < footprints.size(); ++i) {
    const auto median =
        lasts[i] ? std::optional(analysis::median(footprints[i].latencies)) : flat_median(footprints[i]);
    if (!median) continue;
    if (!plateaus.empty() && alike(plateaus.back().latency(), *median)) {
      plateaus.back().last = i;
      plateaus.back().medians.push_back(*median);
    } else {
      plateaus.push_back({i, i, {*median}});
    }
  }
  std::erase_if(plateaus, [](const Plateau& plateau) { return plateau.medians.size() < 2; });
  return plateaus;
}

double miss_share(const Footprint& footprint, double threshold) {
  const auto misses = std::ranges::count_if(footprint.latencies, [&](double one) { return one > threshold; });
  return static_cast<double>(misses) / static_cast<double>(footprint.latencies.size());
}

Level between(std::span<const Footprint> footprints, const Plateau& near, const Plateau& far) {
  Level level{.latency = near.latency(), .behind = far.latency()};
  const double threshold = (level.latency + level.behind) / 2;
  level.all_fit = footprints[near.first].bytes;
  level.none_fit = footprints[far.last].bytes;
  double below = 0;
  double below_share = 0;
  for (std::size_t i = near.first; i <= far.last; ++i) {
    const double share = miss_share(footprints[i], threshold);
    const auto bytes = static_cast<double>(footprints[i].bytes);
    if (share <= hardly_any) level.all_fit = footprints[i].bytes;
    if (share < 1 - hardly_any && i < far.last) level.none_fit = footprints[i + 1].bytes;
    if (level.size == 0 && share >= 0.5) {
      const double part = i == near.first ? 0 : (0.5 - below_share) / (share - below_share);
      level.size = static_cast<std::int64_t>(std::lround(below + part * (bytes - below)));
    }
    below = bytes;
    below_share = share;
  }
  return level;
}

/// Whether lines of this many blocks explain the hits.
bool explains(std::size_t line, const std::vector<bool>& found_before) {
  for (std::size_t place = 0; place < found_before.size(); ++place) {
    if (found_before[place] != (place % line != 0)) return false;
  }
  return true;
}

}  // namespace

std::vector<Level> find_levels(std::span<const Footprint> footprints) {
  const std::vector<Plateau> plateaus = find_plateaus(footprints);
  std::vector<Level> levels;
  if (plateaus.empty() || plateaus.back().last + 1 + stray_footprints < footprints.size()) return levels;
  for (std::size_t i = 0; i + 1 < plateaus.size(); ++i) {
    levels.push_back(between(footprints, plateaus[i], plateaus[i + 1]));
    if (!(levels.back().penalty() > 0)) return {};
  }
  return levels;
}

bool ends_in_l2(std::span<const Level> levels, double l2_latency) {
  return !levels.empty() && levels.back().behind >= l2_latency / 2;
}

std::vector<std::string> names_of(std::size_t levels) {
  const std::array<std::string, 3> names{"instruction_l0", "instruction_l1", "instruction_l15"};
  const std::size_t first = levels >= names.size() ? 0 : names.size() - std::max<std::size_t>(levels, 2);
  return {names.begin() + static_cast<std::ptrdiff_t>(first), names.end()};
}

std::vector<bool> found_before(std::span<const double> medians, double penalty) {
  const auto places = static_cast<std::size_t>(std::sqrt(static_cast<double>(medians.size())));
  std::vector<bool> found;
  for (std::size_t fetched = 0; fetched < places; ++fetched) {
    const std::size_t before = (fetched + places - 1) % places;
    const double hit = medians[fetched * places + fetched];
    found.push_back(medians[fetched * places + before] < hit + penalty / 2);
  }
  return found;
}

std::optional<std::int64_t> line_blocks(const std::vector<bool>& found_before) {
  for (std::size_t line = 1; line <= found_before.size(); line *= 2) {
    if (explains(line, found_before)) return static_cast<std::int64_t>(line);
  }
  return std::nullopt;
}

}  // namespace tomograph::instruction_cache
