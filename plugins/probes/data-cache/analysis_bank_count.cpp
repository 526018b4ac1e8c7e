#include "analysis_bank_count.hpp"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>

namespace tomograph::data_cache {

namespace {

/// Probabilities that conflicts were overlooked so that a bank's lines make two groups, each as likely before. Noise
/// decides: on one of 64 simulated GPUs, it is one in ten, on most of them less than one in a thousand.
constexpr std::array split_shares{0.0003, 0.001, 0.003, 0.01, 0.03, 0.1};
/// More banks of a sample are not thought of as split.
constexpr std::size_t most_split = 8;

double log_factorial(std::size_t number) { return boost::math::lgamma(static_cast<double>(number) + 1); }

/// Logarithm of the number of ways to choose `part` of `lines`.
double log_choices(std::size_t lines, std::size_t part) {
  return log_factorial(lines) - log_factorial(part) - log_factorial(lines - part);
}

/// By group: the probability that it is a part of another's bank, no larger than the rest. A bank loses any number of
/// its lines up to a half, and any of them, if conflicts are overlooked; two lines of one row, where they are all of a
/// bank, do not conflict.
struct Splits {
  std::vector<double> overlooked;  ///< if all banks lose some
  std::vector<double> same_row;
};
Splits splits_of(const BankSample& sample, double same_row) {
  std::vector<std::size_t> groups = sample.groups;
  std::ranges::sort(groups);
  Splits splits;
  for (std::size_t part = 0; part < groups.size(); ++part) {
    double overlooked = 0;
    double in_row = 0;
    for (std::size_t rest = part + 1; rest < groups.size(); ++rest) {
      const std::size_t lines = groups[part] + groups[rest];
      const std::size_t sizes_of_part = lines / 2;
      const double chance = std::exp(-log_choices(lines, groups[part])) / static_cast<double>(sizes_of_part);
      overlooked += chance;
      if (lines == 2) in_row += same_row * chance;
    }
    splits.overlooked.push_back(overlooked);
    splits.same_row.push_back(in_row);
  }
  return splits;
}

/// By number: the sum of the products of the probabilities of so many groups that are parts, if this share of banks is
/// split (elementary symmetric polynomials).
std::vector<double> parts_by_number(const Splits& splits, double share) {
  std::vector<double> sums(most_split + 1, 0);
  sums[0] = 1;
  for (std::size_t group = 0; group < splits.overlooked.size(); ++group) {
    const double part = share * splits.overlooked[group] + splits.same_row[group];
    for (std::size_t number = most_split; number > 0; --number) sums[number] += sums[number - 1] * part;
  }
  return sums;
}

/// By the number of split banks: the logarithm of the probability that lines fall into the others and these, if each
/// falls into any of `banks`. It is that of the first lines of groups to fall into different banks, and of all others
/// to fall into theirs.
std::vector<double> log_probabilities(const BankSample& sample, std::size_t banks) {
  const auto lines = static_cast<double>(sample.lines());
  std::vector<double> logs;
  for (std::size_t split = 0; split <= std::min(most_split, sample.groups.size() - 1); ++split) {
    const std::size_t held = sample.groups.size() - split;
    logs.push_back(held > banks ? -std::numeric_limits<double>::infinity()
                                : log_factorial(banks) - log_factorial(banks - held) -
                                      lines * std::log(static_cast<double>(banks)));
  }
  return logs;
}

double log_of_sum(std::span<const double> logs) {
  const double most = std::ranges::max(logs);
  if (std::isinf(most)) return most;
  double sum = 0;
  for (const double one : logs) sum += std::exp(one - most);
  return most + std::log(sum);
}

/// Logarithm of a sample's likelihood, given log_probabilities and parts_by_number.
double log_likelihood(std::vector<double> logs, std::span<const double> parts) {
  for (std::size_t split = 0; split < logs.size(); ++split) logs[split] += std::log(parts[split]);
  return log_of_sum(logs);
}

/// What the number of banks does not change of a sample: parts_by_number, for each share of banks that may be split.
using Parts = std::array<std::vector<double>, split_shares.size()>;
Parts parts_of(const BankSample& sample, double same_row) {
  const Splits splits = splits_of(sample, same_row);
  Parts parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i] = parts_by_number(splits, split_shares[i]);
    // Of the others, none is split.
    const double whole = std::exp(-split_shares[i] * static_cast<double>(sample.groups.size()));
    for (double& part : parts[i]) part *= whole;
  }
  return parts;
}

/// Logarithm of the likelihood of so many banks.
double log_likelihood(std::span<const BankSample> samples, std::span<const Parts> parts, std::size_t banks) {
  std::array<double, split_shares.size()> of_share{};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto logs = log_probabilities(samples[i], banks);
    for (std::size_t k = 0; k < split_shares.size(); ++k) of_share[k] += log_likelihood(logs, parts[i][k]);
  }
  return log_of_sum(of_share);
}

}  // namespace

std::optional<BankCount> count_banks(std::span<const BankSample> samples, double same_row) {
  std::size_t most = 0;
  std::vector<Parts> parts;
  for (const BankSample& sample : samples) {
    most = std::max(most, sample.groups.size());
    parts.push_back(parts_of(sample, same_row));
  }
  if (most == 0) return std::nullopt;
  const std::size_t first = most / 2 + 1;
  std::vector<double> likelihoods;
  for (std::size_t banks = first; banks <= 4 * most; ++banks) {
    likelihoods.push_back(log_likelihood(samples, parts, banks));
  }
  const auto best = std::ranges::max_element(likelihoods);
  return BankCount{.value = static_cast<std::int64_t>(first) + (best - likelihoods.begin()),
                   .probability = std::exp(*best - log_of_sum(likelihoods))};
}

}  // namespace tomograph::data_cache
