#include <algorithm>
#include <bit>
#include <string>

#include "acquire_rows.hpp"
#include "publish_banks.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/column.hpp"

namespace tomograph::data_cache {

namespace {

constexpr const char* row_size_key = "dram.row.size";
constexpr const char* row_run_key = "dram.row.run";
constexpr const char* row_evidence = "dram.row";
/// Rows that are known from end to end at least, so that no single one decides.
constexpr std::size_t least_rows = 2;
/// Banks that are searched for them. On an H200 about two suffice.
constexpr std::size_t most_banks = 8;
/// Lines of other rows, with most of which a line of the bank must conflict.
constexpr std::size_t wanted_witnesses = 3;
/// Rows are sought in no bank whose pairs contradict them more often. Noise hides one pair in ten at most, see
/// `ConflictSearch`.
constexpr double least_consistent = 0.9;
/// Whole rows that must have the same number of lines. A line that was not found makes one smaller. A choice.
constexpr double least_alike = 2.0 / 3;

/// A line of a bank, by the number of its row.
struct LineOfRow {
  std::int64_t address = 0;  ///< bytes from the first page
  std::int64_t bank = 0;
  std::int64_t row = 0;
};

/// The rows of a few banks.
struct FoundRows {
  std::vector<LineOfRow> lines;
  std::vector<std::vector<std::int64_t>> whole;
};

void add_rows(FoundRows& found, const Rows& rows, const l2_lines::Memory& memory, std::size_t bank) {
  for (std::size_t row = 0; row < rows.lines.size(); ++row) {
    for (const std::int64_t line : rows.lines[row]) {
      found.lines.push_back({line * memory.line_size, static_cast<std::int64_t>(bank), static_cast<std::int64_t>(row)});
    }
  }
  const auto whole = whole_rows(rows, memory.lines_per_page());
  found.whole.insert(found.whole.end(), whole.begin(), whole.end());
}

FoundRows rows_of_banks(const Session& session, const EvictionSetting& setting,
                        const std::vector<MeasuredBanks>& sets) {
  FoundRows found;
  std::size_t searched = 0;
  for (const MeasuredBanks& set : sets) {
    for (const auto& bank : set.banks.lines) {
      if (found.whole.size() >= least_rows || searched == most_banks) return found;
      if (bank.size() <= wanted_witnesses) continue;
      std::vector<std::int64_t> witnesses;
      for (std::size_t i = 1; i <= wanted_witnesses; ++i) witnesses.push_back(set.lines[bank[i]]);
      const Rows rows = rows_of(lines_of_bank(session, setting, set.lines[bank.front()], witnesses));
      if (rows.agreement >= least_consistent) add_rows(found, rows, setting.memory, searched);
      ++searched;
    }
  }
  return found;
}

void leave_rows_open(const Session& session, const std::string& reason) {
  for (const char* key : {row_size_key, row_run_key}) session.inconclusive(key, reason);
}

}  // namespace

void publish_rows(const Session& session, const EvictionSetting& setting, const std::vector<MeasuredBanks>& sets) {
  const FoundRows found = rows_of_banks(session, setting, sets);
  session.evidence(row_evidence, std::vector{column("address_B", found.lines, &LineOfRow::address),
                                             column("bank", found.lines, &LineOfRow::bank),
                                             column("row", found.lines, &LineOfRow::row)});
  const auto shape = shape_of(found.whole);
  if (!shape || found.whole.size() < least_rows) {
    return leave_rows_open(session, "too few rows lie between two others of their bank in pages that are in order");
  }
  // Column addresses have whole bits.
  if (shape->agreement < least_alike || !std::has_single_bit(static_cast<std::uint64_t>(shape->lines))) {
    return leave_rows_open(session, "rows seem to have different numbers of lines");
  }
  Fact fact{.key = row_size_key,
            .value = shape->lines * setting.memory.line_size,
            .method = "conflicts-of-misses",
            .confidence = confidence::cache::sets_unsettled,
            .samples = found.whole.size(),
            .conditions = {{"rows_of_this_size", shape->agreement}},
            .evidence = row_evidence};
  session.publish(fact);
  if (!shape->run) return session.inconclusive(row_run_key, "lines of a row lie side by side in different numbers");
  fact.key = row_run_key;
  fact.value = *shape->run * setting.memory.line_size;
  session.publish(fact);
}

}  // namespace tomograph::data_cache
