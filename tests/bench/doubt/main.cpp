// Measures facts under noise: how many are published, how many are right, and whether confidences are calibrated. See
// README.md.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "conditions.hpp"
#include "measure_all.hpp"
#include "parallel.hpp"
#include "reliability.hpp"
#include "score.hpp"

namespace {

using namespace tomograph::bench;

constexpr double demanded_right = 0.99;
constexpr double demanded_calibration = 0.02;

struct Options {
  std::vector<std::string> families;
  std::vector<std::string> conditions;
  std::uint64_t cases = 20;
  std::uint64_t seed = 0;
  unsigned jobs = 2;
  bool verbose = false;
  bool facts = false;
  bool smoke = false;
  std::string diagram;
};

std::vector<std::string> condition_names() {
  std::vector<std::string> names;
  for (const Condition& condition : conditions()) names.push_back(condition.name);
  return names;
}

std::vector<Condition> conditions_named(const std::vector<std::string>& names) {
  auto chosen = conditions();
  const auto unwanted = [&](const Condition& condition) {
    return std::ranges::find(names, condition.name) == names.end();
  };
  if (!names.empty()) std::erase_if(chosen, unwanted);
  return chosen;
}

/// Everything measured under one condition.
struct Row {
  std::string name;
  std::vector<Score> scores;

  [[nodiscard]] std::vector<Claim> claims() const {
    std::vector<Claim> all;
    for (const Score& score : scores) all.insert(all.end(), score.claims().begin(), score.claims().end());
    return all;
  }
};

/// A few cases of one family under one condition: the unit of parallel work.
struct Task {
  std::size_t condition = 0;
  std::size_t family = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::vector<Measured> measured = {};
};

/// A requested family: NAME or NAME:CASES. 0 cases if CASES is not a number.
struct Wanted {
  std::string name;
  std::optional<std::uint64_t> cases;
};

Wanted wanted(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos) return {text, std::nullopt};
  std::uint64_t cases = 0;
  const char* end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data() + colon + 1, end, cases);
  return {text.substr(0, colon), read == end && error == std::errc{} ? cases : 0};
}

std::vector<std::string> names_of(const std::vector<std::string>& families) {
  std::vector<std::string> names;
  for (const std::string& text : families) names.push_back(wanted(text).name);
  return names;
}

std::uint64_t cases_of(const Family& family, const Options& options) {
  for (const std::string& text : options.families) {
    if (wanted(text).name == family.name) return wanted(text).cases.value_or(options.cases);
  }
  return options.cases;
}

std::vector<Task> tasks(std::size_t conditions, const std::vector<Family>& families, const Options& options) {
  constexpr std::uint64_t at_a_time = 2;
  std::vector<Task> all;
  for (std::size_t family = 0; family < families.size(); ++family) {
    const std::uint64_t cases = cases_of(families[family], options);
    for (std::size_t condition = 0; condition < conditions; ++condition) {
      for (std::uint64_t first = 0; first < cases; first += at_a_time) {
        all.push_back({condition, family, options.seed + first, std::min(at_a_time, cases - first)});
      }
    }
  }
  return all;
}

/// The reason why `text` names no family; nothing if it does.
std::string no_family(const std::string& text) {
  const Wanted one = wanted(text);
  const auto known = family_names();
  if (std::ranges::find(known, one.name) == known.end()) return "there is no family " + one.name;
  return one.cases == 0 ? "cases are counted from 1: " + text : "";
}

std::vector<Row> measure(const std::vector<Condition>& conditions, const std::vector<Family>& families,
                         const Options& options) {
  auto all = tasks(conditions.size(), families, options);
  run_all(all.size(), options.jobs, [&](std::uint64_t i) {
    Task& task = all[i];
    task.measured = measure_all(families[task.family], task.first, task.count, 1, conditions[task.condition].apply);
  });
  std::vector<Row> rows;
  for (const Condition& condition : conditions) {
    rows.push_back({condition.name, {}});
    for (const Family& family : families) rows.back().scores.emplace_back(family.name);
  }
  for (const Task& task : all) {
    for (const auto& [drawn, said] : task.measured) rows[task.condition].scores[task.family].add(drawn, said);
  }
  return rows;
}

void print_flaws(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    std::printf("%s\n", row.name.c_str());
    for (const Score& score : row.scores) score.print_flaws();
  }
}

void print_by_family(const std::vector<Row>& rows, const char* title, const auto& figure) {
  std::printf("%s\n\n| condition |", title);
  for (const Score& score : rows.front().scores) std::printf(" %s |", score.family().c_str());
  std::printf(" all |\n|---|");
  for (std::size_t i = 0; i <= rows.front().scores.size(); ++i) std::printf("--:|");
  std::printf("\n");
  for (const Row& row : rows) {
    std::printf("| %s |", row.name.c_str());
    for (const Score& score : row.scores) std::printf(" %.1f |", 100 * figure(score.total()));
    std::printf(" %.2f |\n", 100 * figure(total(row.scores)));
  }
  std::printf("\n");
}

