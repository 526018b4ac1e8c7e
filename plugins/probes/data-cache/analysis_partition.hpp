#ifndef TOMOGRAPH_CACHE_PARTITION_HPP
#define TOMOGRAPH_CACHE_PARTITION_HPP

#include <vector>

#include "tomograph/cache/subject.hpp"

namespace tomograph::cache {

/// Latencies with which one SM finds lines that another SM has just loaded.
struct FirstTouch {
  std::int64_t loader = 0;
  std::int64_t reader = 0;
  std::vector<double> first;   ///< net, first load of each line by the reader
  std::vector<double> second;  ///< net, second load of each line by the reader
};

/// Which SMs are near which part of a shared cache.
struct Partitions {
  std::vector<std::int64_t> of_sm;  ///< partition of each SM, numbered by its lowest SM
  std::int64_t count = 0;
  bool replicated = false;   ///< a far line is near once it was loaded
  std::vector<double> near;  ///< net latencies of loads that stayed within the partition
  std::vector<double> far;   ///< net latencies of loads that crossed; empty if there is one partition
  std::vector<FirstTouch> matrix;
  /// Where there is one partition: the least distance of another one, in cycles, that noise would not have hidden.
  double visible_distance = 0;
  /// Some SMs find others' lines later on average, but noise hides which lines.
  bool undecided = false;
};

/// Where partitions keep copies of each other's lines: groups SMs by whether they find lines that one of them has just
/// loaded near; the copies are near every SM of the loader's partition, while lines of other partitions are far for
/// the rest. Where they do not: groups SMs by which of the same lines they are near to.
[[nodiscard]] Partitions partitions(const Executor& execute, const Subject& subject, std::int64_t sm_count);

}  // namespace tomograph::cache

#endif
