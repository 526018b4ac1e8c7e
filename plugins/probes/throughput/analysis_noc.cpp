#include "analysis_noc.hpp"

#include <algorithm>
#include <map>
#include <set>

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

std::vector<Sms> typical_groups(const std::vector<Sms>& groups, std::size_t most) {
  std::map<std::size_t, std::vector<Sms>> by_size;
  for (const Sms& group : groups) by_size[group.size()].push_back(group);
  const std::vector<Sms>* typical = nullptr;
  for (const auto& [size, own] : by_size) {
    if (typical == nullptr || own.size() >= typical->size()) typical = &own;
  }
  std::vector<Sms> chosen;
  const std::size_t all = typical == nullptr ? 0 : typical->size();
  const std::size_t count = std::min(all, most);
  for (std::size_t i = 0; i < count; ++i) chosen.push_back((*typical)[i * all / count]);
  return chosen;
}

bool nest(const std::vector<Sms>& inner, const std::vector<Sms>& outer) {
  std::map<std::int64_t, std::size_t> outer_of_sm;
  for (std::size_t group = 0; group < outer.size(); ++group) {
    for (const std::int64_t sm : outer[group]) outer_of_sm[sm] = group;
  }
  return std::ranges::all_of(inner, [&](const Sms& group) {
    std::set<std::size_t> meets;
    for (const std::int64_t sm : group) {
      if (const auto found = outer_of_sm.find(sm); found != outer_of_sm.end()) meets.insert(found->second);
    }
    return meets.size() <= 1;
  });
}

std::vector<double> medians_over_groups(const std::vector<Rates>& groups) {
  std::vector<double> medians;
  for (std::size_t i = 0; i < groups.front().repetitions.size(); ++i) {
    std::vector<double> rates;
    for (const Rates& group : groups) rates.push_back(group.repetitions[i]);
    medians.push_back(analysis::median(rates));
  }
  return medians;
}

}  // namespace tomograph::throughput
