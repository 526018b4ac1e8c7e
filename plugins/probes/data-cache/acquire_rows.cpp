#include "acquire_rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <set>

namespace tomograph::data_cache {

namespace {

/// Bytes around a line in which lines of its bank are sought. A bank of an H200 returns after 768 KiB, and a row takes
/// four returns, so that two rows and their neighbours lie within. A choice.
constexpr std::int64_t most_near_bytes = std::int64_t{8} << 20;
/// SMs that time which lines are as far away as the line, so that they may share its channel. With more, fewer others
/// remain to be tested; with fewer, there is less to record. A choice.
constexpr std::size_t most_sms = 4;
/// Lines of a bank that are compared with each other, a window around the line. Rows of 8 KiB have 64 lines of 128 B.
constexpr std::size_t most_compared = 128;
/// Standard deviations by which two latencies of one distance may differ: 6e-5 of the lines of a channel are lost.
constexpr double most_deviations = 4;

/// Lines around `line`, with it, but for the first of each page. They fit into half of L2.
std::vector<std::int64_t> lines_near(const EvictionSetting& setting, std::int64_t line) {
  const std::int64_t count = std::min(most_near_bytes / setting.memory.line_size, setting.capacity_lines / 2);
  const std::int64_t last = std::max<std::int64_t>(setting.memory.lines() - count, 0);
  const std::int64_t first = std::clamp<std::int64_t>(line - count / 2, 0, last);
  std::vector<std::int64_t> lines;
  for (std::int64_t one = first; one < std::min(first + count, setting.memory.lines()); ++one) {
    if (one % setting.memory.lines_per_page() != 0) lines.push_back(one);
  }
  return lines;
}

std::vector<std::int64_t> some_sms(const std::vector<std::int64_t>& sms) {
  const std::size_t count = std::min(most_sms, sms.size());
  std::vector<std::int64_t> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(sms[i * sms.size() / count]);
  return chosen;
}

/// Those of the lines whose latencies equal those of number `own`.
std::vector<std::int64_t> alike(const std::vector<std::int64_t>& lines, std::size_t own,
                                const l2_lines::LatencyResult& result) {
  constexpr double rounding = 1;
  const std::size_t sms = result.noise.size();
  std::vector<std::int64_t> chosen;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    bool is_far = false;
    for (std::size_t sm = 0; sm < sms && !is_far; ++sm) {
      const auto latency = [&](std::size_t of) { return static_cast<double>(result.latency[sm * lines.size() + of]); };
      const double most = most_deviations * std::numbers::sqrt2 * result.noise[sm] + rounding;
      is_far = std::abs(latency(line) - latency(own)) > most;
    }
    if (!is_far) chosen.push_back(lines[line]);
  }
  return chosen;
}

/// Those of the lines that lie as far from a few SMs as `line`, one of them. All if the device cannot tell.
std::vector<std::int64_t> equally_far(const Session& session, const EvictionSetting& setting,
                                      const std::vector<std::int64_t>& lines, std::int64_t line) {
  l2_lines::Latencies program;
  program.memory = setting.memory;
  program.lines = lines;
  program.sms = some_sms(setting.sms);
  try {
    const auto own = static_cast<std::size_t>(std::ranges::find(lines, line) - lines.begin());
    return alike(lines, own, session.ask(program));
  } catch (const Skip&) {
    return lines;
  }
}

/// Those of the lines whose misses take about as long as those of `line`. A hit may find a copy near the SM, but memory
/// lies behind one partition.
TimedLines equally_slow(const Session& session, const EvictionSetting& setting, const std::vector<std::int64_t>& lines,
                        std::int64_t line) {
  constexpr std::size_t rounds = 5;       // four of which refreshes delay once in a thousand times
  constexpr std::size_t own_rounds = 64;  // whose quartile and deviation are nearly exact
  constexpr double most = 6;  // standard deviations: a generous choice, since others are tested in vain only
  const TimedLines own = time_misses(session, setting, {line}, own_rounds);
  const double tolerance = most * own.beyond.deviation;
  return within(time_misses(session, setting, lines, rounds), own.alone.front() - tolerance,
                own.alone.front() + tolerance);
}

/// Those of the lines that conflict with most of the witnesses, with `line`, which does, and the witnesses among them.
/// Adds the pairs' latency to `usual` if that is not known.
TimedLines sharing_bank(const Session& session, const EvictionSetting& setting, const TimedLines& timed,
                        std::int64_t line, std::span<const std::int64_t> witnesses,
                        std::optional<UsualLatency>& usual) {
  constexpr std::size_t rounds = 64;
  const TimedLines others = time_misses(session, setting, {witnesses.begin(), witnesses.end()}, rounds);
  TimedLines tested = timed;
  tested.lines.insert(tested.lines.end(), others.lines.begin(), others.lines.end());
  tested.alone.insert(tested.alone.end(), others.alone.begin(), others.alone.end());
  std::vector<LinePair> pairs;
  for (std::size_t i = 0; i < timed.lines.size(); ++i) {
    for (std::size_t witness = timed.lines.size(); witness < tested.lines.size(); ++witness) {
      if (tested.lines[i] != tested.lines[witness]) pairs.emplace_back(i, witness);
    }
  }
  const ConflictSearch search = conflicts_of(session, setting, tested, std::move(pairs), usual);
  usual = search.usual();
  std::map<std::int64_t, std::size_t> conflicts;
  for (const std::int64_t known : witnesses) conflicts[known] = witnesses.size();
  conflicts[line] = witnesses.size();
  for (const auto& [one, other] : search.suspects()) ++conflicts[timed.lines[one]];
  TimedLines found;
  for (std::size_t i = 0; i < timed.lines.size(); ++i) {
    if (2 * conflicts[timed.lines[i]] <= witnesses.size()) continue;
    found.lines.push_back(timed.lines[i]);
    found.alone.push_back(timed.alone[i]);
  }
  return found;
}

/// At most `most_compared` of the lines, the next ones before and behind `line`.
std::vector<std::int64_t> window(const std::vector<std::int64_t>& lines, std::int64_t line) {
  const std::size_t count = std::min(lines.size(), most_compared);
  const auto before = static_cast<std::size_t>(std::ranges::lower_bound(lines, line) - lines.begin());
  const std::size_t first = std::min(before - std::min(before, count / 2), lines.size() - count);
  const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

/// The lines and those beside them, but for the first of each page. A bank's lines lie side by side, and noise may have
/// hidden one of them.
std::vector<std::int64_t> with_neighbours(const std::vector<std::int64_t>& lines, const l2_lines::Memory& memory) {
  std::set<std::int64_t> all;
  for (const std::int64_t line : lines) {
    for (const std::int64_t one : {line - 1, line, line + 1}) {
      if (one < memory.lines() && one % memory.lines_per_page() != 0) all.insert(one);
    }
  }
  return {all.begin(), all.end()};
}

}  // namespace

BankLines lines_of_bank(const Session& session, const EvictionSetting& setting, std::int64_t line,
                        std::span<const std::int64_t> witnesses) {
  const auto timed = [&](const std::vector<std::int64_t>& lines) {
    return equally_slow(session, setting, lines, line);
  };
  std::optional<UsualLatency> usual;
  const TimedLines candidates = timed(equally_far(session, setting, lines_near(setting, line), line));
  const TimedLines first = sharing_bank(session, setting, candidates, line, witnesses.first(1), usual);
  const TimedLines more = timed(with_neighbours(window(first.lines, line), setting.memory));
  const TimedLines found = sharing_bank(session, setting, more, line, witnesses, usual);
  const auto pairs = all_pairs(found.lines.size());
  return {found.lines, conflicts_of(session, setting, found, pairs, usual).suspects()};
}

}  // namespace tomograph::data_cache
