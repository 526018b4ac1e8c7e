#include "tomograph/tlb/walk.hpp"

#include <algorithm>

#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/parallel.hpp"
#include "tomograph/tlb/lines.hpp"

namespace tomograph::tlb {

namespace {

std::int64_t lines_of_page(const Memory& memory, const Walk& walk) {
  return std::max<std::int64_t>(walk.unit / memory.line, 1);
}

/// Number of visits from which on several threads, a warp, load the lines beforehand. One thread takes 0.3 ms for so
/// many at 1000 cycles and 1.7 GHz.
constexpr std::int64_t many_visits = 512;
constexpr std::size_t walkers = 32;
/// To start a thread takes as long as to make the programs of a few walks.
constexpr std::size_t walks_of_a_thread = 4;

/// A ring on which `walkers` threads, started evenly spaced, together visit `nodes` in order.
std::vector<std::int64_t> side_by_side(const std::vector<std::int64_t>& nodes) {
  std::vector<std::int64_t> ring;
  ring.reserve(nodes.size());
  for (std::size_t thread = 0; thread < walkers; ++thread) {
    for (std::size_t i = thread; i < nodes.size(); i += walkers) ring.push_back(nodes[i]);
  }
  return ring;
}

/// Whether the program has room to time one more pass, which is not kept.
bool settles(const Memory& memory, std::int64_t visits, std::int64_t passes) {
  return 2 * visits * (passes + 1) <= memory.most_timed;
}

/// Timed passes, with the one that is not kept.
std::int64_t timed_passes(const Memory& memory, const Walk& walk) {
  return walk.passes + (settles(memory, static_cast<std::int64_t>(walk.pages.size()), walk.passes) ? 1 : 0);
}

/// Passes that load different lines: no more than L2 holds, and than each page has.
std::int64_t different_passes(const Memory& memory, const Walk& walk) {
  const std::int64_t visits = std::ssize(walk.pages);
  // Threads that go side by side visit some pages once more.
  const std::int64_t lines = lines_of_page(memory, walk) - (visits >= many_visits ? 1 : 0);
  const std::int64_t allowed = std::clamp<std::int64_t>(memory.most_visits / visits, 1, timed_passes(memory, walk));
  if (lines >= allowed * visits) return allowed;  // even if all visits were of one page
  std::vector<std::int64_t> pages = walk.pages;
  std::ranges::sort(pages);
  std::int64_t most = 0;
  for (auto page = pages.begin(); page != pages.end();) {
    const auto next = std::upper_bound(page, pages.end(), *page);
    most = std::max<std::int64_t>(most, next - page);
    page = next;
  }
  return std::clamp<std::int64_t>(lines / most, 1, allowed);
}

}  // namespace

std::int64_t warming_walks(std::int64_t pages) {
  // A page that misses evicts another one of the walk with probability 1/2 at most: of 1,024 pages one is missing after
  // 16 walks in 1.6 % of the cases.
  constexpr std::int64_t enough = 16;
  constexpr std::int64_t most_visits = std::int64_t{1} << 14;  // 16 ms at a microsecond each
  return std::clamp<std::int64_t>(most_visits / pages, 2, enough);
}

std::int64_t settling_walks(std::int64_t pages) {
  constexpr std::int64_t for_each_page = 6;                    // twice as many as settle with probability 0.99
  constexpr std::int64_t most_visits = std::int64_t{1} << 18;  // by many threads
  return std::clamp<std::int64_t>(most_visits / pages, warming_walks(pages), for_each_page * pages + 4);
}

bool loads_other_lines(const Memory& memory, const Walk& walk) { return different_passes(memory, walk) > 1; }

std::vector<double> ExtraLatency::medians() const {
  if (passes() == 1) return cycles;
  std::vector<double> result;
  std::vector<double> own(passes());
  for (std::size_t visit = 0; visit < visits; ++visit) {
    for (std::size_t pass = 0; pass < own.size(); ++pass) own[pass] = at(pass, visit);
    result.push_back(analysis::median_in_place(own));
  }
  return result;
}

chase::Program program(const Memory& memory, const Walk& walk) {
  chase::Ring pairs;
  chase::Ring warm;
  const auto visits = static_cast<std::int64_t>(walk.pages.size());
  const std::int64_t passes = timed_passes(memory, walk);
  const std::int64_t different = different_passes(memory, walk);
  const std::int64_t visited = different * visits;
  const bool many = visits >= many_visits;
  const std::int64_t most = visited + static_cast<std::int64_t>(walkers);
  Lines lines(memory.line, lines_of_page(memory, walk), walk.first_line, most);
  pairs.nodes.reserve(static_cast<std::size_t>(2 * visited));
  warm.nodes.reserve(static_cast<std::size_t>(most));
  auto page = walk.pages.begin();
  for (std::int64_t i = 0; i < visited || (many && warm.nodes.size() % walkers != 0); ++i) {
    const std::int64_t at = lines.next(*page);
    if (++page == walk.pages.end()) page = walk.pages.begin();
    warm.nodes.push_back(at + 2 * chase::node_bytes);
    if (i >= visited) continue;
    pairs.nodes.push_back(at);
    pairs.nodes.push_back(at + chase::node_bytes);
  }
  if (many) warm.nodes = side_by_side(warm.nodes);
  chase::Program result;
  result.arrays = {{memory.bytes}};
  result.actors = {{.sm = 0, .path = chase::Path::global_cg},
                   {.sm = 0, .path = chase::Path::global_cg, .threads = many ? std::int64_t{walkers} : 1}};
  result.alone = true;
  result.trial = walk.trial;
  const std::int64_t rounds = (std::max(walk.warm, passes) + different - 1) / different;
  result.phases = {{.actor = 1, .ring = 1, .loads = rounds * warm.size()},
                   {.actor = 0, .ring = 0, .loads = 2 * passes * visits, .timing = chase::Timing::each}};
  result.rings.reserve(2);
  result.rings.push_back(std::move(pairs));
  result.rings.push_back(std::move(warm));
  return result;
}

std::vector<double> differences(const chase::Result::Trace& trace) {
  std::vector<double> cycles;
  for (std::size_t i = 0; i + 1 < trace.latency.size(); i += 2) {
    cycles.push_back(static_cast<double>(trace.latency[i]) - static_cast<double>(trace.latency[i + 1]));
  }
  return cycles;
}

ExtraLatency extra_latency_of(const Memory& memory, const Walk& walk, const chase::Result& result) {
  ExtraLatency extra_latency{walk.pages.size(), differences(result.traces.front())};
  const std::int64_t dropped = timed_passes(memory, walk) - walk.passes;
  const auto visits = static_cast<std::ptrdiff_t>(walk.pages.size());
  extra_latency.cycles.erase(extra_latency.cycles.begin(), extra_latency.cycles.begin() + dropped * visits);
  return extra_latency;
}

std::vector<ExtraLatency> extra_latency(const Memory& memory, std::span<const Walk> walks) {
  std::vector<chase::Program> programs(walks.size());
  in_parallel(walks.size(), walks_of_a_thread, [&](std::size_t i) { programs[i] = program(memory, walks[i]); });
  const auto results = memory.execute(programs);
  std::vector<ExtraLatency> found;
  for (std::size_t i = 0; i < walks.size(); ++i) found.push_back(extra_latency_of(memory, walks[i], results[i]));
  return found;
}

ExtraLatency extra_latency(const Memory& memory, const Walk& walk) {
  return extra_latency(memory, std::span(&walk, 1)).front();
}

bool can_time(const Memory& memory, std::int64_t visits) { return 2 * visits <= memory.most_timed; }

std::int64_t possible_passes(const Memory& memory, std::int64_t visits, std::int64_t wanted) {
  return std::clamp<std::int64_t>(memory.most_timed / (2 * visits) - 1, 1, wanted);
}

std::int64_t line_of_visit(std::int64_t number, std::int64_t lines) {
  constexpr std::uint64_t multiplier = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
  constexpr unsigned fraction = 32;                         // bits, of a product in fixed-point arithmetic
  const std::uint64_t place = static_cast<std::uint64_t>(number) * multiplier >> fraction;
  return static_cast<std::int64_t>(place * static_cast<std::uint64_t>(lines) >> fraction);
}

std::vector<std::int64_t> evenly(std::int64_t stride, std::int64_t count, std::int64_t start) {
  std::vector<std::int64_t> pages;
  for (std::int64_t i = 0; i < count; ++i) pages.push_back(start + i * stride);
  return pages;
}

}  // namespace tomograph::tlb
