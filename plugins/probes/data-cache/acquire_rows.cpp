#include "acquire_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <set>
#include <utility>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::data_cache {

namespace {

using l2_lines::Loads;

/// Banks whose rows are sought. Eight make an interval of their median; some fail.
constexpr std::size_t most_banks = 16;
/// Lines in other rows of a bank, most of which must delay a near line.
constexpr std::size_t most_witnesses = 3;
constexpr std::size_t least_witnesses = 2;
/// Cycles from one load to the next: at once; while the first is on its way; and long after it came.
constexpr std::array<std::int64_t, 4> distances{0, 128, 1024, 4096};
/// Loads of each pair of lines that find the near lines of a bank. Refreshes delay one in four of an H100's pairs, and
/// more than six of eight once in 2600 times.
constexpr std::size_t loads_to_find = 8;
/// Loads of each pair that count. Medians of so many scatter by a fifth of a load's deviation.
constexpr std::size_t loads_to_tell = 32;
/// Cycles of rest before a pair, about as long as a load, so that refreshes do not fall into step.
constexpr std::int64_t rest_of_rows = 1024;

/// Two lines, of which the second is timed.
using Lines = std::pair<std::int64_t, std::int64_t>;

/// Latencies of the second line, by pair. Pairs come so often each, in random order.
std::vector<std::vector<double>> second_latencies(const Session& session, const EvictionSetting& setting,
                                                  const std::vector<Lines>& pairs, std::int64_t apart,
                                                  std::size_t loads) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < pairs.size() * loads; ++i) order.push_back(i % pairs.size());
  std::mt19937_64 random(static_cast<std::uint64_t>(apart) + loads);
  std::ranges::shuffle(order, random);
  Loads program{.memory = setting.memory,
                .lines = {},
                .width = 2,
                .apart = apart,
                .sm = setting.sms.front(),
                .rest = rest_of_rows};
  for (const std::size_t pair : order) {
    program.lines.push_back(pairs[pair].first);
    program.lines.push_back(pairs[pair].second);
  }
  const auto result = session.ask(program);
  std::vector<std::vector<double>> latencies(pairs.size());
  for (std::size_t step = 0; step < order.size(); ++step) latencies[order[step]].push_back(result.latency[step]);
  return latencies;
}

/// A line whose row is sought, and lines to tell it by.
struct Known {
  std::int64_t line = 0;
  double alone = 0;                     ///< cycles that its miss takes
  std::vector<std::int64_t> witnesses;  ///< in other rows of its bank
  std::int64_t other_bank = 0;          ///< a line of its channel, about as far away
  std::vector<std::int64_t> near = {};
};

/// The line of a bank that conflicts with most others, and some of these.
Known known_of(const MeasuredBanks& measured, const std::vector<std::size_t>& bank,
               const std::set<LinePair>& conflicts) {
  const auto conflicting = [&](std::size_t line) {
    std::vector<std::int64_t> lines;
    for (const std::size_t other : bank) {
      if (conflicts.contains(std::minmax(line, other))) lines.push_back(measured.lines[other]);
    }
    return lines;
  };
  const auto line = *std::ranges::max_element(bank, {}, [&](std::size_t one) { return conflicting(one).size(); });
  Known known{.line = measured.lines[line], .alone = measured.alone[line], .witnesses = conflicting(line)};
  known.witnesses.resize(std::min(known.witnesses.size(), most_witnesses));
  return known;
}

/// Lines of its page within reach, nearest first, but for the first of the page.
std::vector<std::int64_t> near(std::int64_t line, const l2_lines::Memory& memory) {
  std::vector<std::int64_t> lines;
  for (std::int64_t distance = 1; distance <= row_reach / memory.line_size; ++distance) {
    for (const std::int64_t one : {line - distance, line + distance}) {
      const bool same_page = one / memory.lines_per_page() == line / memory.lines_per_page();
      if (same_page && one % memory.lines_per_page() != 0) lines.push_back(one);
    }
  }
  return lines;
}

/// A line of each of the banks that hold most lines.
std::vector<Known> known_lines(const MeasuredBanks& measured, const l2_lines::Memory& memory) {
  const std::set<LinePair> conflicts(measured.banks.conflicts.begin(), measured.banks.conflicts.end());
  std::vector<std::vector<std::size_t>> banks = measured.banks.lines;
  std::ranges::stable_sort(banks, std::ranges::greater{}, &std::vector<std::size_t>::size);
  std::vector<Known> all;
  for (const auto& bank : banks) {
    if (all.size() == most_banks) break;
    Known known = known_of(measured, bank, conflicts);
    if (known.witnesses.size() < least_witnesses) continue;
    known.near = near(known.line, memory);
    all.push_back(std::move(known));
  }
  if (all.size() < 2) return {};
  for (Known& known : all) {
    const auto differs_by = [&](const Known& other) {
      return other.line == known.line ? std::numeric_limits<double>::infinity() : std::abs(other.alone - known.alone);
    };
    known.other_bank = std::ranges::min_element(all, {}, differs_by)->line;
  }
  return all;
}

/// Cycles by near line of a known line, and then by the line before it.
using Delays = std::vector<std::vector<double>>;

