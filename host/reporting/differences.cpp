#include "reporting/differences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "comparing/any_order.hpp"
#include "documents/display_width.hpp"
#include "documents/visible_text.hpp"
#include "reporting/quantity.hpp"
#include "reporting/rows.hpp"
#include "reporting/table.hpp"
#include "topology/typed_value.hpp"

namespace tomograph::host {
namespace {

/// How much of a screen of 60 lines each part may take, and how wide a value and a line may be.
constexpr std::size_t most_rows = 36;
constexpr std::size_t most_reasons = 4;
constexpr std::size_t most_lonely_keys = 12;
constexpr std::size_t widest_value = 32;
constexpr std::size_t text_width = 110;

/// The verdicts in the order of the report.
constexpr std::array report_order{Verdict::different, Verdict::higher, Verdict::lower, Verdict::undecided,
                                  Verdict::only_a,    Verdict::only_b, Verdict::same};

bool is_lonely(const FactDifference& difference) {
  return difference.verdict == Verdict::only_a || difference.verdict == Verdict::only_b;
}

std::string value_cell(const Topology& topology, const std::string& key) {
  const auto found = topology.facts.find(key);
  if (found == topology.facts.end()) return {};
  const FactRecord& record = found->second;
  std::string text = short_value(key, record.value, record.unit);
  if (display_width(text) <= widest_value || !record.value.is_structured()) return text;
  return counted(record.value.size(), "entry", "entries");
}

/// What the members of a table or list are called: one, and several.
std::pair<const char*, const char*> names_of_members(const std::string& key, const Json& value) {
  if (is_grouped(key, value)) return {"group", "groups"};
  if (is_rows(value)) return {"row", "rows"};
  return {"entry", "entries"};
}

/// "3 of 132 rows differ, first: row 17", of tables or lists with the same members. Rows count from 0, as SMs do.
std::string differing_members(const std::string& key, const Json& a, const Json& b) {
  if (a.type() != b.type() || a.size() != b.size()) return {};
  std::vector<std::string> differing;
  auto other = b.items().begin();
  for (const auto& member : a.items()) {
    if (member.key() != other.key()) return {};
    if (member.value() != other.value()) differing.push_back(member.key());
    ++other;
  }
  if (differing.empty()) return {};
  const auto [one, several] = names_of_members(key, a);
  return fmt::format("{} of {} {} {}, first: {} {}", differing.size(), a.size(), several,
                     differing.size() == 1 ? "differs" : "differ", one, differing.front());
}

std::string change_cell(const FactDifference& difference, const Topology& a, const Topology& b) {
  if (is_lonely(difference)) return {};
  const FactRecord& record = a.facts.at(difference.key);
  const bool is_table = record.value.is_structured();
  if (is_table && difference.verdict == Verdict::different && !difference.change) {
    return differing_members(difference.key, record.value, arranged_like(record, b.facts.at(difference.key)));
  }
  if (!difference.change || *difference.change == 0) return {};
  std::string text = fmt::format("{}{:+.3g} %", is_table ? "up to " : "", 100 * *difference.change);
  if (difference.verdict == Verdict::undecided && difference.possible_change) {
    const auto& [least, most] = *difference.possible_change;
    text += fmt::format(", {:+.2g} to {:+.2g} % possible", 100 * least, 100 * most);
  }
  return text;
}

double size_of_change(const FactDifference& difference) {
  return difference.change ? std::abs(*difference.change) : std::numeric_limits<double>::infinity();
}

/// By verdict, then the largest changes first, then by key.
std::vector<FactDifference> by_importance(std::span<const FactDifference> differences) {
  std::vector<FactDifference> sorted(differences.begin(), differences.end());
  std::ranges::stable_sort(sorted, [](const FactDifference& one, const FactDifference& other) {
    const auto* rank = std::ranges::find(report_order, one.verdict);
    const auto* other_rank = std::ranges::find(report_order, other.verdict);
    if (rank != other_rank) return rank < other_rank;
    return size_of_change(one) > size_of_change(other);
  });
  return sorted;
}

std::string name_of(const Topology& topology) {
  const auto name = topology.facts.find("device.name");
  std::string target = text_of(topology.provenance.value("/device/name"_json_pointer, Json())).value_or("");
  if (name == topology.facts.end() || !name->second.value.is_string()) return target;
  return name->second.value.get<std::string>() + ", measured on " + target;
}

/// Why a topology lacks a fact that the other has.
std::string why_absent(const Topology& topology, const std::string& key) {
  const auto found = topology.outcomes.find(key);
  if (found == topology.outcomes.end()) return "was not asked for";
  return fmt::format("{}, {}", to_string(found->second.status), visible(found->second.reason));
}

/// The facts that one topology lacks, by the reason.
std::string lonely_text(std::span<const FactDifference> differences, const Topology& a, const Topology& b) {
  std::map<std::pair<Verdict, std::string>, std::vector<std::string>> keys;
  for (const FactDifference& difference : differences) {
    if (!is_lonely(difference)) continue;
    const Topology& lacking = difference.verdict == Verdict::only_a ? b : a;
    keys[{difference.verdict, why_absent(lacking, difference.key)}].push_back(difference.key);
  }
  std::string text;
  std::map<Verdict, std::size_t> reasons;
  for (auto& [why, lonely] : keys) {
    const auto& [verdict, reason] = why;
    if (++reasons[verdict] > most_reasons) continue;
    const std::size_t more = lonely.size() - std::min(lonely.size(), most_lonely_keys);
    lonely.resize(lonely.size() - more);
    const std::string entry =
        fmt::format("{} {}{}; in {}: {}", to_string(verdict), fmt::join(lonely, ", "),
                    more == 0 ? "" : fmt::format(" and {} more", more), verdict == Verdict::only_a ? "B" : "A", reason);
    std::string indent;
    for (const std::string& line : wrapped(entry, text_width)) text += std::exchange(indent, "    ") + line + "\n";
  }
  return text;
}

std::string counts_text(std::span<const FactDifference> differences) {
  std::vector<std::string> counts;
  for (const Verdict verdict : report_order) {
    const auto count = std::ranges::count(differences, verdict, &FactDifference::verdict);
    if (count != 0) counts.push_back(fmt::format("{} {}", count, to_string(verdict)));
  }
  return counts.empty() ? "no facts" : fmt::format("{}", fmt::join(counts, ", "));
}

}  // namespace

std::string differences_text(std::span<const FactDifference> differences, const Topology& a, const Topology& b,
                             bool all, bool color) {
  const Style style(color);
  Table table({"", "fact", "A", "B", "change"});
  std::size_t left_out = 0;
  for (const FactDifference& difference : by_importance(differences)) {
    const bool is_shown = all || (difference.verdict != Verdict::same && !is_lonely(difference));
    if (!is_shown) continue;
    if (!all && table.size() == most_rows) {
      ++left_out;
      continue;
    }
    table.add({std::string(to_string(difference.verdict)), difference.key, value_cell(a, difference.key),
               value_cell(b, difference.key), change_cell(difference, a, b)});
  }
  std::string text = fmt::format("A  {}\nB  {}\n", name_of(a), name_of(b));
  if (table.size() != 0) text += "\n" + table.text(style);
  if (left_out != 0) text += fmt::format("and {} more of smaller change\n", left_out);
  const std::string lonely = all ? "" : lonely_text(differences, a, b);
  if (!lonely.empty()) text += "\n" + lonely;
  return text + "\n" + counts_text(differences) + style.dim(all ? "" : "; --all lists every fact") + "\n";
}

}  // namespace tomograph::host
