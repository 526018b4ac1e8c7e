#include "score.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <utility>

namespace independent {

namespace {

constexpr double certain = 0.99;
constexpr std::array bin_limits{0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 0.9999, 1.1};

std::string group_of(const std::string& key) {
  static constexpr std::array<std::pair<const char*, const char*>, 9> groups{{{"l1_data", "L1"},
                                                                              {"read_only", "read-only"},
                                                                              {"texture", "texture"},
                                                                              {"constant", "constant"},
                                                                              {"l2", "L2"},
                                                                              {"tlb", "TLB"},
                                                                              {"page_window", "TLB"},
                                                                              {"memory_spectrum", "spectrum"},
                                                                              {"dram", "spectrum"}}};
  for (const auto& [prefix, group] : groups) {
    if (key.starts_with(prefix)) return group;
  }
  return "other";
}

/// The record at a key, or null.
const Json* record_of(const Json& topology, const std::string& key) {
  const Json* table = &topology;
  std::istringstream parts(key);
  for (std::string part; std::getline(parts, part, '.');) {
    if (!table->contains(part)) return nullptr;
    table = &table->at(part);
  }
  return table->contains("value") ? table : nullptr;
}

std::string reason_of(const Json& topology, const std::string& key) {
  if (!topology.contains("outcomes") || !topology.at("outcomes").contains(key)) return "nothing was said";
  const Json& outcome = topology.at("outcomes").at(key);
  return outcome.value("status", "") + ": " + outcome.value("reason", "");
}

bool is_asked(const std::string& key, const std::vector<std::string>& patterns) {
  const auto matches = [&](const std::string& pattern) { return fnmatch(pattern.c_str(), key.c_str(), 0) == 0; };
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), matches);
}

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

void print_row(std::ostream& out, const std::string& title, const Tally& tally) {
  out << "| " << title << " | " << tally.observable << " | " << 100 * share(tally.observed, tally.observable) << " % | "
      << tally.certain << " | " << tally.wrong << " | " << 100 * share(tally.wrong, tally.certain) << " % | "
      << tally.unsure << " | " << tally.unsure_wrong << " |\n";
}

}  // namespace

Limits limits_of(const std::string& family) {
  if (family == "known") return {.wrong = 0.005, .calibration_error = 0.005, .published = 0.95};
  return {.wrong = 0.01};
}

Score::Score(std::string family) : family_(std::move(family)), bins_(bin_limits.size() - 1) {}

void Score::judge(std::uint64_t seed, const Expected& expected, const Json& topology) {
  Tally& tally = groups_[group_of(expected.key)];
  const Json* record = record_of(topology, expected.key);
  tally.observable += expected.observable ? 1 : 0;
  const std::string gpu = family_ + "-" + std::to_string(seed) + " " + expected.key;
  if (record == nullptr) {
    if (expected.observable) flaws_.push_back(gpu + ": missing, " + reason_of(topology, expected.key));
    return;
  }
  const double confidence = record->at("confidence").get<double>();
  const bool holds = claim_holds(expected, *record);
  const bool right = holds || is_right(expected, record->at("value"));
  claims_.push_back({.simulator = "independent",
                     .family = family_,
                     .gpu = seed,
                     .key = expected.key,
                     .method = record->value("method", ""),
                     .confidence = confidence,
                     .holds = holds,
                     .right = right});
  tally.observed += expected.observable ? 1 : 0;
  ++(confidence >= certain ? tally.certain : tally.unsure);
  (confidence >= certain ? tally.wrong : tally.unsure_wrong) += right ? 0 : 1;
  const auto bin = std::upper_bound(bin_limits.begin(), bin_limits.end(), confidence) - bin_limits.begin() - 1;
  Bin& binned = bins_[static_cast<std::size_t>(bin)];
  ++binned.facts;
  binned.claimed += confidence;
  binned.held += holds ? 1 : 0;
  if (right && holds) return;
  flaws_.push_back(gpu + (right ? ": interval misses, " : ": wrong, ") + record->at("value").dump() + " for " +
                   expected.value.dump() + ", confidence " + record->at("confidence").dump() +
                   (record->contains("interval") ? ", interval " + record->at("interval").dump() : ""));
}

void Score::add(std::uint64_t seed, std::vector<Expected> truth, const Json& topology,
                const std::vector<std::string>& patterns) {
  ++gpus_;
  for (Expected& expected : truth) {
    expected.observable = expected.observable && is_asked(expected.key, patterns);
    judge(seed, expected, topology);
  }
  if (!topology.contains("probes")) return;
  for (const auto& [probe, run] : topology.at("probes").items()) {
    const std::string status = run.value("status", "");
    if (status != "failed" && status != "crashed" && status != "timed-out") continue;
    failures_.push_back(family_ + "-" + std::to_string(seed) + " " + probe + " " + status + ": " +
                        run.value("reason", ""));
  }
}

void Score::add_failure(std::uint64_t seed, const std::string& reason) {
  ++gpus_;
  failures_.push_back(family_ + "-" + std::to_string(seed) + ": " + reason);
}

Tally Score::total() const {
  Tally sum;
  for (const auto& [group, tally] : groups_) {
    sum.observable += tally.observable;
    sum.observed += tally.observed;
    sum.certain += tally.certain;
    sum.wrong += tally.wrong;
    sum.unsure += tally.unsure;
    sum.unsure_wrong += tally.unsure_wrong;
  }
  return sum;
}

double Score::calibration_error() const {
  double sum = 0;
  std::size_t facts = 0;
  for (const Bin& bin : bins_) {
    sum += std::abs(bin.claimed - static_cast<double>(bin.held));
    facts += bin.facts;
  }
  return facts == 0 ? 0 : sum / static_cast<double>(facts);
}

bool Score::passes() const {
  const Limits limits = limits_of(family_);
  const bool right = std::all_of(groups_.begin(), groups_.end(), [&](const auto& group) {
    return share(group.second.wrong, group.second.certain) <= limits.wrong;
  });
  const Tally all = total();
  return right && all.certain > 0 && share(all.observed, all.observable) >= limits.published && failures_.empty();
}

bool Score::meets_limits() const { return passes() && calibration_error() <= limits_of(family_).calibration_error; }

void Score::print_groups(std::ostream& out) const {
  out << "| facts | observable | published | at 0.99 or more | wrong | share | at less | wrong |\n"
      << "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const auto& [group, tally] : groups_) print_row(out, group, tally);
  print_row(out, "all", total());
}

void Score::print_calibration(std::ostream& out) const {
  out << "| claimed confidence | facts | mean claimed | observed |\n| --- | --- | --- | --- |\n";
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    const Bin& bin = bins_[i];
    if (bin.facts == 0) continue;
    out << "| from " << std::setprecision(4) << bin_limits[i] << " | " << bin.facts << " | "
        << bin.claimed / static_cast<double>(bin.facts) << " | " << share(bin.held, bin.facts) << " |\n";
  }
  out << "\nExpected calibration error: " << calibration_error() << "\n";
}

void Score::print(std::ostream& out) const {
  out << "## " << family_ << ", " << gpus_ << " GPUs\n\n" << std::fixed << std::setprecision(2);
  print_groups(out);
  out << "\n";
  print_calibration(out);
  out << "\nProbes that failed, crashed or timed out: " << failures_.size() << "\n\n";
}

}  // namespace independent