/// By known line: how the lines `before` it delay each near line. The last of these is of another bank, and tells what
/// is usual.
template <typename Before>
std::vector<Delays> delays_of_near(const Session& session, const EvictionSetting& setting,
                                   const std::vector<Known>& all, const Before& before, std::size_t loads) {
  std::vector<Lines> pairs;
  for (const Known& known : all) {
    for (const std::int64_t line : known.near) {
      for (const std::int64_t first : before(known)) pairs.emplace_back(first, line);
    }
  }
  std::vector<Delays> delays;
  if (pairs.empty()) return delays;
  const auto latencies = second_latencies(session, setting, pairs, 0, loads);
  auto next = latencies.begin();
  for (const Known& known : all) {
    Delays& of_line = delays.emplace_back();
    for (std::size_t i = 0; i < known.near.size(); ++i) {
      auto& own = of_line.emplace_back();
      for (std::size_t j = 0; j < before(known).size(); ++j) own.push_back(analysis::quantile(*next++, undelayed));
      const double usual = own.back();
      own.pop_back();
      for (double& delay : own) delay -= usual;
    }
  }
  return delays;
}

/// Keeps those near lines that a witness delays.
void keep_delayed(const Session& session, const EvictionSetting& setting, std::vector<Known>& all, double conflict) {
  const auto before = [](const Known& known) { return std::array{known.witnesses.front(), known.other_bank}; };
  const auto delays = delays_of_near(session, setting, all, before, loads_to_find);
  for (std::size_t i = 0; i < delays.size(); ++i) {
    std::vector<std::int64_t> delayed;
    for (std::size_t line = 0; line < all[i].near.size(); ++line) {
      if (shares_bank({.after_witnesses = delays[i][line]}, conflict)) delayed.push_back(all[i].near[line]);
    }
    all[i].near = std::move(delayed);
  }
}

/// By known line: the near lines of its row.
std::vector<std::vector<std::int64_t>> mates_of(const Session& session, const EvictionSetting& setting,
                                                const std::vector<Known>& all, double conflict) {
  const auto before = [](const Known& known) {
    std::vector<std::int64_t> lines{known.line};
    lines.insert(lines.end(), known.witnesses.begin(), known.witnesses.end());
    lines.push_back(known.other_bank);
    return lines;
  };
  const auto delays = delays_of_near(session, setting, all, before, loads_to_tell);
  std::vector<std::vector<std::int64_t>> mates(all.size());
  for (std::size_t i = 0; i < delays.size(); ++i) {
    for (std::size_t line = 0; line < all[i].near.size(); ++line) {
      const auto& own = delays[i][line];
      const NearLine near{.after_line = own.front(), .after_witnesses = {own.begin() + 1, own.end()}};
      if (shares_row(near, conflict)) mates[i].push_back(all[i].near[line]);
    }
  }
  return mates;
}

RowDelays delays_at(const Session& session, const EvictionSetting& setting, const std::vector<RowLine>& rows,
                    std::int64_t apart) {
  std::vector<Lines> pairs;
  for (const RowLine& row : rows) {
    for (const std::int64_t before : {row.line, row.other_row, row.other_bank}) pairs.emplace_back(before, *row.mate);
  }
  const auto latencies = second_latencies(session, setting, pairs, apart, loads_to_tell);
  RowDelays delays{.apart = apart};
  for (std::size_t i = 0; i < latencies.size(); i += 3) {
    const double usual = analysis::median(latencies[i + 2]);
    delays.same_row.push_back(analysis::median(latencies[i]) - usual);
    delays.other_row.push_back(analysis::median(latencies[i + 1]) - usual);
  }
  return delays;
}

}  // namespace

std::vector<RowLine> measure_rows(const Session& session, const EvictionSetting& setting, const MeasuredBanks& banks) {
  const std::vector<Known> all = known_lines(banks, setting.memory);
  if (all.empty()) return {};
  const double conflict = analysis::median(banks.penalties);
  std::vector<Known> sought = all;
  keep_delayed(session, setting, sought, conflict);
  const auto mates = mates_of(session, setting, sought, conflict);
  std::vector<RowLine> rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    RowLine& row = rows.emplace_back();
    row.line = all[i].line;
    row.other_row = all[i].witnesses.front();
    row.other_bank = all[i].other_bank;
    if (!mates[i].empty()) row.mate = mates[i].front();
    row.run = run_around(row.line, {mates[i].begin(), mates[i].end()}, {all[i].near.begin(), all[i].near.end()});
  }
  return rows;
}

std::vector<RowDelays> time_rows(const Session& session, const EvictionSetting& setting,
                                 const std::vector<RowLine>& lines) {
  std::vector<RowLine> with_mate;
  std::ranges::copy_if(lines, std::back_inserter(with_mate), [](const RowLine& row) { return row.mate.has_value(); });
  std::vector<RowDelays> delays;
  if (with_mate.empty()) return delays;
  for (const std::int64_t apart : distances) delays.push_back(delays_at(session, setting, with_mate, apart));
  return delays;
}

}  // namespace tomograph::data_cache
