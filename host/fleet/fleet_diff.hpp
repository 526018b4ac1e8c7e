#ifndef TOMOGRAPH_HOST_FLEET_FLEET_DIFF_HPP
#define TOMOGRAPH_HOST_FLEET_FLEET_DIFF_HPP

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fleet/judgement.hpp"

/// What differs between two days of a fleet. Pure functions.
namespace tomograph::host {

/// A median that moved.
struct MovedMedian {
  std::string key;
  std::string unit;
  double a = 0;
  double b = 0;

  [[nodiscard]] double change() const;  ///< relative to A; infinite for a median of zero
};

/// A board that has another UUID than before.
struct RenamedBoard {
  std::string from;
  std::string to;
};

/// How the GPUs of one kind changed.
struct CohortDiff {
  std::string device;
  std::vector<std::string> gone;
  std::vector<std::string> came;
  std::vector<std::string> exchanged;  ///< the UUID is the same, the board is another
  std::vector<RenamedBoard> renamed;   ///< neither gone nor came
  std::vector<MovedMedian> moved;
  std::vector<std::string> only_a;  ///< keys of continuous facts
  std::vector<std::string> only_b;
};

struct FleetDiff {
  double false_alarm_rate = 0;
  std::vector<CohortDiff> cohorts;  ///< those that changed
  std::vector<OddGpu> newly_odd;
  std::vector<OddGpu> no_longer_odd;  ///< as they were; their GPU may be gone
  std::vector<OddGpu> still_odd;

  [[nodiscard]] bool is_same() const { return cohorts.empty() && newly_odd.empty() && no_longer_odd.empty(); }
};

/// Compares day B with day A. The rate of B is the probability that anything is called moved or exchanged although
/// nothing changed but what measuring varies: half of it is shared out among the medians, half among the fingerprints.
/// - A median moved if it differs by more than `usual_tolerance` and by more than the standard errors of both medians
///   explain. It is compared where both cohorts have a spread.
/// - A board was exchanged if its UUID has a fingerprint that cannot be of the same board.
/// - A board has another UUID if the fingerprint of a GPU that came is that of one that is gone, and of no other of
///   both days.
[[nodiscard]] FleetDiff diff_fleets(const Fleet& a, const Fleet& b);

[[nodiscard]] nlohmann::json to_json(const FleetDiff& diff);

/// A line for each difference.
[[nodiscard]] std::string fleet_diff_text(const FleetDiff& diff);

}  // namespace tomograph::host

#endif
