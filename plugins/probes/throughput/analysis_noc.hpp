#ifndef TOMOGRAPH_THROUGHPUT_ANALYSIS_NOC_HPP
#define TOMOGRAPH_THROUGHPUT_ANALYSIS_NOC_HPP

#include <cstdint>
#include <string>
#include <vector>

/// What limits the SMs of a group that read from L2 together. Pure functions.
namespace tomograph::throughput {

using Sms = std::vector<std::int64_t>;

/// Bytes per cycle of SMs that read at the same time, in each repetition.
struct Rates {
  Sms sms = {};
  std::vector<double> repetitions = {};
  double clock_hz = 0;

  [[nodiscard]] double median() const;
};

/// Why the links of the groups do not limit them; empty if they do. `alone` are the groups, each while all others idle,
/// `one` is a single SM and `all` is the whole device.
[[nodiscard]] std::string other_limit(const std::vector<Rates>& alone, const Rates& one, const Rates& all);

/// The sum of the rates of all groups, repetition by repetition. Requires equally many of each.
[[nodiscard]] Rates sum_of(const std::vector<Rates>& alone, double clock_hz);

/// Groups that stand for all: of the size that most have, the larger one of equally frequent sizes, at most `most`,
/// evenly spread.
[[nodiscard]] std::vector<Sms> typical_groups(const std::vector<Sms>& groups, std::size_t most);

/// Whether each of the inner groups lies in one of the outer ones, as far as these have its SMs.
[[nodiscard]] bool nest(const std::vector<Sms>& inner, const std::vector<Sms>& outer);

/// In each repetition the median over `groups`. Requires equally many repetitions of each.
[[nodiscard]] std::vector<double> medians_over_groups(const std::vector<Rates>& groups);

}  // namespace tomograph::throughput

#endif
