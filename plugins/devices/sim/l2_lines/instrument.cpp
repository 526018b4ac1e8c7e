#include "sim/l2_lines/instrument.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

#include "sim/experiment_noise.hpp"
#include "sim/l2_lines/pages.hpp"
#include "tomograph/session.hpp"

namespace tomograph::sim {

namespace {

/// Variance of the mean of the middle half of a normal sample, times its size over the variance of one.
constexpr double midmean_variance = 1.19;
/// Loads of a warp that overlap.
constexpr double overlapping = 4;

const SliceFunction& slice_function(const Gpu& gpu) {
  if (gpu.l2.slice_function) return *gpu.l2.slice_function;
  throw Refused(TOMOGRAPH_UNSUPPORTED, "this GPU's slice function is not described");
}

std::vector<std::int64_t> named(const Gpu& gpu, std::vector<std::int64_t> sms) {
  if (!sms.empty() && sms.back() >= gpu.sm_count) {
    throw std::invalid_argument("the program names an SM that the device does not have");
  }
  if (!sms.empty()) return sms;
  sms.resize(static_cast<std::size_t>(gpu.sm_count));
  std::iota(sms.begin(), sms.end(), std::int64_t{0});
  return sms;
}

/// Where a line is.
struct Line {
  std::uint32_t home;
  std::uint32_t slice;

  auto operator<=>(const Line&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 misreads it
};

Line locate(const Hierarchy& hierarchy, const Options& options, const l2_lines::Memory& memory, std::int64_t line) {
  const std::uint64_t address = physical_address(hierarchy, options, memory, line);
  return {hierarchy.home(address), hierarchy.slice_of(address)};
}

double latency_from(const Hierarchy& hierarchy, std::int64_t sm, const Line& line) {
  const L2& l2 = hierarchy.gpu.l2;
  if (hierarchy.partition_of(sm) == line.home) return static_cast<double>(l2.latency);
  const std::int64_t copy = l2.latency + slice_function(hierarchy.gpu).copy_cycles;
  return static_cast<double>(l2.replicate ? copy : l2.far_latency);
}

/// Where an SM finds a line: each partition has a slice of its own for a copy, but atomics go to the line's home.
Line serving(const Hierarchy& hierarchy, const l2_lines::Contention& program, std::int64_t sm, const Line& line) {
  return hierarchy.gpu.l2.replicate && !program.atomic ? Line{hierarchy.partition_of(sm), line.slice} : line;
}

/// Loads per cycle of all SMs at which a set is served.
double rate_of(const Hierarchy& hierarchy, const l2_lines::Contention& program, const std::vector<Line>& set,
               const std::vector<std::int64_t>& sms) {
  const auto loads = static_cast<double>(set.size() * sms.size());
  std::map<Line, double> shares;
  double latency = 0;
  for (const Line& line : set) {
    for (const std::int64_t sm : sms) {
      shares[serving(hierarchy, program, sm, line)] += 1 / loads;
      latency += latency_from(hierarchy, sm, line) / loads;
    }
  }
  double busiest = 0;
  for (const auto& [line, share] : shares) busiest = std::max(busiest, share);
  const auto all = static_cast<double>(sms.size());
  const SliceFunction& function = slice_function(hierarchy.gpu);
  const double of_slices = (program.atomic ? function.atomics_per_cycle : function.requests_per_cycle) / busiest;
  const double in_flight = all * static_cast<double>(program.warps) * overlapping;
  return std::min({of_slices, all, in_flight / latency});
}

}  // namespace

l2_lines::LatencyResult L2Latency::run(const l2_lines::Latencies& program, const Experiment& experiment) const {
  const Gpu& gpu = hierarchy_->gpu;
  static_cast<void>(slice_function(gpu));
  const double half = static_cast<double>(program.rounds) / 2;
  const double sigma = options_.noise ? gpu.noise.l2_sigma * std::sqrt(midmean_variance / (2 * half)) : 0;
  std::vector<Line> lines;
  for (const std::int64_t line : program.lines) {
    lines.push_back(locate(*hierarchy_, options_, program.memory, line));
  }
  Random random(noise_seed(experiment, options_));
  l2_lines::LatencyResult result;
  for (const std::int64_t sm : named(gpu, program.sms)) {
    const auto distances = hierarchy_->distances(sm);
    double sum = 0;
    for (const Line& line : lines) {
      const double mean = latency_from(*hierarchy_, sm, line) + distances[line.slice];
      result.latency.push_back(static_cast<std::uint32_t>(std::lround(mean + sigma * draw_normal(random))));
      sum += mean;
    }
    result.noise.push_back(sigma);
    result.cycles.push_back(sum * static_cast<double>(program.rounds + 1));
  }
  return result;
}

std::vector<Answer> L2Latency::execute(std::span<const Experiment> batch) {
  return answer_each(batch, [this](const Experiment& experiment) {
    const auto program = l2_lines::decode_latencies(experiment);
    if (const auto why = violation(program)) throw std::invalid_argument(*why);
    return encode(run(program, experiment));
  });
}

l2_lines::ContentionResult L2Contention::run(const l2_lines::Contention& program, const Experiment& experiment) const {
  const Gpu& gpu = hierarchy_->gpu;
  const double sigma = options_.noise ? slice_function(gpu).rate_sigma : 0;
  const auto sms = named(gpu, program.sms);
  Random random(noise_seed(experiment, options_));
  l2_lines::ContentionResult result;
  for (const auto& set : program.sets) {
    std::vector<Line> lines;
    for (const std::int64_t line : set) lines.push_back(locate(*hierarchy_, options_, program.memory, line));
    const double rate = rate_of(*hierarchy_, program, lines, sms) * std::exp(sigma * draw_normal(random));
    const auto loads = static_cast<double>(std::ssize(sms) * program.warps * program.loads);
    result.rate.push_back(rate);
    result.cycles.push_back(loads / rate);
  }
  return result;
}

std::vector<Answer> L2Contention::execute(std::span<const Experiment> batch) {
  return answer_each(batch, [this](const Experiment& experiment) {
    const auto program = l2_lines::decode_contention(experiment);
    if (const auto why = violation(program)) throw std::invalid_argument(*why);
    return encode(run(program, experiment));
  });
}

}  // namespace tomograph::sim
