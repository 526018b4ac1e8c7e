#include "table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include "tomograph/abi/chase.h"

namespace tomograph::bench {

namespace {

/// Result of a row.
enum class Verdict { agrees, disputed, hidden, fails };

struct Outcome {
  Verdict verdict;
  std::optional<Json> recovered;
  std::string remark;  ///< how well it agrees, or why there is nothing to compare
};

bool is_near(double recovered, double stated, const Tolerance& tolerance) {
  const double rounding = 1e-9 * std::abs(stated);
  return std::abs(recovered - stated) <=
         std::max({tolerance.relative * std::abs(stated), tolerance.absolute, rounding});
}

bool agree(const Json& recovered, const Json& stated, const Tolerance& tolerance) {
  if (stated.is_array() && recovered.is_array()) {
    return std::ranges::equal(recovered, stated,
                              [&](const Json& one, const Json& other) { return agree(one, other, tolerance); });
  }
  if (!stated.is_number() || !recovered.is_number()) return recovered == stated;
  return is_near(recovered.get<double>(), stated.get<double>(), tolerance);
}

/// The first of the row's facts that is not known, and why.
std::string reason(const Row& row, const Measurement& measured) {
  for (const std::string& key : row.recovery.keys) {
    if (measured.facts.contains(key)) continue;
    const auto why = measured.unknown.find(key);
    return "`" + key + "`: " + (why == measured.unknown.end() ? "no probe provides it" : why->second);
  }
  return "";
}

std::optional<Json> recover(const Row& row, const Measurement& measured) {
  if (row.recovery.is_absence) {
    const auto why = measured.unknown.find(row.recovery.keys.front());
    const bool is_absent = why != measured.unknown.end() && why->second.starts_with("absent: ");
    return is_absent ? std::optional<Json>("none") : std::nullopt;
  }
  if (row.recovery.keys.empty()) return std::nullopt;
  std::vector<Json> values;
  for (const std::string& key : row.recovery.keys) {
    const auto known = measured.facts.find(key);
    if (known == measured.facts.end()) return std::nullopt;
    const std::string& condition = row.recovery.condition;
    if (!condition.empty() && !known->second.at("conditions").contains(condition)) return std::nullopt;
    values.push_back(condition.empty() ? known->second.at("value") : known->second.at("conditions").at(condition));
  }
  return row.recovery.from(values);
}

std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%+.1f %%", 100 * share);
  const std::string shown = text.data();
  return shown == "-0.0 %" || shown == "+0.0 %" ? "0.0 %" : shown;
}

std::string how_near(const Json& recovered, const Row& row) {
  const bool continuous = row.tolerance.relative > 0 && row.value.is_number() && row.value.get<double>() != 0;
  if (continuous) return percent(recovered.get<double>() / row.value.get<double>() - 1);
  return row.tolerance.absolute > 0 ? "within " + Json(row.tolerance.absolute).dump() : "equal";
}

bool is_given(const Row& row, const Measurement& measured) {
  return std::ranges::all_of(row.recovery.keys, [&](const std::string& key) {
    const auto known = measured.facts.find(key);
    return known != measured.facts.end() && known->second.at("method") == "given";
  });
}

/// Whether the simulator walked through its caches for a fact of the row.
bool is_chased(const Row& row, const Measurement& measured) {
  return row.recovery.is_absence || std::ranges::any_of(row.recovery.keys, [&](const std::string& key) {
           const auto asked = measured.experiments.find(key);
           return asked != measured.experiments.end() && asked->second.contains(TOMOGRAPH_CHASE_ID);
         });
}

/// Whether the row compares what no row before has compared.
bool is_new(const Row& row, Compared& compared) {
  const Json asked{row.gpu, row.method, row.recovery.keys, row.recovery.condition, row.value};
  return compared.insert(asked.dump()).second;
}

Origin origin(const Row& row, const Measurement& measured, Compared& compared) {
  if (!is_new(row, compared)) return Origin::repeated;
  if (is_given(row, measured) && !row.recovery.is_absence) return Origin::api;
  if (row.recovery.is_inferred) return Origin::inferred;
  return is_chased(row, measured) ? Origin::chased : Origin::read_back;
}

/// The distance of two numbers that disagree.
std::string how_far(const Json& recovered, const Row& row) {
  if (!recovered.is_number() || !row.value.is_number()) return "disagrees";
  return "disagrees, " + percent(recovered.get<double>() / row.value.get<double>() - 1);
}

Outcome judge(const Row& row, const Measurement& measured) {
  std::optional<Json> recovered = recover(row, measured);
  const bool agrees = recovered && agree(*recovered, row.value, row.tolerance);
  if (!row.hidden.empty()) {
    if (!recovered) return {Verdict::hidden, {}, "cannot be seen: " + row.hidden};
    return {Verdict::fails, recovered, "said to be hidden, but is recovered"};
  }
  if (!recovered) return {Verdict::fails, {}, "**" + reason(row, measured) + "**"};
  if (!row.disputed.empty()) {
    if (agrees) return {Verdict::fails, recovered, "said to be disputed, but agrees"};
    return {Verdict::disputed, recovered, how_far(*recovered, row) + ": " + row.disputed};
  }
  if (!agrees) return {Verdict::fails, recovered, "**differs**"};
  return {Verdict::agrees, recovered,
          how_near(*recovered, row) + (is_given(row, measured) ? ", as an interface says" : "")};
}

/// Four significant digits, but none beyond the paper's precision.
std::string shown(double number) {
  std::array<char, 32> text{};
  const bool is_whole = number == std::round(number) && std::abs(number) < 1e15;
  std::snprintf(text.data(), text.size(), is_whole ? "%.0f" : "%.4g", number);
  return text.data();
}

std::string shown(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number()) return shown(value.get<double>());
  if (!value.is_array()) return "`" + value.dump() + "`";
  std::string list;
  for (const Json& element : value) list += (list.empty() ? "" : ", ") + shown(element);
  return list;
}

