#include "analysis_sms.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::l2_slices {

namespace {

/// Squared differences of all pairs of SMs, in units of the noise.
class Differences {
 public:
  Differences(const Clusters& clusters, Difference kind) : sms_(clusters.scatter.size()), squared_(sms_ * sms_) {
    const auto populations = clusters.populations();
    for (std::size_t a = 0; a < sms_; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        squared_[a * sms_ + b] = squared_[b * sms_ + a] = between(clusters, populations, kind, a, b);
      }
    }
  }

  [[nodiscard]] std::size_t sms() const { return sms_; }
  [[nodiscard]] double operator()(std::size_t a, std::size_t b) const { return squared_[a * sms_ + b]; }
  [[nodiscard]] double nearest(std::size_t sm) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t other = 0; other < sms_; ++other) {
      if (other != sm) least = std::min(least, (*this)(sm, other));
    }
    return least;
  }

 private:
  static double between(const Clusters& clusters, const std::vector<std::size_t>& populations, Difference kind,
                        std::size_t a, std::size_t b) {
    const double variance = clusters.scatter[a] * clusters.scatter[a] + clusters.scatter[b] * clusters.scatter[b];
    double weights = 0;
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < populations.size(); ++i) {
      const double weight = static_cast<double>(populations[i]) / variance;
      const double difference = clusters.centers[i][a] - clusters.centers[i][b];
      weights += weight;
      sum += weight * difference;
      squares += weight * difference * difference;
    }
    return kind == Difference::none ? squares : squares - sum * sum / weights;
  }

  std::size_t sms_;
  std::vector<double> squared_;
};

/// Factor by which squared differences of SMs at the same place exceed those that scatter explains: from the nearest SM
/// of each, which is such a one for most of them.
double excess_of(const Differences& differences, double freedom) {
  std::vector<double> nearest;
  for (std::size_t sm = 0; sm < differences.sms(); ++sm) nearest.push_back(differences.nearest(sm));
  const boost::math::chi_squared expected(freedom);
  return std::max(1.0, analysis::median(nearest) / boost::math::median(expected));
}

/// The differences at which SMs unite as the limit rises, ascending: edges of a minimum spanning tree (Prim 1957).
std::vector<double> uniting_differences(const Differences& differences) {
  std::vector<double> edges;
  std::vector<double> nearest(differences.sms(), std::numeric_limits<double>::infinity());
  std::vector<bool> is_in(differences.sms());
  std::size_t last = 0;
  for (std::size_t joined = 1; joined < differences.sms(); ++joined) {
    is_in[last] = true;
    std::size_t next = differences.sms();
    for (std::size_t sm = 0; sm < differences.sms(); ++sm) {
      if (is_in[sm]) continue;
      nearest[sm] = std::min(nearest[sm], differences(last, sm));
      if (next == differences.sms() || nearest[sm] < nearest[next]) next = sm;
    }
    edges.push_back(nearest[next]);
    last = next;
  }
  std::ranges::sort(edges);
  return edges;
}

/// `squared`, or the middle of the widest gap between differences, as a ratio, that reaches within a factor of four of
/// it, if that gap is clear. Noise that is not normal made one of 660 differences twice as large as it should be, and
/// places that differ little may do so by less than `squared`: on an H100, by 2.6 times as much as the largest noise.
double within_gap(const Differences& differences, double squared) {
  constexpr double clear = 2;   // within noise, and among the places of an H100, gaps are of 1.8 at most
  constexpr double factor = 4;  // twice the excess of the largest noise
  const auto edges = uniting_differences(differences);
  const auto above = std::ranges::upper_bound(edges, squared);
  if (above == edges.begin() || above == edges.end()) return squared;
  const auto ratio_at = [](auto upper) { return *upper / *std::prev(upper); };
  auto widest = above;
  for (auto upper = std::next(edges.begin()); upper != edges.end(); ++upper) {
    if (*std::prev(upper) == 0 || *std::prev(upper) > factor * squared || *upper < squared / factor) continue;
    if (ratio_at(upper) > ratio_at(widest)) widest = upper;
  }
  if (widest == above || ratio_at(widest) < clear) return squared;
  return std::sqrt(*widest * *std::prev(widest));
}

/// The group of each SM: SMs within `squared` of each other, and of others of their group, are united.
std::vector<std::size_t> united(const Differences& differences, double squared) {
  std::vector<std::size_t> group(differences.sms());
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (std::size_t a = 0; a < group.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (differences(a, b) <= squared && group[a] != group[b]) std::ranges::replace(group, group[a], group[b]);
    }
  }
  return group;
}

/// SMs of a group.
using Part = std::vector<std::size_t>;

