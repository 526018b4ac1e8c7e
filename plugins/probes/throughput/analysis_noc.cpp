#include "analysis_noc.hpp"

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::throughput {

namespace {

/// A group that its link limits reads less than this share of what its SMs would read alone, and of what all SMs read
/// together. The margin is about three times the relative interval that is useful. Seen on an H200 only.
constexpr double limited = 0.9;

}  // namespace

double Rates::median() const { return analysis::median(repetitions); }

std::string other_limit(const std::vector<Rates>& alone, const Rates& one, const Rates& all) {
  for (const Rates& group : alone) {
    if (group.median() >= limited * static_cast<double>(group.sms.size()) * one.median()) {
      return "the SMs of a group read as much together as each of them alone, so the limit lies behind the groups and "
             "may "
             "be L2 itself";
    }
    if (group.median() >= limited * all.median()) {
      return "a group reads as much as all SMs together, so L2 itself may be the limit";
    }
  }
  return {};
}

Rates sum_of(const std::vector<Rates>& alone, double clock_hz) {
  Rates sum{.repetitions = std::vector<double>(alone.front().repetitions.size()), .clock_hz = clock_hz};
  for (const Rates& group : alone) {
    for (std::size_t i = 0; i < sum.repetitions.size(); ++i) sum.repetitions[i] += group.repetitions[i];
  }
  return sum;
}

}  // namespace tomograph::throughput
