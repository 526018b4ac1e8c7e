#include "saturation.hpp"

#include <algorithm>
#include <stdexcept>

#include "tomograph/analysis/step_fit.hpp"

namespace tomograph::throughput {

namespace {

constexpr double saturated = 0.95;
constexpr double step = 1.1;
constexpr std::int64_t most_ilp = 8;

/// Like `base` with `warps` warps on an SM in as few CTAs as hold them; nothing if they cannot be equal.
std::optional<streaming::Program> with_warps(streaming::Program base, std::int64_t warps, std::int64_t ilp) {
  constexpr std::int64_t most = streaming::maximum_threads / streaming::warp_threads;
  base.ctas_per_sm = (warps + most - 1) / most;
  if (warps % base.ctas_per_sm != 0) return std::nullopt;
  base.threads = warps / base.ctas_per_sm * streaming::warp_threads;
  base.ilp = ilp;
  return base;
}

}  // namespace

std::vector<streaming::Program> rising_bytes_in_flight(const streaming::Program& base, const Room& room) {
  std::vector<streaming::Program> programs;
  const std::int64_t most_warps = room.threads_per_sm / streaming::warp_threads;
  double next = 1;
  for (std::int64_t ilp = 1; ilp <= most_ilp; ilp *= 2) {
    for (std::int64_t warps = 1; warps <= most_warps; ++warps) {
      if (static_cast<double>(warps * ilp) < next) continue;
      const auto program = with_warps(base, warps, ilp);
      if (!program) continue;
      const auto footprint = streaming::rounded_footprint(*program, program->ctas_per_sm, room.sms);
      if (footprint > base.bytes) return programs;
      programs.push_back(*program);
      next = static_cast<double>(warps * ilp) * step;
    }
  }
  return programs;
}

std::optional<Saturation> saturation(std::span<const double> bytes_in_flight, std::span<const double> bandwidth,
                                     double maximum, double error) {
  if (bytes_in_flight.size() != bandwidth.size()) throw std::invalid_argument("a curve has columns of unequal length");
  if (!std::ranges::is_sorted(bytes_in_flight)) throw std::invalid_argument("bytes in flight do not ascend");
  if (bandwidth.empty()) return std::nullopt;
  const auto rising = analysis::isotonic(bandwidth);
  const auto first_above = [&](double goal) {
    return static_cast<std::size_t>(std::ranges::lower_bound(rising, goal) - rising.begin());
  };
  const double goal = saturated * maximum;
  const std::size_t above = first_above(goal);
  if (above == 0 || above == rising.size()) return std::nullopt;
  const double low = bytes_in_flight[above - 1];
  const double share = (goal - rising[above - 1]) / (rising[above] - rising[above - 1]);
  const double bytes = low + share * (bytes_in_flight[above] - low);
  const std::size_t earliest = std::max<std::size_t>(first_above(goal * (1 - error)), 1) - 1;
  const std::size_t latest = std::min(first_above(goal * (1 + error)), rising.size() - 1);
  return Saturation{.bytes = bytes,
                    .between = {bytes_in_flight[earliest], bytes_in_flight[latest]},
                    .latency_alone = bytes_in_flight.front() / bandwidth.front(),
                    .latency_saturated = bytes / goal};
}

}  // namespace tomograph::throughput
