#include "copies.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

namespace tomograph::bench {

namespace {

/// Rows of copies: any configuration, then what it moves.
using Copies = std::vector<std::vector<double>>;

/// The most that any of the copies moves whose configuration `counts`.
double most(const Copies& copies, const std::function<bool(const std::vector<double>&)>& counts) {
  double moved = 0;
  for (const auto& copy : copies) moved = std::max(moved, counts(copy) ? copy.back() : 0);
  return moved;
}

/// A value of the paper from all copies of a fact.
Recovery from_copies(const std::string& key, const std::function<Json(const Copies&)>& from) {
  return {{key}, [from](const std::vector<Json>& values) { return from(values.front().get<Copies>()); }, true};
}

/// Warps of shared memory's copies on an SM.
double warps(const std::vector<double>& copy) { return copy[0] * copy[1] / 32; }

/// Threads of an SM in a copy of global memory.
double threads(const std::vector<double>& copy) { return copy[0] * copy[1]; }

/// The fewest threads of an SM that copy 95 % of the most, at one ILP.
double saturating_threads(const Copies& copies, double ilp) {
  const double peak = most(copies, [](const auto&) { return true; });
  double fewest = std::numeric_limits<double>::infinity();
  for (const auto& copy : copies) {
    if (copy[2] == ilp && copy.back() >= 0.95 * peak) fewest = std::min(fewest, threads(copy));
  }
  return fewest;
}

/// The most bytes per cycle that loads of any width reach, from pairs of a width and bytes.
double widest(const Json& by_width) {
  double most = 0;
  for (const Json& pair : by_width) most = std::max(most, pair.at(1).get<double>());
  return most;
}

}  // namespace

Recovery part_of_peak(double active_warps) {
  return from_copies("shared.copy_throughput", [active_warps](const Copies& copies) {
    return Json(most(copies, [&](const auto& copy) { return warps(copy) == active_warps; }) /
                most(copies, [](const auto&) { return true; }));
  });
}

Recovery saturating_ilp(double active_warps) {
  return from_copies("shared.copy_throughput", [active_warps](const Copies& copies) {
    const double peak = most(copies, [&](const auto& copy) { return warps(copy) == active_warps; });
    for (const int ilp : {1, 2, 4, 6, 8}) {
      const double here = most(copies, [&](const auto& copy) { return warps(copy) == active_warps && copy[2] == ilp; });
      if (here >= 0.95 * peak) return Json(ilp);
    }
    return Json();
  });
}

Recovery rises_with_warps() {
  return from_copies("shared.copy_throughput", [](const Copies& copies) {
    double before = 0;
    for (const int count : {1, 2, 4, 8, 16}) {
      const double here = most(copies, [&](const auto& copy) { return warps(copy) == count; });
      if (here < 0.98 * before) return Json(false);
      before = here;
    }
    return Json(true);
  });
}

Recovery saturates_faster_with_ilp() {
  return from_copies("dram.copy_throughput", [](const Copies& copies) {
    const double one = saturating_threads(copies, 1);
    const double two = saturating_threads(copies, 2);
    const double four = saturating_threads(copies, 4);
    return Json(four <= two && two <= one && four < one);
  });
}

Recovery gain_of_two_ctas() {
  return from_copies("dram.copy_throughput", [](const Copies& copies) {
    const auto at = [&](double ctas) {
      return most(copies, [&](const auto& copy) { return copy[0] == ctas && copy[1] == 32 && copy[2] == 1; });
    };
    return Json(at(2) / at(1));
  });
}

Recovery part_of_peak_at_the_end() {
  return from_copies("dram.copy_throughput", [](const Copies& copies) {
    return Json(most(copies, [](const auto& copy) { return copy[0] * copy[1] >= 1024 && copy[2] == 4; }) /
                most(copies, [](const auto&) { return true; }));
  });
}

Recovery bank_rate() {
  return {{"shared.bandwidth_by_width", "shared.banks"},
          [](const std::vector<Json>& values) { return Json(widest(values[0]) / values[1].get<double>()); },
          true};
}

Recovery product_of_banks() {
  return {{"shared.bandwidth_by_width", "device.sm_clock"},
          [](const std::vector<Json>& values) { return Json(widest(values[0]) * values[1].get<double>() / 1e9); },
          true};
}

Recovery efficiency_of_banks() {
  return {{"shared.bandwidth.copy", "shared.bandwidth_by_width"},
          [](const std::vector<Json>& values) { return Json(values[0].get<double>() / widest(values[1])); },
          true};
}

Recovery warps_to_fill_banks() {
  return {{"shared.latency", "shared.bandwidth_by_width", "device.warp_size"},
          [](const std::vector<Json>& values) {
            return Json(values[0].get<double>() * widest(values[1]) / (4 * values[2].get<double>()));
          },
          true};
}

}  // namespace tomograph::bench
