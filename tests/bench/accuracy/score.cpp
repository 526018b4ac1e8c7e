#include "score.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tomograph::bench {

namespace {

constexpr double demanded_right = 0.99;
constexpr double demanded_published = 0.95;

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
}

void print_heading(const char* first) {
  std::printf("%-36s %10s %10s %8s %10s %8s %8s %14s\n", first, "observable", "published", "share", "certain", "right",
              "share", "unsure (right)");
}

bool covers(const Json& interval, const Json& truth) {
  const double value = truth.get<double>();
  // An exact value may have a single point as its interval, which rounding must not miss.
  const double rounding = 1e-9 * std::abs(value);
  return interval.at(0).get<double>() - rounding <= value && value <= interval.at(1).get<double>() + rounding;
}

/// Whether a record's claim is true.
bool holds(const Json& record, const Expected& expected, bool right) {
  if (!record.contains("interval") || !expected.value.is_number()) return right;
  return covers(record.at("interval"), expected.value);
}

void print_row(const std::string& title, const Tally& tally) {
  std::printf("%-36s %10zu %10zu %7.2f%% %10zu %8zu %7.2f%% %8zu (%zu)\n", title.c_str(), tally.observable,
              tally.published, 100 * tally.share_published(), tally.claimed, tally.right, 100 * tally.share_right(),
              tally.unsure, tally.unsure_right);
}

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  observable += other.observable;
  published += other.published;
  claimed += other.claimed;
  right += other.right;
  unsure += other.unsure;
  unsure_right += other.unsure_right;
  return *this;
}

double Tally::share_published() const { return share(published, observable); }
double Tally::share_right() const { return share(right, claimed); }

void Score::judge(const Case& drawn, const Expected& expected, const Measurement& measured) {
  Tally seen{.observable = expected.observable ? 1U : 0U};
  const auto flaw = [&](const std::string& text, bool wrong) {
    flaws_.push_back({drawn.number, drawn.geometry, expected.key, text, wrong});
  };
  const auto published = measured.facts.find(expected.key);
  if (published == measured.facts.end()) {
    const auto reason = measured.unknown.find(expected.key);
    if (expected.observable) {
      flaw("missing: " + (reason == measured.unknown.end() ? "nothing was said" : reason->second), false);
    }
  } else {
    const Json& record = published->second;
    const bool right = expected.is_right(record.at("value"));
    const bool claimed = record.at("confidence").get<double>() >= certain;
    claims_.push_back({.simulator = "accuracy",
                       .family = family_,
                       .gpu = drawn.number,
                       .key = expected.key,
                       .method = record.at("method").get<std::string>(),
                       .confidence = record.at("confidence").get<double>(),
                       .holds = holds(record, expected, right),
                       .right = right});
    seen.published = seen.observable;
    (claimed ? seen.claimed : seen.unsure) = 1;
    (claimed ? seen.right : seen.unsure_right) = right ? 1 : 0;
    if (!right) {
      flaw("wrong: " + record.at("value").dump() + " instead of " + expected.value.dump() + ", confidence " +
               record.at("confidence").dump() + ", " + record.at("method").dump() +
               (record.contains("interval") ? ", interval " + record.at("interval").dump() : ""),
           claimed);
    }
  }
  by_fact_[expected.key] += seen;
  by_kind_[drawn.kind] += seen;
}

void Score::add(const Case& drawn, const Measurement& measured) {
  ++cases_;
  for (const Expected& expected : drawn.expected) judge(drawn, expected, measured);
  for (const auto& [probe, seconds] : measured.probe_seconds) slowest_[probe] = std::max(slowest_[probe], seconds);
}

Tally Score::total() const {
  Tally sum;
  for (const auto& [key, tally] : by_fact_) sum += tally;
  return sum;
}

void Score::print_table() const {
  std::printf("%s, %zu cases\n", family_.c_str(), cases_);
  print_heading("fact");
  for (const auto& [key, tally] : by_fact_) print_row(key, tally);
  print_row("all facts", total());
  std::printf("\n");
  print_heading("kind");
  for (const auto& [kind, tally] : by_kind_) print_row(kind, tally);
  std::printf("\n%-36s %10s\n", "probe", "at most, s");
  for (const auto& [probe, seconds] : slowest_) std::printf("%-36s %10.2f\n", probe.c_str(), seconds);
  std::printf("\n");
}

void Score::print_flaws() const {
  const std::string* geometry = nullptr;
  for (const Flaw& flaw : flaws_) {
    if (geometry == nullptr || *geometry != flaw.geometry) {
      std::printf("%s %llu: %s\n", family_.c_str(), static_cast<unsigned long long>(flaw.number),
                  flaw.geometry.c_str());
    }
    geometry = &flaw.geometry;
    std::printf("  %s%s %s\n", flaw.certain_and_wrong ? "!! " : "", flaw.key.c_str(), flaw.text.c_str());
  }
}

bool meets_demands(const Tally& tally) {
  return tally.share_right() >= demanded_right && tally.share_published() >= demanded_published;
}

Tally total(std::span<const Score> scores) {
  Tally sum;
  for (const Score& score : scores) sum += score.total();
  return sum;
}

void print_summary(std::span<const Score> scores) {
  const auto print = [](const char* title, std::size_t cases, const Tally& tally) {
    std::printf("%-36s %10zu %13.2f %% %17.2f %%\n", title, cases, 100 * tally.share_right(),
                100 * tally.share_published());
  };
  std::printf("%-36s %10s %15s %19s\n", "family", "cases", "certain: right", "observable: known");
  std::size_t cases = 0;
  for (const Score& score : scores) {
    print(score.family().c_str(), score.cases(), score.total());
    cases += score.cases();
  }
  print("all families", cases, total(scores));
  std::printf("%-36s %10s %13.2f %% %17.2f %%\n", "demanded", "", 100 * demanded_right, 100 * demanded_published);
}

}  // namespace tomograph::bench
