#include "analysis_rows.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace tomograph::data_cache {

namespace {

/// The lines that conflict with a sixth as many others as any does. Lines of another bank conflict with none; a line of
/// the middle row of three conflicts with those of the others, of which little may be known.
BankLines without_strangers(const BankLines& bank) {
  std::vector<std::size_t> conflicts_of(bank.lines.size(), 0);
  for (const auto& [one, other] : bank.conflicts) {
    ++conflicts_of[one];
    ++conflicts_of[other];
  }
  const std::size_t most = conflicts_of.empty() ? 0 : std::ranges::max(conflicts_of);
  BankLines kept;
  std::map<std::size_t, std::size_t> place;  // by the former place
  for (std::size_t line = 0; line < bank.lines.size(); ++line) {
    if (6 * conflicts_of[line] < most) continue;
    place.emplace(line, kept.lines.size());
    kept.lines.push_back(bank.lines[line]);
  }
  for (const auto& [one, other] : bank.conflicts) {
    if (place.contains(one) && place.contains(other)) kept.conflicts.emplace_back(place[one], place[other]);
  }
  return kept;
}

/// Lengths of the runs of lines that lie side by side.
std::set<std::int64_t> runs_of(const std::vector<std::int64_t>& lines) {
  std::set<std::int64_t> runs;
  std::int64_t run = 1;
  for (std::size_t i = 1; i <= lines.size(); ++i) {
    if (i < lines.size() && lines[i] == lines[i - 1] + 1) {
      ++run;
      continue;
    }
    runs.insert(run);
    run = 1;
  }
  return runs;
}

}  // namespace

Rows rows_of(const BankLines& bank) {
  const BankLines own = without_strangers(bank);
  const std::set<LinePair> conflicts(own.conflicts.begin(), own.conflicts.end());
  Rows rows;
  std::vector<std::size_t> row_of;
  for (std::size_t line = 0; line < own.lines.size(); ++line) {
    std::size_t conflicting = 0;
    const std::size_t in_row = rows.lines.empty() ? 0 : rows.lines.back().size();
    for (std::size_t other = line - in_row; other < line; ++other) conflicting += conflicts.count({other, line});
    if (in_row == 0 || 2 * conflicting > in_row) rows.lines.emplace_back();
    rows.lines.back().push_back(own.lines[line]);
    row_of.push_back(rows.lines.size());
  }
  const auto pairs = all_pairs(own.lines.size());
  const auto agreeing = std::ranges::count_if(pairs, [&](const LinePair& pair) {
    return conflicts.contains(pair) == (row_of[pair.first] != row_of[pair.second]);
  });
  if (!pairs.empty()) rows.agreement = static_cast<double>(agreeing) / static_cast<double>(pairs.size());
  return rows;
}

std::optional<RowShape> shape_of(std::span<const Rows> banks) {
  RowShape shape;
  std::set<std::int64_t> runs;
  for (const Rows& bank : banks) {
    for (const auto& row : bank.lines) {
      if (std::ssize(row) < shape.lines) continue;
      if (std::ssize(row) > shape.lines) {
        shape = {.lines = std::ssize(row)};
        runs.clear();
      }
      ++shape.rows;
      runs.merge(runs_of(row));
    }
  }
  if (shape.rows == 0) return std::nullopt;
  if (runs.size() == 1) shape.run = *runs.begin();
  return shape;
}

}  // namespace tomograph::data_cache