std::string with_unit(const Json& value, const std::string& unit) {
  return unit.empty() || !(value.is_number() || value.is_array()) ? shown(value) : shown(value) + " " + unit;
}

std::string line(const Row& row, const Outcome& outcome) {
  const std::string recovered = outcome.recovered ? with_unit(*outcome.recovered, row.unit) : "-";
  return "| " + row.what + " | " + row.gpu + " | " + with_unit(row.value, row.unit) + " | " + recovered + " | " +
         outcome.remark + " |\n";
}

void count(Tally& tally, Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees: ++tally.recovered; break;
    case Verdict::disputed: ++tally.disputed; break;
    case Verdict::hidden: ++tally.hidden; break;
    case Verdict::fails: ++tally.failing; break;
  }
}

/// The rows of one place in the paper.
struct Table {
  std::string place;
  std::string lines;
  Tally tally;

  [[nodiscard]] std::string markdown() const {
    return "\n## " + place + "\n\n" + origins(tally) +
           "\n\n| | simulated GPU | paper | recovered | agreement |\n|---|---|---|---|---|\n" + lines;
  }
};

std::string failure(const Row& row, const Outcome& outcome) {
  return row.gpu + ", " + row.where + ", " + row.what + ": paper " + with_unit(row.value, row.unit) + ", recovered " +
         (outcome.recovered ? with_unit(*outcome.recovered, row.unit) : "nothing") + ": " + outcome.remark;
}

}  // namespace

Tally& operator+=(Tally& tally, const Tally& more) {
  tally.recovered += more.recovered;
  tally.disputed += more.disputed;
  tally.hidden += more.hidden;
  tally.failing += more.failing;
  for (std::size_t i = 0; i < tally.origins.size(); ++i) tally.origins[i] += more.origins[i];
  return tally;
}

std::string text(const Tally& tally) {
  return std::to_string(tally.recovered + tally.disputed + tally.hidden + tally.failing) +
         " values: " + std::to_string(tally.recovered) + " recovered, " + std::to_string(tally.disputed) +
         " disagree, " + std::to_string(tally.hidden) + " cannot be seen.";
}

std::string origins(const Tally& tally) {
  constexpr std::array names{"by chased loads", "read back from a formula", "from an interface", "inferred",
                             "repeated"};
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (tally.origins[i] == 0) continue;
    list += (list.empty() ? "" : ", ") + std::to_string(tally.origins[i]) + " " + names[i];
  }
  return list.empty() ? list : "Values: " + list + ".";
}

Setting setting(const Row& row) { return {row.gpu, row.method}; }

void remember(const Paper& paper, Compared& compared) {
  for (const Row& row : paper.rows) is_new(row, compared);
}

Page page(const Paper& paper, const Measurements& measurements, Compared& compared) {
  Page page;
  std::vector<Table> tables;
  for (const Row& row : paper.rows) {
    const Measurement& measured = measurements.at(setting(row));
    const Outcome outcome = judge(row, measured);
    if (tables.empty() || tables.back().place != row.where) tables.push_back({row.where, "", {}});
    Table& table = tables.back();
    count(table.tally, outcome.verdict);
    if (outcome.recovered) ++table.tally.origins[static_cast<std::size_t>(origin(row, measured, compared))];
    table.lines += line(row, outcome);
    if (outcome.verdict == Verdict::fails) page.failures.push_back(failure(row, outcome));
  }
  std::string body;
  for (const Table& table : tables) {
    page.tally += table.tally;
    body += table.markdown();
  }
  page.markdown = "# " + paper.title + "\n\nWritten by `papers`, see [README.md](README.md). " + paper.preface +
                  "\n\n" + text(page.tally) + " " + origins(page.tally) + "\n" + body;
  return page;
}

}  // namespace tomograph::bench
