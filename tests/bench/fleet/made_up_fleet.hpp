#ifndef TOMOGRAPH_BENCH_MADE_UP_FLEET_HPP
#define TOMOGRAPH_BENCH_MADE_UP_FLEET_HPP

#include <random>
#include <string>
#include <vector>

#include "topology/topology.hpp"

namespace tomograph::bench {

/// Measured topologies of one kind of GPU, which differ by measuring alone.
using Kind = std::vector<host::Topology>;

/// Something odd about a GPU: a continuous fact that is off by a share, or a discrete fact of the driver.
struct Oddity {
  std::string key;
  double change = 0;  ///< 0 for a discrete fact
};

struct MadeUpGpu {
  host::Topology topology;
  std::string uuid;
  std::vector<Oddity> planted;  ///< none, or one
};

/// Makes GPUs of several kinds. Each fact is drawn from the kind's topologies, which gives it the spread of measuring,
/// and multiplied by what boards differ by.
class MadeUpFleet {
 public:
  static constexpr double board_spread = 0.003;  ///< relative standard deviation of a fact between sound boards
  static constexpr double least_change = 0.03;
  static constexpr double most_change = 0.1;

  MadeUpFleet(std::vector<Kind> kinds, unsigned seed);

  /// The next GPU, which is odd with a probability of `odd_share`. The kinds take turns.
  [[nodiscard]] MadeUpGpu next(double odd_share);
  /// Continuous facts of all kinds in which oddities are planted, and how many there are at all.
  [[nodiscard]] std::size_t eligible() const;
  [[nodiscard]] std::size_t continuous() const { return continuous_; }

 private:
  Oddity plant(host::Topology& topology, std::size_t kind);

  std::vector<Kind> kinds_;
  std::vector<std::vector<std::string>> eligible_;  ///< keys by kind
  std::size_t continuous_ = 0;
  std::size_t made_ = 0;
  std::mt19937_64 random_;
};

}  // namespace tomograph::bench

#endif
