#ifndef TOMOGRAPH_THROUGHPUT_ACQUIRE_SEARCH_HPP
#define TOMOGRAPH_THROUGHPUT_ACQUIRE_SEARCH_HPP

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tomograph/streaming.hpp"

/// Searches the best configuration of a streaming program: a coarse surface over CTAs, CTA size and ILP (Mei & Chu
/// 2017, Fig. 12), then hill climbing from its best points along one axis at a time.
namespace tomograph::throughput {

using Execute = std::function<std::vector<streaming::Result>(std::span<const streaming::Program>)>;
/// What the search maximises.
using Metric = std::function<double(const streaming::Result&)>;

/// Bounds of the search.
struct Bounds {
  std::int64_t sms = 1;
  std::int64_t threads_per_sm = 2048;
};

struct Point {
  streaming::Program program;
  double value = 0;  ///< of the metric
};

struct Found {
  std::vector<Point> surface;                  ///< the part of the coarse surface that fits an SM
  streaming::Program best;                     ///< with the number of CTAs that ran
  std::vector<streaming::Result> repetitions;  ///< of the best configuration, after the search
  [[nodiscard]] std::vector<double> values(const Metric& metric) const;
};

inline constexpr std::int64_t most_ilp = 8;  ///< the most of abi/streaming.h

/// Programs that differ from one of the surface in what the surface leaves out, including itself.
using Variants = std::function<std::vector<streaming::Program>(const streaming::Program&)>;

/// The distributions of a footprint over SMs that the search tries.
inline constexpr std::array distributions{streaming::Distribution::interleaved, streaming::Distribution::sliced,
                                          streaming::Distribution::queued};

/// Programs like `base` with 32 to 1024 threads per CTA, 1 to 32 CTAs on an SM and ILP 1 to 8, each in powers of two,
/// if an SM has room for the threads and one access of all warps does not exceed the footprint; without those that have
/// few accesses in flight.
[[nodiscard]] std::vector<streaming::Program> surface(const streaming::Program& base, const Bounds& bounds);

/// Programs one step away from `program` along one axis: threads, CTAs, ILP, or the distribution of the footprint.
/// The bounds are those of the surface, the steps finer.
[[nodiscard]] std::vector<streaming::Program> neighbours(const streaming::Program& program, const Bounds& bounds);

/// The configuration with the largest metric. `coarse` runs once, but for programs with so few accesses in flight that
/// they are slow. Its best points run again, in all `variants` if there are any, and hill climbing starts at the best
/// of these; a step must gain more than noise does. The starts and the local maxima run again, longer, and the best of
/// them is repeated as often as its scatter demands. The result uses these repetitions only, so that the choice does
/// not favour lucky runs. If they fall short of the fastest run, the next ones are tried.
/// @throws std::invalid_argument if `coarse` is empty.
[[nodiscard]] Found search(const Execute& execute, const std::vector<streaming::Program>& coarse, const Bounds& bounds,
                           const Metric& metric, const Variants& variants = {});

/// Runs `program` `count` times. Trials are numbered from `first_trial` on.
[[nodiscard]] std::vector<streaming::Result> repeat(const Execute& execute, const streaming::Program& program,
                                                    std::int64_t count, std::int64_t first_trial);

}  // namespace tomograph::throughput

#endif
