#include "acquire_lines.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace tomograph::l2_slices {

namespace {

/// Loads of each line by each SM. Each half of them gives the mean of its middle four latencies.
constexpr std::int64_t rounds = 16;
/// Enough to tell how a page differs from others.
constexpr std::int64_t most_pages = 4;
/// Loads in flight on each SM under load: sixteen warps saturate two slices even if a load takes thousands of cycles.
constexpr std::int64_t loading_warps = 16;
/// Loads of each warp: they take ten times as long as it takes to start and to end.
constexpr std::int64_t loads = 16;

}  // namespace

Field::Field(std::int64_t line_size, std::int64_t l2_bytes) {
  memory.line_size = line_size;
  memory.pages = std::clamp<std::int64_t>(l2_bytes / 4 / l2_lines::page_bytes, 1, most_pages);
  lines_at_once = l2_bytes / 4 / line_size;
}

std::vector<std::vector<std::int64_t>> Field::page(std::int64_t page) const {
  std::vector<std::vector<std::int64_t>> parts;
  const std::int64_t end = memory.lines_per_page();
  for (std::int64_t begin = 0; lines_at_once > 0 && begin < end; begin += lines_at_once) {
    parts.emplace_back(static_cast<std::size_t>(std::min(lines_at_once, end - begin)));
    std::iota(parts.back().begin(), parts.back().end(), page * end + begin);
  }
  return parts;
}

std::vector<std::int64_t> Field::sample(std::size_t count, std::int64_t page) const {
  std::vector<std::int64_t> all(static_cast<std::size_t>(memory.lines_per_page()));
  std::iota(all.begin(), all.end(), page * memory.lines_per_page());
  std::vector<std::int64_t> chosen;
  std::mt19937_64 random;  // seeded alike in every run
  std::ranges::sample(all, std::back_inserter(chosen), std::min(static_cast<std::int64_t>(count), lines_at_once),
                      random);
  return chosen;
}

LatencyTable time_lines(const Session& session, const Field& field, const std::vector<std::int64_t>& lines,
                        const std::vector<std::int64_t>& sms, std::int64_t trial) {
  const auto result = session.ask(
      l2_lines::Latencies{.memory = field.memory, .lines = lines, .sms = sms, .rounds = rounds, .trial = trial});
  return {result.latency, result.noise};
}

std::vector<double> rates_of(const Session& session, const Field& field, const Loading& loading) {
  if (loading.sets.empty()) return {};
  return session
      .ask(l2_lines::Contention{.memory = field.memory,
                                .sets = loading.sets,
                                .sms = loading.sms,
                                .warps = loading_warps,
                                .loads = loads,
                                .atomic = loading.atomic,
                                .trial = loading.trial})
      .rate;
}

}  // namespace tomograph::l2_slices
