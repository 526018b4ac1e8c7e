#include "table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

namespace tomograph::bench {

namespace {

/// Result of a row.
enum class Verdict { agrees, hidden, disagrees };

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
    values.push_back(known->second.at("value"));
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

/// Whether all facts of a row are reported by the vendor's interface, so that nothing is measured.
std::string source(const Row& row, const Measurement& measured) {
  const bool is_given = std::ranges::all_of(row.recovery.keys, [&](const std::string& key) {
    const auto known = measured.facts.find(key);
    return known != measured.facts.end() && known->second.at("method") == "given";
  });
  return is_given ? ", as an interface says" : "";
}

Outcome judge(const Row& row, const Measurement& measured) {
  std::optional<Json> recovered = recover(row, measured);
  const bool agrees = recovered && agree(*recovered, row.value, row.tolerance);
  if (!row.hidden.empty()) {
    if (!recovered) return {Verdict::hidden, {}, "cannot be seen: " + row.hidden};
    return {Verdict::disagrees, recovered, "said to be hidden, but is recovered"};
  }
  if (agrees) return {Verdict::agrees, recovered, how_near(*recovered, row) + source(row, measured)};
  return {Verdict::disagrees, recovered, recovered ? "**differs**" : "**" + reason(row, measured) + "**"};
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
    case Verdict::hidden: ++tally.hidden; break;
    case Verdict::disagrees: ++tally.disagreeing; break;
  }
}

}  // namespace

Tally& operator+=(Tally& tally, const Tally& more) {
  tally.recovered += more.recovered;
  tally.hidden += more.hidden;
  tally.disagreeing += more.disagreeing;
  return tally;
}

std::string text(const Tally& tally) {
  return std::to_string(tally.recovered + tally.hidden + tally.disagreeing) +
         " values: " + std::to_string(tally.recovered) + " recovered, " + std::to_string(tally.hidden) +
         " cannot be seen, " + std::to_string(tally.disagreeing) + " in disagreement.";
}

Setting setting(const Row& row) { return {row.gpu, row.method}; }

Page page(const Paper& paper, const Measurements& measurements) {
  Page page;
  std::string tables;
  std::string place;
  for (const Row& row : paper.rows) {
    const Outcome outcome = judge(row, measurements.at(setting(row)));
    count(page.tally, outcome.verdict);
    if (row.where != place) {
      place = row.where;
      tables += "\n## " + place + "\n\n| | simulated GPU | paper | recovered | agreement |\n|---|---|---|---|---|\n";
    }
    tables += line(row, outcome);
    if (outcome.verdict != Verdict::disagrees) continue;
    page.disagreements.push_back(
        row.gpu + ", " + row.where + ", " + row.what + ": paper " + with_unit(row.value, row.unit) + ", recovered " +
        (outcome.recovered ? with_unit(*outcome.recovered, row.unit) : "nothing") + ": " + outcome.remark);
  }
  page.markdown = "# " + paper.title + "\n\nWritten by `papers`, see [README.md](README.md). " + paper.preface +
                  "\n\n" + text(page.tally) + "\n" + tables;
  return page;
}

}  // namespace tomograph::bench
