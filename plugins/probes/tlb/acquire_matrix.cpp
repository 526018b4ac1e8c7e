#include "acquire_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "acquire_large_walk.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/cache/translation.hpp"
#include "tomograph/session.hpp"

namespace tomograph::tlb {

namespace {

/// Pages of the smallest walk.
constexpr std::int64_t fewest_pages = 2;
/// Pages that the memory must hold at the largest stride. Chosen by hand.
constexpr std::int64_t least_at_largest_stride = 32;
/// Pages timed in a walk: their median has a standard deviation of 1.2533 / sqrt(192) = 0.09 of a single visit's.
constexpr std::int64_t timed_pages = 192;
/// Pages of the control: no TLB is so small.
constexpr std::int64_t few_pages = 4;
/// So many lines of each are visits enough to be compared, and few for the smallest L2.
constexpr std::int64_t passes_over_few_pages = 32;

/// Strides of walks begin well below a page, so that several show how many pages fit.
std::int64_t smallest_stride(const Memory& memory) {
  constexpr std::int64_t strides_to_a_page = 32;  // from 64 KiB on where pages are of 2 MiB
  return std::max(memory.widest_spread / strides_to_a_page, 2 * memory.line);  // walks of many threads take two lines
}

/// All parts of a large walk have the same length.
std::int64_t walkable(std::int64_t pages) { return pages > timed_pages ? pages / walkers * walkers : pages; }

std::int64_t most_pages(const Memory& memory, std::int64_t stride) {
  return walkable(std::min(memory.most_visits, memory.places(stride)));
}

/// Random orders of so many pages, each made once for walks of all strides.
class Orders {
 public:
  const std::vector<std::int64_t>& of(std::int64_t pages) {
    auto& order = orders_[pages];
    if (order.empty()) {
      order = chase::node_offsets({.stride = 1, .count = pages, .order = chase::Order::shuffled, .seed = pages});
    }
    return order;
  }

