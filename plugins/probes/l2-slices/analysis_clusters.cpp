#include "analysis_clusters.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/parallel.hpp"

namespace tomograph::l2_slices {

namespace {

/// To start a thread takes as long as to compare some ten lines with all centers, or what some SMs tell apart.
constexpr std::size_t lines_of_a_thread = 256;
constexpr std::size_t sms_of_a_thread = 8;

using Weights = std::vector<float>;  ///< by SM: one over the variance of a latency

Weights weights_of(std::span<const double> deviations) {
  Weights weights;
  for (const double one : deviations) weights.push_back(static_cast<float>(1 / (one * one)));
  return weights;
}

/// Exact up to `most`; above, some number above `most`, as soon as it is certain.
float squared_distance(std::span<const float> a, std::span<const float> b, const Weights& weights,
                       float most = std::numeric_limits<float>::max()) {
  constexpr std::size_t lanes = 8;          // independent sums, which compilers turn into vectors
  constexpr std::size_t block = 4 * lanes;  // between looks at the sum, each of which takes as long as four terms
  std::array<float, lanes> sums{};
  float sum = 0;
  std::size_t sm = 0;
  for (; sm + block <= a.size() && sum <= most; sm += block) {
    for (std::size_t i = 0; i < block; ++i) {
      const float difference = a[sm + i] - b[sm + i];
      sums[i % lanes] += difference * difference * weights[sm + i];
    }
    sum = std::accumulate(sums.begin(), sums.end(), 0.0F);
  }
  for (; sm < a.size() && sum <= most; ++sm) {
    const float difference = a[sm] - b[sm];
    sum += difference * difference * weights[sm];
  }
  return sum;
}

double chi_squared_above(std::size_t freedom, double probability) {
  return quantile(complement(boost::math::chi_squared(static_cast<double>(freedom)), probability));
}

/// Squared distance from its center that one of `lines` exceeds by chance with probability `false_alarm`.
double reach(std::size_t sms, std::size_t lines) {
  return chi_squared_above(sms, false_alarm / static_cast<double>(lines));
}

/// Factor by which variances exceed those that the repeats show, from the nearest neighbours of some lines. The nearest
/// of n lines of the same cluster lies at the 1/(n + 1) quantile of twice chi-squared.
double neighbour_excess(const LatencyTable& table, const Weights& weights) {
  constexpr std::size_t sampled = 64;  // the median of 64 lies between the 38 and 62 % quantiles in 19 of 20 cases
  // Of a line in a large cluster: the factor errs upwards for smaller ones.
  constexpr double neighbours = 64;
  std::vector<double> nearest;
  const std::size_t step = std::max<std::size_t>(table.lines() / sampled, 1);
  for (std::size_t line = 0; line < table.lines(); line += step) {
    float least = std::numeric_limits<float>::max();
    for (std::size_t other = 0; other < table.lines(); ++other) {
      if (other != line) least = std::min(least, squared_distance(table[line], table[other], weights, least));
    }
    nearest.push_back(least);
  }
  const boost::math::chi_squared distribution(static_cast<double>(table.sms()));
  return std::max(1.0, analysis::median(nearest) / (2 * quantile(distribution, 1 / (neighbours + 1))));
}

std::vector<float> mean_of(const LatencyTable& table, std::span<const std::size_t> lines) {
  std::vector<double> sum(table.sms());
  for (const std::size_t line : lines) {
    for (std::size_t sm = 0; sm < table.sms(); ++sm) sum[sm] += table[line][sm];
  }
  std::vector<float> mean;
  for (const double one : sum) mean.push_back(static_cast<float>(one / static_cast<double>(lines.size())));
  return mean;
}

std::vector<std::size_t> within(const LatencyTable& table, std::span<const std::size_t> lines,
                                std::span<const float> center, const Weights& weights, double squared) {
  std::vector<std::size_t> found;
  for (const std::size_t line : lines) {
    if (squared_distance(table[line], center, weights, static_cast<float>(squared)) <= squared) found.push_back(line);
  }
  return found;
}

/// Centers of groups of at least two lines, each around the first line that no earlier group has taken.
std::vector<std::vector<float>> leaders(const LatencyTable& table, const Weights& weights, double squared) {
  std::vector<std::vector<float>> centers;
  std::vector<std::size_t> left(table.lines());
  std::iota(left.begin(), left.end(), std::size_t{0});
  while (!left.empty()) {
    auto members = within(table, left, table[left.front()], weights, 2 * squared);
    const std::vector<float> center = mean_of(table, members);
    auto closer = within(table, left, center, weights, squared * (1 + 1 / static_cast<double>(members.size())));
    if (closer.size() > 1) centers.push_back(mean_of(table, closer));
    if (!std::ranges::binary_search(closer, left.front())) closer.insert(closer.begin(), left.front());
    std::vector<std::size_t> rest;
    std::ranges::set_difference(left, closer, std::back_inserter(rest));
    left = std::move(rest);
  }
  return centers;
}

/// The nearest center of each line.
struct Nearest {
  std::vector<int> center;
  std::vector<float> squared;
};

/// Another center, and its squared distance.
struct Neighbour {
  float apart;
  std::size_t center;
};

/// The neighbours of each center, the nearest first.
std::vector<std::vector<Neighbour>> neighbours_of(const std::vector<std::vector<float>>& centers,
                                                  const Weights& weights) {
  std::vector<std::vector<Neighbour>> neighbours(centers.size());
  for (std::size_t one = 0; one < centers.size(); ++one) {
    for (std::size_t other = 0; other < one; ++other) {
      const float apart = squared_distance(centers[one], centers[other], weights);
      neighbours[one].push_back({apart, other});
      neighbours[other].push_back({apart, one});
    }
  }
  for (auto& own : neighbours) std::ranges::sort(own, {}, &Neighbour::apart);
  return neighbours;
}

/// Begins at a center that is nearly as far from the first one as the line is, and goes on to others, each nearer to
/// the line than the one before, or as near and of a lower number.
Nearest nearest(const LatencyTable& table, const std::vector<std::vector<float>>& centers, const Weights& weights) {
  // A center that is twice as far from the best one as the line is cannot be nearer to it (triangle inequality). The
  // hundredth is more than the error of single precision.
  constexpr float twice_squared = 4.01F;
  Nearest found{std::vector<int>(table.lines(), no_cluster),
                std::vector<float>(table.lines(), std::numeric_limits<float>::max())};
  if (centers.empty()) return found;
  const auto neighbours = neighbours_of(centers, weights);
  in_parallel(table.lines(), lines_of_a_thread, [&](std::size_t line) {
    const float from_first = squared_distance(table[line], centers.front(), weights);
    const auto guess = std::ranges::lower_bound(neighbours.front(), from_first, {}, &Neighbour::apart);
    std::size_t best = guess == neighbours.front().begin() ? 0 : std::prev(guess)->center;
    float least = squared_distance(table[line], centers[best], weights);
    const auto is_nearer = [&](const Neighbour& other) {
      const float squared = squared_distance(table[line], centers[other.center], weights, least);
      if (squared > least || (squared == least && other.center > best)) return false;
      least = squared;
      return true;
    };
    for (auto next = neighbours[best].begin(); next != neighbours[best].end();) {
      if (next->apart > twice_squared * least) break;
      if (!is_nearer(*next++)) continue;
      best = std::prev(next)->center;
      next = neighbours[best].begin();
    }
    found.center[line] = static_cast<int>(best);
    found.squared[line] = least;
  });
  return found;
}

/// Lines of each center, without those that are too far from it.
std::vector<std::vector<std::size_t>> members_of(const Nearest& found, std::size_t centers, double squared) {
  std::vector<std::vector<std::size_t>> members(centers);
  for (std::size_t line = 0; line < found.center.size(); ++line) {
    if (found.squared[line] <= squared) members[static_cast<std::size_t>(found.center[line])].push_back(line);
  }
  return members;
}

/// Standard deviations within clusters by SM, not less than `least`.
std::vector<double> scatter_of(const LatencyTable& table, const std::vector<std::vector<std::size_t>>& members,
                               const std::vector<std::vector<float>>& centers, std::span<const double> least) {
  std::vector<double> squares(table.sms());
  double freedom = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (const std::size_t line : members[i]) {
      for (std::size_t sm = 0; sm < table.sms(); ++sm) {
        const double difference = static_cast<double>(table[line][sm] - centers[i][sm]);
        squares[sm] += difference * difference;
      }
    }
    freedom += static_cast<double>(std::max<std::size_t>(members[i].size(), 1) - 1);
  }
  std::vector<double> scatter;
  for (std::size_t sm = 0; sm < table.sms(); ++sm) {
    scatter.push_back(std::max(freedom > 0 ? std::sqrt(squares[sm] / freedom) : 0, least[sm]));
  }
  return scatter;
}

/// Squared distance of two centers that confuses one of `lines` lines with probability `false_alarm`: a line is nearer
/// to the wrong one with the probability that a normal exceeds half of the distance.
double distinct(std::size_t lines) {
  const double half =
      quantile(complement(boost::math::normal(), std::min(false_alarm / static_cast<double>(lines), 0.5)));
  return 4 * half * half;
}

/// Replaces each center by the mean of its lines, drops those without a second line, and unites those that are not
/// distinct.
std::vector<std::vector<float>> refined(const LatencyTable& table, const std::vector<std::vector<std::size_t>>& members,
                                        const Weights& weights) {
  const double least = distinct(table.lines());
  std::vector<std::vector<float>> centers;
  std::vector<std::vector<std::size_t>> lines;
  for (const auto& own : members) {
    if (own.size() < 2) continue;
    const auto center = mean_of(table, own);
    const auto same = std::ranges::find_if(
        centers, [&](const auto& other) { return squared_distance(center, other, weights) < least; });
    if (same == centers.end()) {
      centers.push_back(center);
      lines.push_back(own);
      continue;
    }
    auto& united = lines[static_cast<std::size_t>(same - centers.begin())];
    united.insert(united.end(), own.begin(), own.end());
    *same = mean_of(table, united);
  }
  return centers;
}

double least_separation(const std::vector<std::vector<float>>& centers, const Weights& weights) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < centers.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      least = std::min<double>(least, squared_distance(centers[i], centers[j], weights));
    }
  }
  return std::sqrt(least);
}

