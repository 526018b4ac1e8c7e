#include "publish_rows.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "acquire_rows.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/proportion.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/column.hpp"

namespace tomograph::data_cache {

namespace {

constexpr std::array row_facts{"dram.row.run", "dram.row.hit_penalty", "dram.row.stays_open"};
constexpr const char* too_few_rows = "too few banks hold neighbouring lines of one row";
constexpr const char* row_evidence = "dram.row";
constexpr const char* run_evidence = "dram.row.run";
/// Banks that tell how long a run is, at least.
constexpr std::size_t least_runs = 3;
/// Banks whose median has an interval that covers it with confidence::median_interval.
constexpr std::size_t least_banks = 8;

void publish_run(const Session& session, const std::vector<RowLine>& rows, const l2_lines::Memory& memory) {
  std::vector<RowLine> known;
  std::ranges::copy_if(rows, std::back_inserter(known), [](const RowLine& row) { return row.run.has_value(); });
  std::vector<std::int64_t> runs;
  for (const RowLine& row : known) runs.push_back(*row.run);
  const auto bytes = [&](std::int64_t lines) { return lines * memory.line_size; };
  session.evidence(run_evidence,
                   std::vector{column("address_B", known, [&](const RowLine& row) { return bytes(row.line); }),
                               column("run_B", known, [&](const RowLine& row) { return bytes(*row.run); })});
  if (runs.size() < least_runs) return session.inconclusive(row_facts[0], too_few_rows);
  const auto most = majority(runs);
  if (!most) return session.inconclusive(row_facts[0], "lines of a row lie side by side in different numbers");
  const auto alternatives = static_cast<std::size_t>(row_reach / memory.line_size);
  session.publish({.key = row_facts[0],
                   .value = bytes(most->value),
                   .method = "conflicts-of-misses",
                   .confidence = analysis::confidence_from_agreement(most->agreeing, most->results, alternatives),
                   .samples = most->results,
                   .evidence = run_evidence});
}

/// `deviation` is that of one load. Medians of an H100 differ by as much from run to run, since each run finds the
/// banks of other sets.
void publish_hit_penalty(const Session& session, const RowDelays& at_once, double deviation) {
  const auto interval = analysis::median_interval(at_once.same_row, confidence::median_interval);
  session.publish({.key = row_facts[1],
                   .value = analysis::median(at_once.same_row),
                   .method = "conflicts-of-misses",
                   .confidence = std::min(interval.coverage, confidence::median_interval),
                   .interval = Interval{interval.low - deviation, interval.high + deviation},
                   .samples = at_once.same_row.size(),
                   .conditions = {{"other_row", analysis::median(at_once.other_row)}},
                   .evidence = row_evidence});
}

void publish_openness(const Session& session, const std::vector<RowDelays>& delays) {
  const auto open = open_rows(delays);
  if (!open) return session.inconclusive(row_facts[2], "rows are open for some of the loads that follow");
  session.publish({.key = row_facts[2],
                   .value = open->stay_open,
                   .method = "loads-one-after-another",
                   .confidence = analysis::confidence_from_agreement(open->agreeing, open->banks, 1),
                   .samples = open->banks,
                   .conditions = {{"cycles_apart", delays.back().apart}},
                   .evidence = row_evidence});
}

void hand_in(const Session& session, const std::vector<RowDelays>& delays) {
  const auto median = [](auto member) {
    return [member](const RowDelays& at) { return analysis::median(at.*member); };
  };
  session.evidence(row_evidence, std::vector{column("apart", delays, &RowDelays::apart),
                                             column("same_row", delays, median(&RowDelays::same_row)),
                                             column("other_row", delays, median(&RowDelays::other_row))});
}

}  // namespace

void find_rows(const Session& session, const EvictionSetting& setting, const MeasuredBanks& banks) {
  std::vector<RowLine> rows;
  std::vector<RowDelays> delays;
  try {
    rows = measure_rows(session, setting, banks);
    delays = time_rows(session, setting, rows);
  } catch (const Skip& unsupported) {
    return leave_rows_open(session, unsupported.what());
  } catch (const Refused& refused) {
    // Devices older than the parameter `apart` do not know it.
    if (refused.status != TOMOGRAPH_INVALID) throw;
    return leave_rows_open(session, refused.what());
  }
  publish_run(session, rows, setting.memory);
  if (delays.empty() || delays.front().same_row.size() < least_banks) {
    for (const char* key : {row_facts[1], row_facts[2]}) {
      session.inconclusive(key, too_few_rows);
    }
    return;
  }
  hand_in(session, delays);
  publish_hit_penalty(session, delays.front(), banks.deviation);
  publish_openness(session, delays);
}

void leave_rows_open(const Session& session, const std::string& reason) {
  for (const char* key : row_facts) session.inconclusive(key, reason);
}

}  // namespace tomograph::data_cache
