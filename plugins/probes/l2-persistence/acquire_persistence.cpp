#include <array>
#include <functional>
#include <span>

#include "analysis_kept.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"

namespace tomograph::l2_persistence {

namespace {

/// Together so many that a share of 25 % is known to 2 %, with a probability of 99 %.
constexpr std::int64_t samples = 1024;
constexpr std::int64_t trials = 3;
/// What streams by holds four times as many lines as L2: with random replacement, 2 % of normal lines stay.
constexpr std::int64_t streamed_l2s = 4;

std::int64_t whole_lines(std::int64_t bytes) {
  constexpr std::int64_t largest_line = 256;  // of any L2 known
  return bytes / largest_line * largest_line;
}

/// The sizes of L2, of its largest set-aside part and of what streams by.
struct Sizes {
  std::int64_t l2 = 0;
  std::int64_t set_aside = 0;
  std::int64_t streamed = 0;
};

/// @throws Skip if nothing can be set aside or too little memory is free.
Sizes sizes_of(const Session& session) {
  Sizes sizes{.l2 = session.needed<std::int64_t>("l2.nominal_size"),
              .set_aside = session.needed<std::int64_t>("l2.max_persisting_size")};
  sizes.streamed = streamed_l2s * sizes.l2;
  if (sizes.set_aside == 0) throw Skip("device", "no part of L2 can be set aside");
  const std::int64_t largest = sizes.streamed + 4 * sizes.set_aside + 2 * sizes.l2;
  const auto free = session.fact<std::int64_t>("dram.free");
  if (free && *free < 2 * largest) throw Skip("resource", "too little memory is free");
  return sizes;
}

/// The cycles of all trials, or nothing where the device refuses one.
std::vector<std::vector<double>> measure(const Session& session, std::span<const LoadsRequest> settings) {
  std::vector<LoadsRequest> asked;
  for (LoadsRequest one : settings) {
    one.samples = samples;
    for (one.trial = 0; one.trial < trials; ++one.trial) asked.push_back(one);
  }
  const auto answers = session.ask_each(std::span<const LoadsRequest>(asked));
  std::vector<std::vector<double>> cycles(settings.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) continue;
    auto& own = cycles[i / trials];
    own.insert(own.end(), answers[i]->cycles.begin(), answers[i]->cycles.end());
  }
  return cycles;
}

/// Between loads of an eighth of L2 that was just loaded, and of the same after all others streamed by.
std::optional<analysis::Threshold> find_threshold(const Session& session, const Sizes& sizes) {
  const std::int64_t eighth = whole_lines(sizes.l2 / 8);
  const auto cycles = measure(session, std::array{LoadsRequest{.persisting = eighth},
                                                  LoadsRequest{.persisting = eighth, .normal = sizes.streamed}});
  keep_controls(session, cycles[0], cycles[1]);
  return analysis::threshold_between(cycles[0], cycles[1]);
}

/// What is asked of a region of so many bytes.
using Setting = std::function<LoadsRequest(std::int64_t bytes)>;

/// How much L2 kept of regions of these sizes. Those that the device refuses are left out.
std::vector<Kept> curve_of(const Session& session, const std::vector<std::int64_t>& sizes, const Setting& setting,
                           const analysis::Threshold& threshold) {
  std::vector<LoadsRequest> settings;
  for (const std::int64_t bytes : sizes) settings.push_back(setting(bytes));
  const auto cycles = measure(session, settings);
  std::vector<Kept> curve;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (cycles[i].empty()) continue;
    curve.push_back(kept_of(sizes[i], cycles[i], threshold, confidence::l2_persistence::interval));
  }
  return curve;
}

/// Regions up to four times as large as `whole`, of which a cache of that size keeps a quarter.
std::vector<std::int64_t> regions(std::int64_t whole) {
  std::vector<std::int64_t> sizes;
  for (const std::int64_t eighths : {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 28, 32}) {
    sizes.push_back(whole_lines(whole * eighths / 8));
  }
  return sizes;
}

/// Lines that should persist, then others that stream by.
std::vector<Kept> persisting(const Session& session, const Sizes& sizes, std::int64_t set_aside,
                             const analysis::Threshold& threshold) {
  const auto setting = [&](std::int64_t bytes) {
    return LoadsRequest{.set_aside = set_aside, .persisting = bytes, .normal = sizes.streamed};
  };
  return curve_of(session, regions(sizes.set_aside), setting, threshold);
}

/// Normal lines, beside a part of L2 that is set aside and full.
std::vector<Kept> beside(const Session& session, const Sizes& sizes, std::int64_t set_aside,
                         const analysis::Threshold& threshold) {
  const auto setting = [&](std::int64_t bytes) {
    return LoadsRequest{
        .set_aside = set_aside, .persisting = whole_lines(set_aside), .normal = bytes, .samples_normal = true};
  };
  return curve_of(session, regions(sizes.l2), setting, threshold);
}

}  // namespace

void find_persistence(const Session& session) {
  const Sizes sizes = sizes_of(session);
  const auto threshold = find_threshold(session, sizes);
  if (!threshold) throw Skip("device", "hits and misses of L2 cannot be told apart");
  const Conditions conditions{sizes.set_aside, sizes.streamed, *threshold};
  publish_persisting(session, conditions, persisting(session, sizes, sizes.set_aside, *threshold),
                     persisting(session, sizes, 0, *threshold));
  publish_beside(session, conditions, beside(session, sizes, sizes.set_aside, *threshold),
                 beside(session, sizes, 0, *threshold));
}

}  // namespace tomograph::l2_persistence