/// Two clusters, and how far they are from each other.
struct Link {
  double distance;
  std::size_t one;
  std::size_t other;
};

std::vector<Link> links_of(const Clusters& clusters) {
  const Weights weights = weights_of(clusters.scatter);
  std::vector<std::vector<float>> centers;
  for (const auto& center : clusters.centers) centers.emplace_back(center.begin(), center.end());
  std::vector<Link> links;
  for (std::size_t i = 0; i < centers.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      links.push_back({std::sqrt(static_cast<double>(squared_distance(centers[i], centers[j], weights))), i, j});
    }
  }
  std::ranges::sort(links, {}, &Link::distance);
  return links;
}

/// The group of each of `count` clusters, if those nearer than `limit` are united, and the distances at which that
/// happened, ascending.
struct United {
  std::vector<std::size_t> group;
  std::vector<double> distances;
};

United united_below(const std::vector<Link>& links, std::size_t count, double limit) {
  United united{std::vector<std::size_t>(count), {}};
  auto& group = united.group;
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (const auto& [distance, one, other] : links) {
    if (distance >= limit) break;
    if (group[one] == group[other]) continue;
    united.distances.push_back(distance);
    std::ranges::replace(group, std::size_t{group[one]}, std::size_t{group[other]});
  }
  return united;
}

