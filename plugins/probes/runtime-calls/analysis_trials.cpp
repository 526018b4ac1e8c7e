#include "analysis_trials.hpp"

#include <stdexcept>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::runtime_calls {

namespace {

constexpr double nanosecond = 1e-9;  // in seconds

/// The median, over the runs of each trial, of what `time_of` tells of a run.
std::vector<double> medians(std::span<const StartsAnswer> trials, auto time_of) {
  std::vector<double> found;
  for (const StartsAnswer& trial : trials) {
    std::vector<double> times;
    for (std::size_t run = 0; run < trial.called.size(); ++run) times.push_back(time_of(trial, run) * nanosecond);
    found.push_back(analysis::median(times));
  }
  return found;
}

/// From the begin of the first kernel to that of the last one, as the host sees them.
std::vector<double> lengths(std::span<const StartsAnswer> trials) {
  return medians(
      trials, [](const StartsAnswer& trial, std::size_t run) { return trial.last_seen[run] - trial.first_seen[run]; });
}

void expect_pairs(std::size_t one, std::size_t other) {
  if (one != other) throw std::invalid_argument("trials are subtracted in pairs");
}

}  // namespace

std::vector<double> latencies(std::span<const StartsAnswer> trials) {
  return medians(trials, [](const StartsAnswer& trial, std::size_t run) { return trial.first_seen[run]; });
}

std::vector<double> calls(std::span<const StartsAnswer> trials) {
  return medians(trials, [](const StartsAnswer& trial, std::size_t run) { return trial.called[run]; });
}

std::vector<double> synchronisations(std::span<const StartsAnswer> trials) {
  return medians(trials, [](const StartsAnswer& trial, std::size_t run) {
    return trial.synchronised[run] - trial.last_seen[run];
  });
}

std::vector<double> periods(std::span<const StartsAnswer> short_chains, std::span<const StartsAnswer> long_chains,
                            std::int64_t more) {
  expect_pairs(short_chains.size(), long_chains.size());
  const auto short_lengths = lengths(short_chains);
  auto found = lengths(long_chains);
  for (std::size_t trial = 0; trial < found.size(); ++trial) {
    found[trial] = (found[trial] - short_lengths[trial]) / static_cast<double>(more);
  }
  return found;
}

std::vector<double> rates(std::span<const MovesAnswer> few, std::span<const MovesAnswer> many, double bytes) {
  expect_pairs(few.size(), many.size());
  std::vector<double> found;
  for (std::size_t trial = 0; trial < few.size(); ++trial) {
    found.push_back(bytes / ((many[trial].elapsed - few[trial].elapsed) * nanosecond));
  }
  return found;
}

}  // namespace tomograph::runtime_calls
