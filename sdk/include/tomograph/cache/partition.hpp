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
  double error = 0;          ///< bound on the probability that some SM is in the wrong partition
  std::vector<FirstTouch> matrix;
};

/// Groups SMs by whether they find lines that one of them loaded near: the loader's line is near for every SM of its
/// partition, while about half of what it loaded is far for any other.
[[nodiscard]] Partitions partitions(const Executor& execute, const Subject& subject, std::int64_t sm_count);

}  // namespace tomograph::cache

#endif