void print_calibration(const std::vector<Row>& rows) {
  std::printf("Expected calibration error, demanded at most %.2f:\n\n", demanded_calibration);
  std::printf("| condition | facts published | error |\n|---|--:|--:|\n");
  for (const Row& row : rows) {
    const auto claims = row.claims();
    std::printf("| %s | %zu | %.4f |\n", row.name.c_str(), claims.size(),
                expected_calibration_error(reliability(claims)));
  }
  std::printf("\n");
}

void print_bins(const std::vector<Bin>& bins) {
  std::printf("Claimed confidence against observed frequency, all conditions:\n\n");
  std::printf("| confidence | facts | claimed | observed | 95 %% interval of it |\n|---|--:|--:|--:|---|\n");
  for (const Bin& bin : bins) {
    std::printf("| %.3f to %.3f | %zu | %.4f | %.4f | %.4f to %.4f |\n", bin.low, bin.high, bin.claims, bin.claimed,
                bin.observed, bin.likely.low, bin.likely.high);
  }
}

/// Prints which facts are overconfident or underconfident.
void print_facts(std::span<const Claim> claims) {
  std::map<std::string, std::vector<Claim>> by_fact;
  for (const Claim& claim : claims) by_fact[claim.key].push_back(claim);
  std::printf(
      "Claims of each fact, all conditions:\n\n| fact | facts | claimed | observed | error |\n|---|--:|--:|--:|--:|\n");
  for (const auto& [key, own] : by_fact) {
    double claimed = 0;
    for (const Claim& claim : own) claimed += claim.confidence / static_cast<double>(own.size());
    const auto observed =
        static_cast<double>(std::ranges::count_if(own, &Claim::holds)) / static_cast<double>(own.size());
    std::printf("| %s | %zu | %.4f | %.4f | %.4f |\n", key.c_str(), own.size(), claimed, observed,
                expected_calibration_error(reliability(own)));
  }
  std::printf("\n");
}

bool meets_demands(const Row& row, bool smoke) {
  if (total(row.scores).share_right() < demanded_right) return false;
  return smoke || expected_calibration_error(reliability(row.claims())) <= demanded_calibration;
}

bool report(const Options& options) {
  const auto rows = measure(conditions_named(options.conditions), families_named(names_of(options.families)), options);
  if (options.verbose) print_flaws(rows);
  print_by_family(rows, "Right among facts published at 0.99 or more, in per cent:", [](const Tally& tally) {
    return tally.share_right();
  });
  print_by_family(rows, "Published among observable facts, in per cent:", [](const Tally& tally) {
    return tally.share_published();
  });
  print_by_family(rows,
                  "Certain, i.e. at 0.99 or more, among all published facts, in per cent:", [](const Tally& tally) {
                    return static_cast<double>(tally.claimed) /
                           static_cast<double>(std::max<std::size_t>(1, tally.claimed + tally.unsure));
                  });
  print_calibration(rows);
  std::vector<Claim> claims;
  for (const Row& row : rows) {
    const auto own = row.claims();
    claims.insert(claims.end(), own.begin(), own.end());
  }
  if (options.facts) print_facts(claims);
  const auto bins = reliability(claims);
  print_bins(bins);
  std::printf("\nExpected calibration error %.4f.\n", expected_calibration_error(bins));
  if (!options.diagram.empty()) std::ofstream(options.diagram) << diagram(bins);
  return std::ranges::all_of(rows, [&](const Row& row) { return meets_demands(row, options.smoke); });
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Measures random simulated GPUs under noise and disturbances, and compares confidence with the truth");
  app.add_option("--family", options.families, "Only this family, NAME or NAME:CASES")
      ->check(CLI::Validator(no_family, "FAMILY"));
  app.add_option("--condition", options.conditions, "Only this condition")->check(CLI::IsMember(condition_names()));
  app.add_option("--cases", options.cases, "How many of each family under each condition")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Number of the first case")->capture_default_str();
  app.add_option("--jobs", options.jobs, "Cases at the same time")->check(CLI::Range(1, 256))->capture_default_str();
  app.add_option("--diagram", options.diagram, "Write the reliability diagram to this SVG file");
  app.add_flag("--smoke", options.smoke,
               "Too few cases for calibration: only facts that were certain have to be right");
  app.add_flag("--facts", options.facts, "What each fact claims and how often that is true");
  app.add_flag("--verbose", options.verbose, "List each fact that is wrong or missing");
  CLI11_PARSE(app, argc, argv);
  try {
    return report(options) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "doubt: %s\n", error.what());
    return 2;
  }
}
