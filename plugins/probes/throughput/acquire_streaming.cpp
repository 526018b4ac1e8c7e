#include "acquire_streaming.hpp"

#include <algorithm>
#include <iterator>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::throughput {

Execute executor(const Session& session) {
  return [&session](std::span<const streaming::Program> batch) { return session.ask(batch); };
}

Bounds bounds_of(const Session& session) {
  Bounds bounds{.sms = session.needed<std::int64_t>("device.sm_count")};
  if (const auto warps = session.fact<std::int64_t>("device.max_warps_per_sm")) {
    bounds.threads_per_sm = *warps * streaming::warp_threads;
  }
  return bounds;
}

std::optional<std::int64_t> l2_bytes(const Session& session) {
  if (const auto measured = session.fact<std::int64_t>("l2.size")) return measured;
  return session.fact<std::int64_t>("l2.nominal_size");
}

double of_device(const streaming::Result& result) { return result.bandwidth(); }

double of_sm(const streaming::Result& result) { return analysis::median(result.bytes_per_cycle()); }

std::vector<streaming::Program> surfaces(const streaming::Program& base, const Bounds& bounds,
                                         std::span<const streaming::Distribution> distributions) {
  std::vector<streaming::Program> programs;
  for (const auto distribution : distributions) {
    streaming::Program program = base;
    program.distribution = distribution;
    std::ranges::move(surface(program, bounds), std::back_inserter(programs));
  }
  return programs;
}

}  // namespace tomograph::throughput
