#include "cuda/l2_lines/instrument.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/cuda/device.hpp"
#include "tomograph/parallel.hpp"

namespace tomograph::cuda {

namespace {

/// Standard deviation of a normal distribution whose median absolute deviation is 1.
constexpr double normal_deviation = 1.4826;

/// Lines that one thread handles, at least: it takes as long to start one as for some thousand.
constexpr std::size_t lines_of_a_thread = 16384;

std::vector<std::uint32_t> narrowed(const std::vector<std::int64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

/// Reorders the values.
double median_of(std::span<std::uint16_t> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 != 0) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2.0;
}

[[noreturn]] void refuse_displaced() {
  throw std::runtime_error("not each SM had one CTA at the same time; other processes may use the device");
}

}  // namespace

LineMemory::LineMemory(int device, Arena& arena)
    : sm_count_(static_cast<std::uint32_t>(attribute(cudaDevAttrMultiProcessorCount, device))),
      shared_per_block_(static_cast<std::uint32_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device))),
      can_discard_(attribute(cudaDevAttrComputeCapabilityMajor, device) >= 8),
      arena_(&arena) {}

void LineMemory::provide(const l2_lines::Memory& memory) {
  const auto bytes = static_cast<std::size_t>(memory.pages * l2_lines::page_bytes);
  if (arena_->reserve(bytes, this) && memory.pages <= pages_) return;
  check(cudaMemsetAsync(arena_->data(), 0, bytes, stream_.get()), "clearing memory");
  pages_ = memory.pages;
}

std::vector<std::int64_t> LineMemory::named(const std::vector<std::int64_t>& sms) const {
  if (!sms.empty() && sms.back() >= sm_count_) {
    throw std::invalid_argument("the program names an SM that the device does not have");
  }
  if (!sms.empty()) return sms;
  std::vector<std::int64_t> all(sm_count_);
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return all;
}

std::vector<std::int32_t> LineMemory::ranks(const std::vector<std::int64_t>& sms) const {
  std::vector<std::int32_t> ranks(sm_count_, -1);
  std::int32_t rank = 0;
  for (const std::int64_t sm : sms) ranks[static_cast<std::size_t>(sm)] = rank++;
  return ranks;
}

l2_lines::LatencyResult L2Latency::result_of(std::span<const std::uint32_t> halves, std::size_t sms) const {
  // There are millions of latencies, but few different ones.
  std::vector<std::uint32_t> latency_of_sum(2 * std::size_t{0x10000});
  for (std::size_t sum = 0; sum < latency_of_sum.size(); ++sum) {
    const double mean = static_cast<double>(sum) / (2 * latency_units);
    latency_of_sum[sum] = static_cast<std::uint32_t>(std::max(std::lround(mean - overhead_), 0L));
  }
  l2_lines::LatencyResult result;
  result.latency.resize(halves.size());
  result.noise.resize(sms);
  const std::size_t lines = halves.size() / sms;
  const std::size_t share = std::max<std::size_t>(lines_of_a_thread / std::max<std::size_t>(lines, 1), 1);
  in_parallel(sms, share, [&](std::size_t sm) {
    std::vector<std::uint16_t> differences(lines);
    for (std::size_t line = 0; line < lines; ++line) {
      const std::uint32_t early = halves[sm * lines + line] >> 16;
      const std::uint32_t late = halves[sm * lines + line] & 0xffff;
      differences[line] = static_cast<std::uint16_t>(early > late ? early - late : late - early);
      result.latency[sm * lines + line] = latency_of_sum[early + late];
    }
    result.noise[sm] = normal_deviation * median_of(differences) / latency_units / 2;
  });
  return result;
}

