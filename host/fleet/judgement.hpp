#ifndef TOMOGRAPH_HOST_FLEET_JUDGEMENT_HPP
#define TOMOGRAPH_HOST_FLEET_JUDGEMENT_HPP

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "fleet/gpu_facts.hpp"

/// Which GPUs of a fleet are unlike the others of their kind. Pure functions; GPUs and facts in any order give the
/// same.
namespace tomograph::host {

/// The fewest GPUs of a kind that are compared.
inline constexpr std::size_t smallest_cohort = 3;

/// A continuous fact of a cohort.
struct FactSpread {
  std::string key;
  std::string unit;
  double median = 0;
  double spread = 0;  ///< robust standard deviation (robust_scale)
  double least = 0;
  double greatest = 0;
  std::vector<double> z = {};             ///< (value - median) / spread by GPU, in the order of the cohort
  std::vector<std::string> without = {};  ///< GPUs without the fact, which `z` leaves out
};

/// A value of a discrete fact, and the GPUs that have it.
struct ValueHolders {
  std::string value;  ///< TOML text
  std::vector<std::string> gpus;
};

/// A discrete fact in which GPUs of one kind differ.
struct FactDifferences {
  std::string key;
  std::string usual;  ///< the value that most have, as TOML text
  std::size_t count = 0;
  std::vector<ValueHolders> others;
};

/// GPUs of one kind.
struct Cohort {
  std::string device;
  std::vector<std::string> gpus;  ///< sorted
  std::vector<FactSpread> facts;
  std::vector<FactDifferences> differences;
  std::map<std::string, Fingerprint> fingerprints = {};  ///< by GPU, for those that have one
};

/// Why a GPU is odd.
struct OddFact {
  std::string key;
  std::string value;  ///< for people, as `usual`
  std::string usual;  ///< median of its cohort, or the usual value
  double change = 0;  ///< relative to the median; 0 for discrete facts and a median of zero
  double z = 0;       ///< 0 for discrete facts
};
struct OddGpu {
  std::string gpu;
  std::string device;
  std::vector<OddFact> facts;  ///< the most striking first
  std::string reason;          ///< one sentence with the numbers
};

struct Fleet {
  double false_alarm_rate = 0;  ///< probability that any GPU of a sound fleet is called odd for a continuous fact
  std::size_t tests = 0;        ///< continuous facts over all cohorts, among which the rate is shared out
  std::size_t gpus = 0;
  std::vector<OddGpu> odd;
  std::vector<Cohort> cohorts;
};

/// Judges GPUs, each of which is there once.
/// - A continuous fact is odd if OutlierTest says so at the rate divided by all tests (Bonferroni), and if it also lies
///   beyond `usual_tolerance` from the median, as `diff` would say, and the median lies outside of its interval.
/// - A discrete fact that the driver reports is odd if at most `most_outliers` of the cohort do not have the usual
///   value. A discrete fact that was measured may be misread on one GPU of many, so it is only listed.
/// Facts that belong to one board (facts_of_one_board) are not compared, nor is a cohort of fewer than
/// `smallest_cohort`.
[[nodiscard]] Fleet judge(const std::vector<GpuFacts>& gpus, const Texts& texts, double false_alarm_rate);

}  // namespace tomograph::host

#endif
