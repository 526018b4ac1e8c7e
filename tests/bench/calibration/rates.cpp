#include "rates.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <regex>

#include "reliability.hpp"

namespace calibration {

namespace {

constexpr double certain = 0.99;
constexpr double added_claims = 2;

/// The key without the level, pattern or instruction that it is about.
std::string quantity_of(const std::string& key) {
  static const std::regex cache("^(l1_data|read_only|texture|constant_l1|constant_l15|l2)\\.");
  static const std::regex level("^tlb\\.l[0-9]\\.");
  static const std::regex pattern("^memory_spectrum\\..*");
  static const std::regex instruction("^instruction\\.[^.]*\\.");
  std::string quantity = std::regex_replace(key, cache, "cache.");
  quantity = std::regex_replace(quantity, level, "tlb.");
  quantity = std::regex_replace(quantity, pattern, "memory_spectrum");
  return std::regex_replace(quantity, instruction, "instruction.");
}

/// The lower edge of the band of a confidence.
double band_of(double confidence) {
  const auto above = std::ranges::upper_bound(tomograph::bench::reliability_edges, confidence);
  return above == tomograph::bench::reliability_edges.begin() ? 0 : *(above - 1);
}

double share(const Tally& tally, double expected) {
  return (static_cast<double>(tally.held) + added_claims * expected) /
         (static_cast<double>(tally.facts) + added_claims);
}

void count(Tally& tally, const Claim& claim) {
  ++tally.facts;
  tally.held += claim.holds ? 1 : 0;
  tally.claimed += claim.confidence;
}

}  // namespace

std::string entry_of(const Claim& claim) {
  char band[16];
  std::snprintf(band, sizeof band, "%.3g", band_of(claim.confidence));
  return quantity_of(claim.key) + ", " + claim.method + ", from " + band;
}

Rates::Rates(std::span<const Claim> claims) {
  for (const Claim& claim : claims) {
    count(entries_[entry_of(claim)], claim);
    count(all_, claim);
  }
}

double Rates::rate_of(const std::string& entry) const {
  constexpr double unknown = 0.5;
  return share(tally_of(entry), share(all_, unknown));
}

Tally Rates::tally_of(const std::string& entry) const {
  const auto found = entries_.find(entry);
  return found == entries_.end() ? Tally{} : found->second;
}

std::vector<Claim> claimed_by(const Rates& rates, std::span<const Claim> claims) {
  std::vector<Claim> changed(claims.begin(), claims.end());
  for (Claim& claim : changed) claim.confidence = rates.rate_of(entry_of(claim));
  return changed;
}

Verdict judged(std::span<const Claim> claims) {
  const auto bins = tomograph::bench::reliability(claims);
  Verdict verdict{.facts = claims.size(), .calibration_error = tomograph::bench::expected_calibration_error(bins)};
  for (const Claim& claim : claims) {
    if (claim.confidence < certain) continue;
    ++verdict.certain;
    verdict.wrong += claim.holds || claim.right ? 0 : 1;
  }
  return verdict;
}

double cautious_rate(const std::string& entry, std::span<const Rates> simulators) {
  double worst = 1;
  for (const Rates& rates : simulators) {
    if (rates.entries().contains(entry)) worst = std::min(worst, rates.rate_of(entry));
  }
  return worst;
}

}  // namespace calibration