/// A distance in the middle of the widest gap, as a ratio, that begins at less than `limit`; 0 if all are farther.
double widest_gap(const std::vector<double>& distances, double limit) {
  double ratio = 0;
  double middle = 0;
  for (std::size_t i = 0; i + 1 < distances.size() && distances[i] < limit; ++i) {
    const double own = distances[i + 1] / distances[i];
    if (own <= ratio) continue;
    ratio = own;
    middle = std::sqrt(distances[i] * distances[i + 1]);
  }
  return middle;
}

/// Two centers that the chosen SMs do not tell apart, and their squared distance by these.
struct CloseCenters {
  std::size_t one;
  std::size_t other;
  double squared = 0;
};

std::vector<CloseCenters> all_pairs(std::size_t centers) {
  std::vector<CloseCenters> pairs;
  for (std::size_t i = 0; i < centers; ++i) {
    for (std::size_t j = 0; j < i; ++j) pairs.push_back({i, j});
  }
  return pairs;
}

/// Latencies of the centers, by SM and center.
std::vector<std::vector<double>> latencies_by_sm(const Clusters& clusters) {
  std::vector<std::vector<double>> latencies(clusters.scatter.size());
  for (const auto& center : clusters.centers) {
    for (std::size_t sm = 0; sm < latencies.size(); ++sm) latencies[sm].push_back(center[sm]);
  }
  return latencies;
}

}  // namespace

