#ifndef TOMOGRAPH_L2_SLICES_ANALYSIS_CLUSTERS_HPP
#define TOMOGRAPH_L2_SLICES_ANALYSIS_CLUSTERS_HPP

#include <cstddef>
#include <span>
#include <vector>

#include "latency_table.hpp"

/// Clusters of lines that are equally far from every SM.
namespace tomograph::l2_slices {

/// Probability that chance leaves a line of a table out of its cluster, or puts one into the wrong cluster.
inline constexpr double false_alarm = 1e-3;

inline constexpr int no_cluster = -1;  // in Clusters::of_line

struct Clusters {
  std::vector<std::vector<double>> centers = {};  ///< mean latency, by cluster and SM; clusters ascend by their mean
  std::vector<int> of_line = {};                  ///< cluster of each line, or `no_cluster`
  std::vector<double> scatter = {};               ///< standard deviation of a line from its center, by SM
  double excess = 1;                              ///< variance within clusters over that of the noise, mean of all SMs
  double separation = 0;  ///< least distance between two centers, in standard deviations of a line along it

  [[nodiscard]] std::vector<std::size_t> populations() const;
  [[nodiscard]] std::size_t unclustered() const;
};

/// The clusters of `table`. Lines of one cluster differ by noise alone: the squared distance of a line from its center,
/// in units of the noise, follows chi-squared with one degree of freedom per SM, and a line beyond the quantile that
/// chance exceeds with `false_alarm` in the whole table belongs to no cluster. Noise that is larger than the repeats
/// show is estimated from nearest neighbours, then from the clusters themselves. A single line is no cluster.
[[nodiscard]] Clusters find_clusters(const LatencyTable& table);

/// Clusters that latencies surely tell apart.
struct SureClusters {
  std::vector<std::size_t> of_cluster = {};  ///< number of each cluster's group, from 0
  std::size_t count = 0;
  double separation = 0;  ///< clusters nearer than this are in one group, in standard deviations
};

/// Unites clusters whose separation another run might find too small. Clusters that are nearer than twice the least
/// separation of distinct ones may be united; how many of them are, is decided at the widest gap between the distances
/// at which clusters meet, as a ratio, so that noise moves none across it.
[[nodiscard]] SureClusters sure_clusters(const Clusters& clusters);

/// Lines that a disturbance may have moved: those of no cluster, and those of clusters with fewer lines than chance
/// leaves to one of as many slices of equal size, with probability `false_alarm`.
[[nodiscard]] std::vector<std::size_t> doubtful_lines(const Clusters& clusters);

/// These clusters with the centers that lines of `table` show, of which `known` are the clusters: fewer SMs that load
/// at the same time delay each other less, and clusters unequally. SM i of `table` is SM sms[i] of the centers. A
/// cluster without such lines keeps its center.
[[nodiscard]] Clusters recentered(Clusters clusters, const LatencyTable& table, std::span<const int> known,
                                  std::span<const std::size_t> sms);

/// The cluster of each line of `table`, whose SM i is SM sms[i] of the centers: the nearest one, unless the line is as
/// far from it as `find_clusters` allows no line to be.
[[nodiscard]] std::vector<int> assign(const LatencyTable& table, const Clusters& clusters,
                                      std::span<const std::size_t> sms);

/// The cluster that two of three measurements give to each line; `no_cluster` where all three differ.
[[nodiscard]] std::vector<int> majority(std::span<const int> first, std::span<const int> second,
                                        std::span<const int> third);

/// The clusters that have lines. Lines that a majority moves may leave a cluster to nobody.
[[nodiscard]] Clusters with_lines(const Clusters& clusters);

/// Fewest SMs, chosen one after the other, whose latencies alone still tell all clusters apart: the two nearest centers
/// are so far from each other that chance confuses one line in `lines` with probability `false_alarm`. All SMs if
/// nothing less does.
[[nodiscard]] std::vector<std::size_t> distinguishing_sms(const Clusters& clusters, std::size_t lines);

}  // namespace tomograph::l2_slices

#endif
