#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "acquire_gather.hpp"
#include "analysis_lookups.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"

namespace tomograph::memory_concurrency {

namespace {

constexpr const char* cycles_key = "l1_data.cycles_by_lines";
constexpr const char* rate_key = "l1_data.lookups_per_cycle";
constexpr const char* lookup_method = "strided-hits";
/// Words between lanes. Odd strides touch each bank once; powers of two touch few banks often.
constexpr std::array<std::int64_t, 11> strides{1, 3, 5, 9, 17, 33, 2, 4, 8, 16, 32};
constexpr std::int64_t word = 4;         // bytes
constexpr std::int64_t line_words = 32;  // of every known L1
/// Of one CTA, with so many loads in flight that the latency of a hit does not count, and so many iterations that the
/// start does not.
constexpr std::int64_t hit_warps = 32;
constexpr std::int64_t hit_loads = 4;
constexpr std::int64_t hit_iterations = 64;
/// Without a measured size: a quarter of the smallest L1 since 2012.
constexpr std::int64_t cautious_l1 = 16384;

/// All warps load again and again from a footprint that a quarter of the L1 holds.
kernel::Kernel kernel_of(std::int64_t stride, std::int64_t footprint, std::int64_t trial) {
  kernel::Kernel kernel{
      .warps = hit_warps, .iterations = hit_iterations, .footprint = footprint, .sms = {0}, .trial = trial};
  const std::int64_t words = footprint / word;
  for (std::int64_t i = 0; i < hit_loads; ++i) {
    const kernel::Stride access{.lane_stride = stride % words,
                                .warp_stride = line_words % words,
                                .iteration_stride = 5 * line_words % words,
                                .offset = i * words / hit_loads};
    kernel.loop.push_back({.operation = kernel::Operation::load,
                           .access = kernel::Access{.pattern = access, .element = word, .span = footprint}});
  }
  return kernel;
}

/// What a load of the kernel touches, if it starts at a line. There are as many banks as words in a line.
Lookup lookup_of(std::int64_t stride) {
  return {.lines = (kernel::warp_lanes - 1) * stride / line_words + 1, .bank_words = std::gcd(stride, line_words)};
}

std::int64_t footprint_of(const Session& session) {
  const auto size = session.fact<std::int64_t>("l1_data.size").value_or(4 * cautious_l1);
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(size) / 4));
}

std::vector<Lookup> measured_lookups(const Session& session) {
  const std::int64_t footprint = footprint_of(session);
  std::vector<kernel::Kernel> batch;
  for (std::int64_t trial = 0; trial < repetitions; ++trial) {
    for (const std::int64_t stride : strides) batch.push_back(kernel_of(stride, footprint, trial));
  }
  std::vector<Lookup> lookups;
  for (const std::int64_t stride : strides) lookups.push_back(lookup_of(stride));
  const auto results = session.ask(batch);
  for (std::size_t i = 0; i < results.size(); ++i) {
    lookups[i % strides.size()].cycles.push_back(results[i].cycles.front() / (hit_warps * hit_loads * hit_iterations));
  }
  return lookups;
}

void publish_cycles(const Session& session, const std::vector<Lookup>& lookups) {
  Value rows = Value::list();
  std::vector<double> lines;
  std::vector<double> words;
  std::vector<double> cycles;
  double doubt = 0;
  for (const Lookup& lookup : lookups) {
    rows.push_back(Value::list(lookup.lines, lookup.bank_words, analysis::median(lookup.cycles)));
    doubt += doubt_of(lookup.cycles);
    for (const double one : lookup.cycles) {
      lines.push_back(static_cast<double>(lookup.lines));
      words.push_back(static_cast<double>(lookup.bank_words));
      cycles.push_back(one);
    }
  }
  session.evidence(cycles_key, std::vector<NamedArray>{{"lines", lines}, {"bank_words", words}, {"cycles", cycles}});
  session.publish({.key = cycles_key,
                   .value = std::move(rows),
                   .method = lookup_method,
                   .confidence = confidence::not_negative(1 - doubt),
                   .samples = cycles.size(),
                   .conditions = {{"rows", "lines of a load, most words of one bank, cycles of it and its address"}},
                   .evidence = cycles_key});
}

/// All runs, of which eleven enclose the median with probability 0.999, and what two runs of the probe may differ by.
Interval interval_of(const LookupRate& rate) {
  // By up to 2 % on an H200 if another program uses it, alone by 0.1 %. Seen on one GPU only.
  constexpr double resolution = 0.03;
  const auto [low, high] = std::ranges::minmax(rate.of_runs);
  return {low * (1 - resolution), high * (1 + resolution)};
}

}  // namespace

void find_lookups(const Session& session) {
  const auto lookups = measured_lookups(session);
  publish_cycles(session, lookups);
  const auto rate = lookups_per_cycle(lookups);
  if (!rate) return session.inconclusive(rate_key, "loads of many lines take no longer than loads of one line");
  session.publish({.key = rate_key,
                   .value = rate->value,
                   .method = lookup_method,
                   .confidence = 1 - doubt_of(rate->of_runs),
                   .interval = interval_of(*rate),
                   .samples = rate->of_runs.size(),
                   .conditions = {{"lines", rate->lines}},
                   .evidence = cycles_key});
}

}  // namespace tomograph::memory_concurrency
