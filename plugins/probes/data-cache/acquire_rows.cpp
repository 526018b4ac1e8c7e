#include "acquire_rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <span>

namespace tomograph::data_cache {

namespace {

/// Bytes in which lines of a channel are sought. A bank of an H200 returns after 768 KiB, and a row takes four returns,
/// so that two rows and parts of two others lie within. A choice.
constexpr std::int64_t most_near_bytes = std::int64_t{8} << 20;
/// Lines of a bank that are compared with each other, a window around one. Rows of 8 KiB have 64 lines of 128 B.
constexpr std::size_t most_compared = 128;
/// Standard deviations by which two latencies of one distance may differ: 6e-5 of the lines of a channel are lost.
constexpr double most_deviations = 4;
/// Cycles by which lines of one slice may differ. A choice.
constexpr double most_of_slice = 4;

/// SMs that time which lines are as far away as one, so that they may share its channel. One line in ten of an H200
/// remains. With more, fewer would; with fewer, there is less to record. A choice.
constexpr std::size_t most_sms = 4;

/// Lines in the middle of memory, but for the first of each page. They fit into half of L2.
std::vector<std::int64_t> middle_lines(const EvictionSetting& setting) {
  const std::int64_t all = setting.memory.lines();
  const std::int64_t count = std::min({most_near_bytes / setting.memory.line_size, setting.capacity_lines / 2, all});
  const std::int64_t first = (all - count) / 2;
  std::vector<std::int64_t> lines;
  for (std::int64_t line = first; line < first + count; ++line) {
    if (line % setting.memory.lines_per_page() != 0) lines.push_back(line);
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
  std::vector<std::int64_t> chosen;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    bool is_far = false;
    for (std::size_t sm = 0; sm < result.noise.size() && !is_far; ++sm) {
      const auto latency = [&](std::size_t of) { return static_cast<double>(result.latency[sm * lines.size() + of]); };
      const double most = most_deviations * std::numbers::sqrt2 * result.noise[sm] + most_of_slice;
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
  constexpr std::size_t own_rounds = 64;  // so that quartile and deviation are nearly exact
  constexpr double most = 6;  // standard deviations: a generous choice, since others are tested in vain only
  const TimedLines own = time_misses(session, setting, {line}, own_rounds);
  const double tolerance = most * own.beyond.deviation;
  return within(time_misses(session, setting, lines, rounds), own.alone.front() - tolerance,
                own.alone.front() + tolerance);
}

/// Pairs of each line and each witness, which `tested` gets in addition.
std::vector<LinePair> pairs_with(const Session& session, const EvictionSetting& setting,
                                 const std::vector<std::int64_t>& witnesses, TimedLines& tested) {
  constexpr std::size_t rounds = 16;  // so that the quartile is nearly exact
  const std::size_t count = tested.lines.size();
  const TimedLines others = time_misses(session, setting, witnesses, rounds);
  tested.lines.insert(tested.lines.end(), others.lines.begin(), others.lines.end());
  tested.alone.insert(tested.alone.end(), others.alone.begin(), others.alone.end());
  std::vector<LinePair> pairs;
  for (std::size_t line = 0; line < count; ++line) {
    for (std::size_t witness = count; witness < tested.lines.size(); ++witness) {
      if (tested.lines[line] != tested.lines[witness]) pairs.emplace_back(line, witness);
    }
  }
  return pairs;
}

/// Those of the lines that conflict with at least so many of the witnesses, and the witnesses among them.
TimedLines sharing_bank(const Session& session, const EvictionSetting& setting, const TimedLines& timed,
                        const std::vector<std::int64_t>& witnesses, std::size_t least, const UsualLatency& usual,
                        const Patience& patience) {
  TimedLines tested = timed;
  auto pairs = pairs_with(session, setting, witnesses, tested);
  const ConflictSearch search =
      conflicts_of(session, setting, tested, ConflictSearch(std::move(pairs), usual, patience));
  std::map<std::int64_t, std::size_t> conflicts;
  for (const std::int64_t witness : witnesses) conflicts[witness] = witnesses.size();
  for (const auto& [one, other] : search.suspects()) ++conflicts[timed.lines[one]];
  TimedLines found;
  for (std::size_t i = 0; i < timed.lines.size(); ++i) {
    if (conflicts[timed.lines[i]] < least) continue;
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

TimedLines lines_of_channel(const Session& session, const EvictionSetting& setting) {
  const std::vector<std::int64_t> lines = middle_lines(setting);
  const std::int64_t line = lines[lines.size() / 2];
  return equally_slow(session, setting, equally_far(session, setting, lines, line), line);
}

std::optional<BankLines> lines_of_bank(const Session& session, const EvictionSetting& setting,
                                       const TimedLines& channel, std::size_t which) {
  constexpr std::size_t wanted = 3;  // witnesses
  constexpr std::size_t most = 2;    // of them
  std::vector<LinePair> pairs;
  for (std::size_t i = 0; i < channel.lines.size(); ++i) {
    if (i != which) pairs.emplace_back(i, which);
  }
  const ConflictSearch others = conflicts_of(session, setting, channel, ConflictSearch(std::move(pairs), {}, quick));
  const auto& conflicts = others.suspects();
  if (conflicts.size() < wanted) return std::nullopt;
  std::vector<std::int64_t> witnesses;
  for (std::size_t i = 0; i < wanted; ++i) {
    witnesses.push_back(channel.lines[conflicts[i * (conflicts.size() - 1) / (wanted - 1)].first]);
  }
  const std::int64_t line = channel.lines[which];
  const TimedLines some = sharing_bank(session, setting, channel, witnesses, 1, others.usual(), quick);
  const auto more = with_neighbours(window(some.lines, line), setting.memory);
  const TimedLines found = sharing_bank(session, setting, equally_slow(session, setting, more, line), witnesses, most,
                                        others.usual(), thorough);
  ConflictSearch all(all_pairs(found.lines.size()), others.usual());
  return BankLines{found.lines, conflicts_of(session, setting, found, std::move(all)).suspects()};
}

}  // namespace tomograph::data_cache
