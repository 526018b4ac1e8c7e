#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "acquire_rows.hpp"
#include "publish_banks.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/column.hpp"

namespace tomograph::data_cache {

namespace {

constexpr const char* row_size_key = "dram.row.size_at_least";
constexpr const char* row_run_key = "dram.row.run";
constexpr const char* row_evidence = "dram.row";
/// Rows of the largest size at least, so that no single one decides.
constexpr std::size_t least_rows = 3;
/// Banks that are searched for them. On an H200 about four suffice.
constexpr std::size_t most_banks = 16;
/// Rows are sought in no bank whose pairs contradict them more often. Noise hides one pair in ten at most, see
/// `ConflictSearch`.
constexpr double least_consistent = 0.9;
/// A line of a bank, by the number of its row.
struct LineOfRow {
  std::int64_t address = 0;  ///< bytes from the first page
  std::int64_t bank = 0;
  std::int64_t row = 0;
};

std::vector<LineOfRow> lines_of(const std::vector<Rows>& banks, const l2_lines::Memory& memory) {
  std::vector<LineOfRow> lines;
  for (std::size_t bank = 0; bank < banks.size(); ++bank) {
    for (std::size_t row = 0; row < banks[bank].lines.size(); ++row) {
      for (const std::int64_t line : banks[bank].lines[row]) {
        lines.push_back({line * memory.line_size, static_cast<std::int64_t>(bank), static_cast<std::int64_t>(row)});
      }
    }
  }
  return lines;
}

std::vector<Rows> rows_of_banks(const Session& session, const EvictionSetting& setting, const TimedLines& channel) {
  std::vector<Rows> banks;
  for (std::size_t i = 0; i < std::min(most_banks, channel.lines.size()); ++i) {
    // Multiples of the golden ratio spread evenly.
    const double turns = static_cast<double>(i + 1) / std::numbers::phi;
    const double place = (turns - std::floor(turns)) * static_cast<double>(channel.lines.size());
    const auto lines = lines_of_bank(session, setting, channel, static_cast<std::size_t>(place));
    if (!lines) continue;
    const Rows rows = rows_of(*lines);
    if (rows.agreement >= least_consistent) banks.push_back(rows);
    const auto shape = shape_of(banks);
    if (shape && shape->rows >= least_rows) break;
  }
  return banks;
}

void leave_rows_open(const Session& session, const std::string& reason) {
  for (const char* key : {row_size_key, row_run_key}) session.inconclusive(key, reason);
}

}  // namespace

void publish_rows(const Session& session, const EvictionSetting& setting) {
  const TimedLines channel = lines_of_channel(session, setting);
  const std::vector<Rows> banks = rows_of_banks(session, setting, channel);
  const auto lines = lines_of(banks, setting.memory);
  session.evidence(row_evidence,
                   std::vector{column("address_B", lines, &LineOfRow::address), column("bank", lines, &LineOfRow::bank),
                               column("row", lines, &LineOfRow::row)});
  const auto shape = shape_of(banks);
  if (!shape || shape->rows < least_rows || shape->lines < 2) {
    return leave_rows_open(session, "too few lines of a bank were found that do not conflict");
  }
  Fact fact{.key = row_size_key,
            .value = shape->lines * setting.memory.line_size,
            .method = "conflicts-of-misses",
            .confidence = confidence::cache::sets_unsettled,
            .samples = shape->rows,
            .conditions = {{"lines_searched", static_cast<std::int64_t>(channel.lines.size())}},
            .evidence = row_evidence};
  session.publish(fact);
  if (!shape->run) return session.inconclusive(row_run_key, "lines of a row lie side by side in different numbers");
  fact.key = row_run_key;
  fact.value = *shape->run * setting.memory.line_size;
  session.publish(fact);
}

}  // namespace tomograph::data_cache