 private:
  std::map<std::int64_t, std::vector<std::int64_t>> orders_;
};

/// Offsets of the pages in this order.
std::vector<std::int64_t> offsets_of(std::int64_t stride, std::vector<std::int64_t> order) {
  for (std::int64_t& page : order) page *= stride;
  return order;
}

/// Passes all pages several times, in this order, each at another line. Those that were passed first are then timed.
chase::Program large_walk_over(const Memory& memory, std::int64_t stride, std::vector<std::int64_t> order) {
  const std::int64_t lines = memory.spread(stride) / memory.line;
  for (std::int64_t& page : order) page = page * stride + line_of_visit(page, lines) * memory.line;
  return large_walk(memory, order, warming_walks(std::ssize(order)), timed_pages);
}

/// Times all pages over and over.
Walk small_walk(const Memory& memory, std::int64_t stride, const std::vector<std::int64_t>& order) {
  const std::int64_t pages = std::ssize(order);
  return {.pages = offsets_of(stride, order),
          .unit = memory.spread(stride),
          .passes = std::max<std::int64_t>(timed_pages / pages, 1) | 1,
          .warm = warming_walks(pages)};
}

struct Point {
  std::int64_t stride;
  std::int64_t pages;
};

/// Runs the walks and adds them to the matrix.
void add(const Memory& memory, const std::vector<Point>& points, Matrix& matrix) {
  Orders orders;
  std::vector<chase::Program> programs;
  for (const auto& [stride, pages] : points) {
    programs.push_back(pages > timed_pages ? large_walk_over(memory, stride, orders.of(pages))
                                           : program(memory, small_walk(memory, stride, orders.of(pages))));
  }
  const auto results = memory.execute(programs);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& [stride, pages] = points[i];
    Cell cell{stride, pages, {}};
    if (pages > timed_pages) {
      cell.extra_latency = differences(results[i].traces.front());
    } else {
      cell.extra_latency = extra_latency_of(memory, small_walk(memory, stride, orders.of(pages)), results[i]).medians();
    }
    matrix.cells.push_back(std::move(cell));
  }
}

/// Numbers of pages between the smallest and the largest walk: powers of two and half as many again, so that three lie
/// between a level and one of four times its reach; and two near the largest.
std::vector<std::int64_t> between(std::int64_t most) {
  std::vector<std::int64_t> counts;
  for (std::int64_t pages = 2 * fewest_pages; pages < most; pages *= 2) {
    counts.push_back(pages);
    if (pages + pages / 2 < most) counts.push_back(walkable(pages + pages / 2));
  }
  for (const double share : {0.7, 0.85}) {
    counts.push_back(walkable(static_cast<std::int64_t>(share * static_cast<double>(most))));
  }
  std::ranges::sort(counts);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

/// Numbers of pages just below the largest: of a level that reaches nearly as far as the memory, they overflow it, too,
/// and make a plateau with the largest walk.
std::vector<std::int64_t> near_largest(std::int64_t most) {
  std::vector<std::int64_t> counts;
  for (const double share : {0.95, 0.975}) {
    const std::int64_t pages = walkable(static_cast<std::int64_t>(share * static_cast<double>(most)));
    if (counts.empty() || counts.back() != pages) counts.push_back(pages);
  }
  return counts;
}

/// Whether pages of the large walk stand out from those of the small one. Normal noise puts a tenth of the pages beyond
/// 1.3 standard deviations, so 4 leave room for delays of other causes. The 1.5 cycles are the jitter of
/// analysis_levels.cpp. A false alarm costs only time.
bool differs(const Cell& small, const Cell& large, double noise) {
  const double usual = analysis::median(small.extra_latency);
  const double high = analysis::quantile(large.extra_latency, 0.9);
  return std::abs(analysis::median(large.extra_latency) - usual) > 1.5 || high - usual > 4 * noise;
}

/// The walk of most pages below the largest of its stride.
const Cell& last_before(const Matrix& matrix, const Point& largest) {
  const Cell* last = nullptr;
  for (const Cell& cell : matrix.cells) {
    if (cell.stride != largest.stride || cell.pages >= largest.pages) continue;
    if (last == nullptr || cell.pages > last->pages) last = &cell;
  }
  return *last;
}

/// Thousands of lines on so few pages that no TLB misses: what their visits show is not caused by TLBs.
void add_control(const Memory& memory, Matrix& matrix) {
  const std::int64_t most = std::min(memory.most_visits, memory.most_timed / 4);
  const Walk walk{
      .pages = evenly(memory.widest_spread, few_pages), .unit = memory.widest_spread, .passes = most / few_pages};
  matrix.control = extra_latency(memory, walk).cycles;
  matrix.clock_step = clock_step(matrix.control);
  matrix.noise = std::max(matrix.clock_step, 1.4826 * analysis::median_absolute_deviation(matrix.control));
  matrix.deviation = inner_deviation(matrix.control, matrix.clock_step);
}

/// Removes walks of which L2 does not hold the lines: at wide strides, lines of small pages may meet in few of its
/// sets. Their visits take as long with translations known.
void drop_lost(const Memory& memory, Matrix& matrix) {
  Memory translated = memory;
  translated.execute = cache::with_translations(memory.execute);
  std::vector<Point> points;
  for (const Cell& cell : matrix.cells) points.push_back({cell.stride, cell.pages});
  Matrix known = {.noise = matrix.noise};
  add(translated, points, known);
  std::size_t next = 0;
  std::erase_if(matrix.cells,
                [&](const Cell&) { return !hits_throughout(known.cells[next++].extra_latency, 0, matrix.noise); });
}

/// Whether TLBs hold a few pages of so many bytes: visits of lines all over them take no longer than the same visits
/// with their translations known.
bool tlbs_hold_few(const Memory& memory, std::int64_t page) {
  const Walk walk{.pages = evenly(page, few_pages), .unit = page, .passes = passes_over_few_pages};
  Memory translated = memory;
  translated.execute = cache::with_translations(memory.execute);
  return cache::translated_alike(extra_latency(memory, walk).cycles, extra_latency(translated, walk).cycles);
}

}  // namespace

std::int64_t spread_within_pages(const Memory& memory) {
  try {
    if (tlbs_hold_few(memory, memory.widest_spread)) return memory.widest_spread;
    const bool are_small = tlbs_hold_few(memory, cache::small_page_bytes) && !cache::has_small_pages(memory.execute);
    return are_small ? cache::small_page_bytes : cache::smallest_page_bytes;
  } catch (const Refused&) {
    return memory.widest_spread;  // recordings may not have it
  }
}

Matrix measure_matrix(const Memory& memory) {
  Matrix matrix;
  std::vector<Point> ends;
  for (std::int64_t stride = smallest_stride(memory); most_pages(memory, stride) >= least_at_largest_stride;
       stride *= 2) {
    ends.push_back({stride, fewest_pages});
    ends.push_back({stride, most_pages(memory, stride)});
  }
  if (ends.empty()) return matrix;
  add_control(memory, matrix);
  add(memory, ends, matrix);
  std::vector<Point> points;
  for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
    if (!differs(matrix.cells[i], matrix.cells[i + 1], matrix.noise)) continue;
    for (const std::int64_t pages : between(ends[i + 1].pages)) points.push_back({ends[i].stride, pages});
  }
  add(memory, points, matrix);
  points.clear();
  for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
    const auto& [stride, most] = ends[i + 1];
    if (!differs(last_before(matrix, ends[i + 1]), matrix.cells[i + 1], matrix.noise)) continue;
    for (const std::int64_t pages : near_largest(most)) points.push_back({stride, pages});
  }
  add(memory, points, matrix);
  if (memory.widest_spread == cache::smallest_page_bytes) drop_lost(memory, matrix);
  return matrix;
}

std::optional<Cell> wholly_timed(const Memory& memory) {
  const std::int64_t most = std::min(memory.most_visits, memory.most_timed / 2);  // two loads each
  std::int64_t stride = memory.widest_spread;
  while (memory.bytes / stride > most) stride *= 2;
  const std::int64_t pages = memory.bytes / stride;
  const Walk walk{.pages = evenly(stride, pages), .unit = memory.spread(stride)};
  try {
    return Cell{stride, pages, extra_latency(memory, walk).medians()};
  } catch (const Refused&) {
    return std::nullopt;
  }
}

}  // namespace tomograph::tlb