std::vector<std::size_t> Clusters::populations() const {
  std::vector<std::size_t> counts(centers.size());
  for (const int one : of_line) {
    if (one != no_cluster) ++counts[static_cast<std::size_t>(one)];
  }
  return counts;
}

std::size_t Clusters::unclustered() const { return static_cast<std::size_t>(std::ranges::count(of_line, no_cluster)); }

Clusters find_clusters(const LatencyTable& table) {
  const double squared = reach(table.sms(), table.lines());
  Weights weights = weights_of(table.noise());
  const double generous = squared * neighbour_excess(table, weights);
  auto centers = leaders(table, weights, generous);
  Clusters clusters{.scatter = table.noise()};
  constexpr int passes = 3;  // the second one sees the true scatter, the third one its clusters
  for (int pass = 0; pass < passes && !centers.empty(); ++pass) {
    const auto members = members_of(nearest(table, centers, weights), centers.size(), pass == 0 ? generous : squared);
    clusters.scatter = scatter_of(table, members, centers, table.noise());
    weights = weights_of(clusters.scatter);
    centers = refined(table, members, weights);
  }
  // All centers have one latency for each SM, so their sums order them as their means do.
  std::ranges::sort(centers, {}, [](const auto& center) { return std::accumulate(center.begin(), center.end(), 0.0); });
  const Nearest found = nearest(table, centers, weights);
  for (std::size_t line = 0; line < table.lines(); ++line) {
    clusters.of_line.push_back(found.squared[line] <= squared ? found.center[line] : no_cluster);
  }
  for (const auto& center : centers) clusters.centers.emplace_back(center.begin(), center.end());
  double excess = 0;
  for (std::size_t sm = 0; sm < table.sms(); ++sm) {
    excess += std::pow(clusters.scatter[sm] / table.noise()[sm], 2);
  }
  clusters.excess = excess / static_cast<double>(table.sms());
  clusters.separation = least_separation(centers, weights);
  return clusters;
}

SureClusters sure_clusters(const Clusters& clusters) {
  const auto links = links_of(clusters);
  const std::size_t all = clusters.centers.size();
  const double most = 2 * std::sqrt(distinct(clusters.of_line.size()));
  const auto meetings = united_below(links, all, std::numeric_limits<double>::infinity()).distances;
  SureClusters sure{.separation = widest_gap(meetings, most)};
  const auto group = united_below(links, all, sure.separation).group;
  std::vector<std::size_t> names = group;
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::size_t one : group) {
    sure.of_cluster.push_back(static_cast<std::size_t>(std::ranges::lower_bound(names, one) - names.begin()));
  }
  sure.count = names.size();
  return sure;
}

std::vector<std::size_t> doubtful_lines(const Clusters& clusters) {
  const auto count = static_cast<double>(clusters.centers.size());
  const boost::math::poisson expected(static_cast<double>(clusters.of_line.size()) / std::max(count, 1.0));
  const auto populations = clusters.populations();
  std::vector<std::size_t> lines;
  for (std::size_t line = 0; line < clusters.of_line.size(); ++line) {
    const int own = clusters.of_line[line];
    const double population = own == no_cluster ? 0 : static_cast<double>(populations[static_cast<std::size_t>(own)]);
    if (own == no_cluster || cdf(expected, population) < false_alarm / count) lines.push_back(line);
  }
  return lines;
}

