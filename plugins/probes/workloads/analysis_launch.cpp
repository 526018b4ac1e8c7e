#include "analysis_launch.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace tomograph::workloads {

namespace {

/// Starts and ends on one SM.
struct SmTimes {
  std::vector<std::uint64_t> begins;
  std::vector<std::uint64_t> ends;
};

std::vector<SmTimes> by_sm(std::span<const CtaSpan> ctas) {
  std::vector<SmTimes> sms;
  for (const CtaSpan& cta : ctas) {
    if (cta.sm >= sms.size()) sms.resize(cta.sm + 1);
    sms[cta.sm].begins.push_back(cta.begin);
    sms[cta.sm].ends.push_back(cta.end);
  }
  return sms;
}

/// The time at `rank` in their order; the earlier ones are then before it.
std::uint64_t ranked(std::span<std::uint64_t> times, std::size_t rank) {
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(rank));
  return times[rank];
}

/// Modulo 2^64, so that differences of sums are exact.
std::uint64_t sum(std::span<const std::uint64_t> times) {
  return std::accumulate(times.begin(), times.end(), std::uint64_t{0});
}

}  // namespace

Succession succession_of(std::span<const CtaSpan> ctas, std::size_t places) {
  Succession all;
  double gaps = 0;
  std::size_t followers = 0;
  for (auto& [begins, ends] : by_sm(ctas)) {
    // Whole rounds, so that places that stay in step do not distort the rate.
    const std::size_t rounds = begins.size() <= places ? 0 : (begins.size() - 1 - places) / places;
    if (rounds == 0) continue;
    const std::uint64_t first = ranked(begins, places);
    const std::span followed_by = std::span(begins).subspan(places);
    const std::uint64_t last = ranked(followed_by, places * rounds);
    if (last == first) continue;
    all.rate += static_cast<double>(places * rounds) / static_cast<double>(last - first);
    // The k-th start after the first round takes the place of the k-th end: the sum of the gaps needs no pairs.
    ranked(ends, ends.size() - places);
    gaps += static_cast<double>(
        static_cast<std::int64_t>(sum(followed_by) - sum(std::span(ends).first(followed_by.size()))));
    followers += followed_by.size();
  }
  if (followers == 0) throw std::invalid_argument("no SM filled its places more than twice");
  all.turnover = gaps / static_cast<double>(followers);
  return all;
}

}  // namespace tomograph::workloads