/// The two parts of a group that are farthest apart, and the squared difference of their mean latencies in units of the
/// noise: the parts that unite last where those unite first that differ least (Ward 1963). Differences of parts follow
/// from those of SMs (Lance, Williams 1967).
struct Halves {
  Part one;
  Part other;
  double squared = 0;
};
Halves halves_of(const Differences& differences, const Part& group) {
  std::vector<Part> parts;
  std::vector<std::vector<double>> squared;
  for (const std::size_t a : group) {
    parts.push_back({a});
    auto& row = squared.emplace_back();
    for (const std::size_t b : group) row.push_back(differences(a, b));
  }
  while (parts.size() > 2) {
    std::size_t one = 1;
    std::size_t other = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (squared[i][j] < squared[one][other]) std::tie(one, other) = std::pair(i, j);
      }
    }
    const double least = squared[one][other];
    const auto size = [&](std::size_t part) { return static_cast<double>(parts[part].size()); };
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i == one || i == other) continue;
      const double sum =
          (size(one) + size(i)) * squared[one][i] + (size(other) + size(i)) * squared[other][i] - size(i) * least;
      squared[other][i] = squared[i][other] = sum / (size(one) + size(other) + size(i));
    }
    parts[other].insert(parts[other].end(), parts[one].begin(), parts[one].end());
    const auto at = static_cast<std::ptrdiff_t>(one);
    parts.erase(parts.begin() + at);
    squared.erase(squared.begin() + at);
    for (auto& row : squared) row.erase(row.begin() + at);
  }
  return {parts[0], parts[1], squared[0][1]};
}

/// Splits groups whose halves differ by more than noise, although single SMs of them do not: means of several SMs
/// scatter less. The limit holds for each of the 2^(n-1) ways to split a group: chance exceeds it in any of the groups
/// with a probability of `false_alarm`. Halves of one SM are left to the pairs. Noise is neither normal nor the same at
/// all SMs: halves of an H200's group exceeded the limit once in 18 runs, those of two groups of an H100 by a factor of
/// three.
void split_groups(const Differences& differences, std::vector<std::size_t>& group, double excess, double freedom) {
  const std::set<std::size_t> names(group.begin(), group.end());
  std::vector<Part> open;
  for (const std::size_t name : names) {
    Part& part = open.emplace_back();
    for (std::size_t sm = 0; sm < group.size(); ++sm) {
      if (group[sm] == name) part.push_back(sm);
    }
  }
  constexpr double clear = 2;
  const auto groups = static_cast<double>(names.size());
  while (!open.empty()) {
    const Part part = std::move(open.back());
    open.pop_back();
    if (part.size() < 4) continue;
    const Halves halves = halves_of(differences, part);
    const double tail = false_alarm / groups / std::exp2(static_cast<double>(part.size()) - 1);
    const double limit = excess * quantile(complement(boost::math::chi_squared(freedom), tail));
    if (halves.squared <= clear * limit || std::min(halves.one.size(), halves.other.size()) < 2) continue;
    for (const Part& half : {halves.one, halves.other}) {
      for (const std::size_t sm : half) group[sm] = half.front();
      open.push_back(half);
    }
  }
}

/// Whether any two SMs of a group differ less than any two of different groups.
bool are_apart(const Differences& differences, const std::vector<std::size_t>& group) {
  double within = 0;
  double between = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < group.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (group[a] == group[b])
        within = std::max(within, differences(a, b));
      else
        between = std::min(between, differences(a, b));
    }
  }
  return within < between;
}

/// How many pairs of groups differ by less than `squared` if their latencies vary normally, as much as those of all
/// SMs of different groups.
double chance_pairs(const Differences& differences, const std::vector<std::size_t>& group, std::size_t groups,
                    double squared, double freedom) {
  std::vector<double> between;
  for (std::size_t a = 0; a < group.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (group[a] != group[b]) between.push_back(differences(a, b));
    }
  }
  if (between.empty()) return 0;
  const boost::math::chi_squared expected(freedom);
  const auto count = static_cast<double>(groups);
  return count * (count - 1) / 2 * cdf(expected, squared * boost::math::median(expected) / analysis::median(between));
}

}  // namespace

SmGroups sm_groups(const Clusters& clusters, Difference difference) {
  // Noise beyond the scatter is a tenth or two; SMs at different places differ by a hundred times as much.
  constexpr double most_excess = 4;
  const std::size_t count = clusters.centers.size();
  const auto sms = static_cast<double>(clusters.scatter.size());
  if (count < 2) return {{}, "fewer than two slices are told apart"};
  const Differences differences(clusters, difference);
  const auto freedom = static_cast<double>(difference == Difference::none ? count : count - 1);
  const double excess = excess_of(differences, freedom);
  if (excess > most_excess) return {{}, "most SMs are alone in their distances from the slices"};
  const double tail = false_alarm / std::max(sms * (sms - 1) / 2, 1.0);
  const double squared =
      within_gap(differences, excess * quantile(complement(boost::math::chi_squared(freedom), tail)));
  auto group = united(differences, squared);
  if (!are_apart(differences, group)) return {{}, "groups of SMs run into each other"};
  split_groups(differences, group, excess, freedom);
  SmGroups found;
  std::vector<std::size_t> number(group.size(), group.size());
  for (std::size_t sm = 0; sm < group.size(); ++sm) {
    if (number[group[sm]] == group.size()) {
      number[group[sm]] = found.groups.size();
      found.groups.emplace_back();
    }
    found.groups[number[group[sm]]].push_back(static_cast<std::int64_t>(sm));
  }
  if (found.groups.size() == 1) return {{}, "latencies do not tell SMs apart"};
  found.chance = chance_pairs(differences, group, found.groups.size(), squared, freedom);
  // Then the groups are wrong rather than right.
  constexpr double rather = 0.5;
  if (found.chance > rather) return {{}, "so few slices do not tell so many groups of SMs apart"};
  return found;
}

}  // namespace tomograph::l2_slices