Clusters recentered(Clusters clusters, const LatencyTable& table, std::span<const int> known,
                    std::span<const std::size_t> sms) {
  std::vector<std::vector<std::size_t>> members(clusters.centers.size());
  for (std::size_t line = 0; line < known.size(); ++line) {
    if (known[line] != no_cluster) members[static_cast<std::size_t>(known[line])].push_back(line);
  }
  for (std::size_t cluster = 0; cluster < members.size(); ++cluster) {
    if (members[cluster].empty()) continue;
    const auto center = mean_of(table, members[cluster]);
    for (std::size_t i = 0; i < sms.size(); ++i) clusters.centers[cluster][sms[i]] = center[i];
  }
  return clusters;
}

std::vector<int> assign(const LatencyTable& table, const Clusters& clusters, std::span<const std::size_t> sms) {
  std::vector<double> deviations;
  for (std::size_t i = 0; i < sms.size(); ++i) {
    deviations.push_back(std::max(clusters.scatter[sms[i]], table.noise()[i]));
  }
  std::vector<std::vector<float>> centers;
  for (const auto& center : clusters.centers) {
    centers.emplace_back();
    for (const std::size_t sm : sms) centers.back().push_back(static_cast<float>(center[sm]));
  }
  const Nearest found = nearest(table, centers, weights_of(deviations));
  const double squared = reach(sms.size(), table.lines());
  std::vector<int> of_line;
  for (std::size_t line = 0; line < table.lines(); ++line) {
    of_line.push_back(found.squared[line] <= squared ? found.center[line] : no_cluster);
  }
  return of_line;
}

std::vector<int> majority(std::span<const int> first, std::span<const int> second, std::span<const int> third) {
  std::vector<int> clusters;
  for (std::size_t line = 0; line < first.size(); ++line) {
    const bool is_confirmed = first[line] == second[line] || first[line] == third[line];
    const bool is_refuted = second[line] == third[line];
    clusters.push_back(is_confirmed ? first[line] : is_refuted ? second[line] : no_cluster);
  }
  return clusters;
}

Clusters with_lines(const Clusters& clusters) {
  Clusters kept = clusters;
  kept.centers.clear();
  const auto populations = clusters.populations();
  std::vector<int> number(populations.size(), no_cluster);
  for (std::size_t cluster = 0; cluster < populations.size(); ++cluster) {
    if (populations[cluster] == 0) continue;
    number[cluster] = static_cast<int>(kept.centers.size());
    kept.centers.push_back(clusters.centers[cluster]);
  }
  for (int& cluster : kept.of_line) {
    if (cluster != no_cluster) cluster = number[static_cast<std::size_t>(cluster)];
  }
  return kept;
}

std::vector<std::size_t> distinguishing_sms(const Clusters& clusters, std::size_t lines) {
  const double enough = distinct(lines);
  const auto latencies = latencies_by_sm(clusters);
  std::vector<CloseCenters> close = all_pairs(clusters.centers.size());
  std::vector<std::size_t> chosen;
  std::vector<bool> is_chosen(clusters.scatter.size());
  const auto share = [&](const CloseCenters& pair, std::size_t sm) {
    const double difference = (latencies[sm][pair.one] - latencies[sm][pair.other]) / clusters.scatter[sm];
    return difference * difference;
  };
  const auto gain = [&](std::size_t sm) {
    double sum = 0;
    for (const CloseCenters& pair : close) sum += std::min(pair.squared + share(pair, sm), enough) - pair.squared;
    return sum;
  };
  while (chosen.size() < is_chosen.size() && (chosen.empty() || !close.empty())) {
    std::vector<double> gains(is_chosen.size(), -1);
    in_parallel(gains.size(), sms_of_a_thread, [&](std::size_t sm) {
      if (!is_chosen[sm]) gains[sm] = gain(sm);
    });
    const auto best = static_cast<std::size_t>(std::ranges::max_element(gains) - gains.begin());
    is_chosen[best] = true;
    chosen.push_back(best);
    for (CloseCenters& pair : close) pair.squared += share(pair, best);
    std::erase_if(close, [&](const CloseCenters& pair) { return pair.squared >= enough; });
  }
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace tomograph::l2_slices
