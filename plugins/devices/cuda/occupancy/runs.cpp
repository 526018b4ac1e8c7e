#include "cuda/occupancy/runs.hpp"

#include <algorithm>
#include <map>

#include "tomograph/cuda/device.hpp"

namespace tomograph::cuda {

namespace {

/// Launches with one download. Further launches of a batch wait for it.
constexpr std::size_t most_launches = 512;

std::int64_t launches_of(const SmRequest& request, std::int64_t sms) { return (request.repetitions + sms - 1) / sms; }

/// The largest number of CTAs at work at the same time. A CTA that ends as another begins does not overlap it.
std::uint32_t most_concurrent(std::span<const Span> spans) {
  std::vector<std::pair<std::uint64_t, int>> events;
  for (const Span& span : spans) {
    events.emplace_back(span.begin, 1);
    events.emplace_back(span.end, -1);
  }
  std::ranges::sort(events);
  int now = 0;
  int most = 0;
  for (const auto& [time, change] : events) most = std::max(most, now += change);
  return static_cast<std::uint32_t>(most);
}

SmRun run_of(std::span<const Span> spans) {
  const std::uint64_t begin = std::ranges::min(spans, {}, &Span::begin).begin;
  const std::uint64_t end = std::ranges::max(spans, {}, &Span::end).end;
  return {static_cast<std::uint32_t>(std::min<std::uint64_t>(end - begin, UINT32_MAX)), spans.front().sm,
          static_cast<std::uint32_t>(spans.size()), most_concurrent(spans)};
}

}  // namespace

SmLimits sm_limits(int device) {
  SmLimits limits;
  limits.sms = attribute(cudaDevAttrMultiProcessorCount, device);
  limits.warps = attribute(cudaDevAttrMaxThreadsPerMultiProcessor, device) / attribute(cudaDevAttrWarpSize, device);
  limits.ctas = attribute(cudaDevAttrMaxBlocksPerMultiprocessor, device);
  limits.shared_per_sm = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
  limits.shared_per_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  limits.shared_reserved = attribute(cudaDevAttrReservedSharedMemoryPerBlock, device);
  return limits;
}

std::optional<std::string> impossibility(const Residency& residency, const SmLimits& limits) {
  if (residency.ctas > limits.ctas) {
    return "an SM holds at most " + std::to_string(limits.ctas) + " CTAs, not " + std::to_string(residency.ctas);
  }
  if (residency.ctas * residency.warps > limits.warps) {
    return "an SM holds at most " + std::to_string(limits.warps) + " warps, not " +
           std::to_string(residency.ctas * residency.warps);
  }
  return std::nullopt;
}

std::int64_t shared_for(std::int64_t ctas, std::int64_t fixed, const SmLimits& limits) {
  const std::int64_t share = std::min(limits.shared_per_sm / ctas - limits.shared_reserved, limits.shared_per_block);
  return std::max<std::int64_t>(share - fixed, 0);
}

std::vector<SmRun> sm_runs(std::span<const Span> spans, std::int64_t sms, std::int64_t repetitions) {
  std::map<std::uint32_t, std::vector<Span>> by_sm;
  for (const Span& span : spans) by_sm[span.sm].push_back(span);
  std::vector<SmRun> all;
  for (const auto& [sm, own] : by_sm) all.push_back(run_of(own));
  std::vector<SmRun> chosen;
  const std::int64_t wanted = std::min(repetitions, sms);
  for (std::int64_t i = 0; i < wanted; ++i) {
    chosen.push_back(all[static_cast<std::size_t>(i * std::ssize(all) / wanted)]);
  }
  return chosen;
}

/// Launches with one download.
struct SmRunner::Submission {
  struct Entry {
    std::size_t request;
    std::int64_t repetitions;
    std::size_t first_span;
    std::size_t spans;
  };
  std::vector<Entry> entries;
  std::size_t spans = 0;
};

std::vector<std::vector<SmRun>> SmRunner::run(std::span<const SmRequest> requests) {
  std::vector<std::vector<SmRun>> runs(requests.size());
  std::vector<Submission> submissions(1);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::int64_t launches = launches_of(requests[i], limits_.sms);
    for (std::int64_t j = 0; j < launches; ++j) {
      if (submissions.back().entries.size() == most_launches) submissions.emplace_back();
      Submission& submission = submissions.back();
      const auto spans = static_cast<std::size_t>(requests[i].residency.ctas * limits_.sms);
      const std::int64_t repetitions = std::min(requests[i].repetitions - j * limits_.sms, limits_.sms);
      submission.entries.push_back({i, repetitions, submission.spans, spans});
      submission.spans += spans;
    }
  }
  for (const Submission& submission : submissions) {
    execute(requests, submission);
    const std::span all(reinterpret_cast<const Span*>(spans_.data()), submission.spans);
    for (const Submission::Entry& entry : submission.entries) {
      const auto own = sm_runs(all.subspan(entry.first_span, entry.spans), limits_.sms, entry.repetitions);
      runs[entry.request].insert(runs[entry.request].end(), own.begin(), own.end());
    }
  }
  return runs;
}

void SmRunner::execute(std::span<const SmRequest> requests, const Submission& submission) {
  const auto sms = static_cast<std::size_t>(limits_.sms);
  const std::size_t gate_bytes = submission.entries.size() * sms * sizeof(Gate);
  const std::size_t span_bytes = submission.spans * sizeof(Span);
  gates_.reserve(gate_bytes);
  device_spans_.reserve(span_bytes);
  spans_.reserve(span_bytes);
  check(cudaMemsetAsync(gates_.data(), 0, gate_bytes, stream_.get()), "clearing gates");
  auto* gates = reinterpret_cast<Gate*>(gates_.data());
  auto* spans = reinterpret_cast<Span*>(device_spans_.data());
  for (std::size_t i = 0; i < submission.entries.size(); ++i) {
    const Submission::Entry& entry = submission.entries[i];
    const SmRequest& request = requests[entry.request];
    const auto ctas = static_cast<std::uint32_t>(request.residency.ctas);
    const auto threads = static_cast<std::uint32_t>(request.residency.warps * 32);
    const std::int64_t shared = shared_for(request.residency.ctas, request.fixed_shared, limits_);
    check(request.launch({{gates + i * sms, spans + entry.first_span, static_cast<std::uint32_t>(sms), ctas},
                          static_cast<std::uint32_t>(entry.spans),
                          threads,
                          static_cast<std::uint32_t>(shared),
                          stream_.get()}),
          "launching a kernel");
  }
  check(cudaMemcpyAsync(spans_.data(), device_spans_.data(), span_bytes, cudaMemcpyDeviceToHost, stream_.get()),
        "fetching times");
  stream_.synchronize();
}

}  // namespace tomograph::cuda
