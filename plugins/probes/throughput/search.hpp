#ifndef TOMOGRAPH_THROUGHPUT_SEARCH_HPP
#define TOMOGRAPH_THROUGHPUT_SEARCH_HPP

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/experiment/streaming.hpp"

/// The best configuration, searched: a coarse surface over CTAs, CTA size and ILP (Mei & Chu 2017, Fig. 12), then
/// steps along one axis at a time from its best points as long as they gain.
namespace tomograph::throughput {

using Execute = std::function<std::vector<streaming::Result>(std::span<const streaming::Program>)>;
/// What is to be as large as possible.
using Figure = std::function<double(const streaming::Result&)>;

/// Bounds of the search.
struct Room {
  std::int64_t sms = 1;
  std::int64_t threads_per_sm = 2048;
};

struct Point {
  streaming::Program program;
  double figure = 0;
};

struct Found {
  std::vector<Point> surface;                  ///< all of the coarse surface that fitted on an SM
  streaming::Program best;                     ///< with the CTAs that really ran
  std::vector<streaming::Result> repetitions;  ///< of the best configuration, after the search
  [[nodiscard]] std::vector<double> figures(const Figure& figure) const;
};

/// The ways of dealing out a footprint that steps try.
inline constexpr std::array distributions{streaming::Distribution::interleaved, streaming::Distribution::sliced,
                                          streaming::Distribution::queued};

/// Programs like `base` with 32 to 1024 threads per CTA, 1 to 32 CTAs on an SM and ILP 1 to 8, each in powers of two,
/// as far as an SM has room for the threads and one turn of all warps does not exceed the footprint.
[[nodiscard]] std::vector<streaming::Program> surface(const streaming::Program& base, const Room& room);

/// Programs one step away from `program` along one axis: threads, CTAs, ILP, or how the footprint is dealt out. With
/// the same bounds as the surface, but in finer steps.
[[nodiscard]] std::vector<streaming::Program> neighbours(const streaming::Program& program, const Room& room);

/// The configuration with the largest figure. `coarse` runs once; its leaders run again, and the best of them are where
/// climbs start, in which a step must gain more than noise does. The summits that they reach run again, longer, as do
/// the starts, and the best of them is taken. What is returned was measured after the choice, so that the luck which
/// may have led to it does not count, and as often as its scatter asks for. A configuration that does not keep for long
/// what it promised gives way to the next.
/// @throws std::invalid_argument if `coarse` is empty.
[[nodiscard]] Found search(const Execute& execute, const std::vector<streaming::Program>& coarse, const Room& room,
                           const Figure& figure);

/// A figure that is more open than this is none: two runs would differ by more than a bandwidth is asked to.
inline constexpr double useful_openness = 0.03;

/// Half the width of the interval of the median, as a share of the median: what repetitions leave open.
/// @throws std::invalid_argument if there are none.
[[nodiscard]] double openness(std::span<const double> figures);

/// Runs `program` `count` times. Trials are numbered from `first_trial` on.
[[nodiscard]] std::vector<streaming::Result> repeat(const Execute& execute, const streaming::Program& program,
                                                    std::int64_t count, std::int64_t first_trial);

}  // namespace tomograph::throughput

#endif
