#include "analysis_launch.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <vector>

namespace tomograph::workloads {

namespace {

/// Starts and ends on one SM.
struct SmTimes {
  std::vector<std::uint64_t> begins;
  std::vector<std::uint64_t> ends;
};

std::map<std::uint64_t, SmTimes> by_sm(std::span<const CtaSpan> ctas) {
  std::map<std::uint64_t, SmTimes> sms;
  for (const CtaSpan& cta : ctas) {
    sms[cta.sm].begins.push_back(cta.begin);
    sms[cta.sm].ends.push_back(cta.end);
  }
  for (auto& [sm, times] : sms) {
    std::ranges::sort(times.begins);
    std::ranges::sort(times.ends);
  }
  return sms;
}

}  // namespace

Succession succession_of(std::span<const CtaSpan> ctas, std::size_t places) {
  Succession all;
  double gaps = 0;
  double followers = 0;
  for (const auto& [sm, times] : by_sm(ctas)) {
    const auto& begins = times.begins;
    // Whole rounds, so that places that stay in step do not distort the rate.
    const std::size_t rounds = begins.size() <= places ? 0 : (begins.size() - 1 - places) / places;
    const std::size_t last = places * (rounds + 1);
    if (rounds == 0 || begins[last] == begins[places]) continue;
    all.rate += static_cast<double>(places * rounds) / static_cast<double>(begins[last] - begins[places]);
    for (std::size_t k = places; k < begins.size(); ++k) {
      gaps += static_cast<double>(begins[k]) - static_cast<double>(times.ends[k - places]);
      ++followers;
    }
  }
  if (followers == 0) throw std::invalid_argument("no SM filled its places more than twice");
  all.turnover = gaps / followers;
  return all;
}

}  // namespace tomograph::workloads