l2_lines::LatencyResult L2Latency::run(const l2_lines::Latencies& program) {
  memory_->provide(program.memory);
  const auto sms = memory_->named(program.sms);
  const auto lines = narrowed(program.lines);
  const auto ranks = memory_->ranks(sms);
  auto* const stream = memory_->stream();
  lines_.send(lines, stream);
  ranks_.send(ranks, stream);
  claimed_.clear(memory_->sm_count(), stream);
  halves_.clear(sms.size() * lines.size(), stream);
  cycles_.clear(sms.size(), stream);
  const LatencyTask task{.base = memory_->base(),
                         .line_size = static_cast<std::uint64_t>(program.memory.line_size),
                         .lines = lines_.data(),
                         .ranks = ranks_.data(),
                         .claimed = claimed_.data(),
                         .halves = halves_.data(),
                         .cycles = cycles_.data(),
                         .count = static_cast<std::uint32_t>(lines.size()),
                         .sms = memory_->sm_count(),
                         .rounds = static_cast<std::uint32_t>(program.rounds)};
  constexpr std::uint32_t fixed = lines_at_a_time * sizeof(std::uint32_t);
  check(launch_latencies(task, memory_->all_shared(fixed), stream), "launching a kernel");
  if (std::ranges::any_of(claimed_.fetch(stream), [](std::uint32_t ctas) { return ctas != 1; })) refuse_displaced();
  l2_lines::LatencyResult result = result_of(halves_.fetch(stream), sms.size());
  for (const std::uint64_t one : cycles_.fetch(stream)) result.cycles.push_back(static_cast<double>(one));
  return result;
}

std::vector<Answer> L2Latency::execute(std::span<const Experiment> batch) {
  return answer_each(batch, [this](const Experiment& experiment) {
    const auto program = l2_lines::decode_latencies(experiment);
    if (const auto why = violation(program)) throw std::invalid_argument(*why);
    return encode(run(program));
  });
}

l2_lines::ContentionResult L2Contention::run(const l2_lines::Contention& program) {
  memory_->provide(program.memory);
  const auto sms = memory_->named(program.sms);
  const auto ranks = memory_->ranks(sms);
  std::vector<std::uint32_t> lines;
  for (const auto& set : program.sets) {
    if (set.size() > largest_set) {
      throw Refused(TOMOGRAPH_UNSUPPORTED, "a set has at most " + std::to_string(largest_set) + " lines");
    }
    lines.insert(lines.end(), set.begin(), set.end());
  }
  auto* const stream = memory_->stream();
  lines_.send(lines, stream);
  ranks_.send(ranks, stream);
  times_.clear(program.sets.size(), stream);
  std::size_t first = 0;
  for (std::size_t set = 0; set < program.sets.size(); ++set) {
    const ContentionTask task{.base = memory_->base(),
                              .line_size = static_cast<std::uint64_t>(program.memory.line_size),
                              .lines = lines_.data() + first,
                              .ranks = ranks_.data(),
                              .times = times_.data() + set,
                              .count = static_cast<std::uint32_t>(program.sets[set].size()),
                              .sms = memory_->sm_count(),
                              .loads = static_cast<std::uint32_t>(program.loads),
                              .atomic = program.atomic};
    constexpr std::uint32_t fixed = largest_set * sizeof(std::uint32_t) + 16;
    check(launch_contention(task, static_cast<std::uint32_t>(program.warps), memory_->all_shared(fixed), stream),
          "launching a kernel");
    first += program.sets[set].size();
  }
  l2_lines::ContentionResult result;
  const auto loads = static_cast<double>(std::ssize(sms) * program.warps * program.loads);
  for (const SetTimes& one : times_.fetch(stream)) {
    if (one.finished != sms.size()) refuse_displaced();
    result.rate.push_back(loads / static_cast<double>(one.longest));
    result.cycles.push_back(static_cast<double>(one.total) / static_cast<double>(sms.size()));
  }
  return result;
}

std::vector<Answer> L2Contention::execute(std::span<const Experiment> batch) {
  return answer_each(batch, [this](const Experiment& experiment) {
    const auto program = l2_lines::decode_contention(experiment);
    if (const auto why = violation(program)) throw std::invalid_argument(*why);
    return encode(run(program));
  });
}

}  // namespace tomograph::cuda
