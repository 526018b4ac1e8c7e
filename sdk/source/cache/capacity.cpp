#include "tomograph/cache/capacity.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "tomograph/cache/retained_bytes.hpp"

namespace tomograph::cache {

namespace {

constexpr std::int64_t counted_lines = 4096;     // up to here every line is tested
constexpr std::int64_t sampled_resolution = 64;  // beyond, the first miss is found to this part of the size
/// A test that misses evicts another line, so a program tests no more than this part of the capacity: of footprints
/// four times as large that loses 1.2 % of the lines on average, of smaller ones less.
constexpr std::int64_t undisturbed_part = 32;
constexpr double disturbance = 0.012;

class Sweep {
 public:
  Sweep(const Executor& execute, const Subject& subject, std::int64_t stride)
      : execute_(execute), subject_(subject), stride_(stride) {}

  /// Looks at all `sizes` in one batch; a program tests at most `undisturbed_bytes` of lines, or as many as it can.
  void look(std::span<const std::int64_t> sizes, std::int64_t samples, std::int64_t repeats,
            std::optional<std::int64_t> undisturbed_bytes = std::nullopt) {
    std::vector<Footprint> footprints;
    for (const std::int64_t bytes : sizes) {
      const double share = undisturbed_bytes ? static_cast<double>(*undisturbed_bytes) / static_cast<double>(bytes) : 1;
      footprints.push_back({.ring = {0, 0, stride_, bytes / stride_},
                            .bytes = bytes,
                            .passes = subject_.shared ? 2 : 4,
                            .samples = samples,
                            .repeats = repeats,
                            .seed = static_cast<std::uint64_t>(bytes),
                            .share = share});
    }
    const auto seen = retained(execute_, subject_, footprints);
    for (std::size_t i = 0; i < sizes.size(); ++i) points_[sizes[i]] = seen[i];
  }

  /// Looks at sizes that shall fit: a program may test as many nodes as it can.
  void search(std::span<const std::int64_t> sizes, std::int64_t repeats = 1) { look(sizes, counted_lines, repeats); }

  /// Whether no node of a footprint already looked at is missing, but for misread loads.
  [[nodiscard]] bool fits(std::int64_t bytes) const {
    const Retained& seen = points_.at(bytes);
    // The rate of the threshold comes from few loads, where one stray load weighs much.
    constexpr double plausible_rate = 2e-4;
    const double misread = std::min(subject_.threshold.false_miss, plausible_rate) * static_cast<double>(seen.sampled);
    return static_cast<double>(seen.sampled - seen.hits) <= std::floor(misread + 3 * std::sqrt(misread));
  }

  [[nodiscard]] const Retained& at(std::int64_t bytes) const { return points_.at(bytes); }
  [[nodiscard]] std::vector<SweepPoint> points() const {
    std::vector<SweepPoint> all;
    for (const auto& [bytes, seen] : points_) all.push_back({bytes, seen});
    return all;
  }

 private:
  const Executor& execute_;
  const Subject& subject_;
  std::int64_t stride_;
  std::map<std::int64_t, Retained> points_;
};

struct Bracket {
  std::int64_t fits = 0;
  std::int64_t misses = 0;
};

std::optional<Bracket> doubling(Sweep& sweep, std::int64_t stride, std::int64_t start_bytes, std::int64_t limit_bytes) {
  std::vector<std::int64_t> sizes;
  const std::int64_t least = std::max<std::int64_t>(256, stride);
  start_bytes = std::max(start_bytes, least);
  sweep.search({&start_bytes, 1});
  while (!sweep.fits(start_bytes) && start_bytes / 2 >= least) {
    start_bytes /= 2;
    sweep.search({&start_bytes, 1});
  }
  for (std::int64_t bytes = start_bytes; sizes.empty() || sizes.back() < limit_bytes; bytes *= 2) {
    sizes.push_back(std::min(bytes, limit_bytes));
    sweep.search(std::span(sizes).last(1));
    if (sweep.fits(sizes.back())) continue;
    if (sizes.size() == 1) return std::nullopt;
    return Bracket{sizes[sizes.size() - 2], sizes.back()};
  }
  return std::nullopt;
}

/// Narrows the bracket to `resolution`, several sizes at a time.
void bisect(Sweep& sweep, Bracket& bracket, std::int64_t stride, std::int64_t resolution) {
  constexpr std::int64_t parts = 8;
  while (bracket.misses - bracket.fits > resolution) {
    std::vector<std::int64_t> sizes;
    for (std::int64_t i = 1; i < parts; ++i) {
      const std::int64_t size = (bracket.fits + (bracket.misses - bracket.fits) * i / parts) / stride * stride;
      if (size > bracket.fits && size < bracket.misses && (sizes.empty() || size != sizes.back())) {
        sizes.push_back(size);
      }
    }
    if (sizes.empty()) return;
    sweep.search(sizes);
    const auto first_miss = std::ranges::find_if(sizes, [&](std::int64_t size) { return !sweep.fits(size); });
    if (first_miss != sizes.end()) bracket.misses = *first_miss;
    if (first_miss != sizes.begin()) bracket.fits = *std::prev(first_miss);
  }
}

/// Whether a size misses more often than smaller ones, which fit, are misread; more than chance explains.
bool misses_more(const Retained& seen, std::int64_t misread, std::int64_t tested) {
  if (tested == 0) return false;
  const double mean =
      static_cast<double>(misread + 1) * static_cast<double>(seen.sampled) / static_cast<double>(tested);
  return static_cast<double>(seen.sampled - seen.hits) > mean + 4 * std::sqrt(mean) + 1;
}

/// With random replacement a set that overflows by one line lacks one of them at a time, so that a single look at the
/// last sizes before the knee sees it with probability 1 - 1/e. Sixteen looks all but surely see more misses than
/// misread loads. Of many lines one that is missing hides among as many misread loads as the threshold lets expect, but
/// not among those that smaller sizes show.
std::int64_t confirmed(Sweep& sweep, std::int64_t fits, std::int64_t stride) {
  constexpr std::int64_t neighbours = 8;
  constexpr std::int64_t looks = 16;
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = -neighbours; i <= 1; ++i) {
    if (fits + i * stride >= stride) sizes.push_back(fits + i * stride);
  }
  sweep.search(sizes, looks);
  std::int64_t last = sizes.front() - stride;
  std::int64_t misread = 0;
  std::int64_t tested = 0;
  for (const std::int64_t size : sizes) {
    const Retained& seen = sweep.at(size);
    if (!sweep.fits(size) || misses_more(seen, misread, tested)) break;
    misread += seen.sampled - seen.hits;
    tested += seen.sampled;
    last = size;
  }
  return last;
}

/// Of what several footprints retained: what at least three of them did. The most of all would be the one that noise
/// raised most; the mean would suffer from those just above the knee, which leave sets of an uneven index unfilled, and
/// from large ones, of which each test that misses evicts another line.
double third_most(std::vector<double> counted) {
  if (counted.empty()) return 0;
  const auto third = counted.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, counted.size() - 1));
  std::ranges::nth_element(counted, third, std::greater<>{});
  return *third;
}

/// Standard deviation of what footprints well beyond the knee retained: where victims are random, counts vary.
double scatter_of(std::span<const double> counted) {
  if (counted.size() < 2) return 0;
  const double mean = std::accumulate(counted.begin(), counted.end(), 0.0) / static_cast<double>(counted.size());
  double squares = 0;
  for (const double one : counted) squares += (one - mean) * (one - mean);
  return std::sqrt(squares / static_cast<double>(counted.size() - 1));
}

/// Footprints from just above the knee to several times the capacity. Just above it the most lines stay where the index
/// spreads them unevenly; that matters where all are counted.
std::vector<std::int64_t> overfull_sizes(std::int64_t first_miss_bytes, std::int64_t stride, std::int64_t largest) {
  const bool all_are_counted = first_miss_bytes / stride <= counted_lines;
  std::vector<std::int64_t> sizes;
  for (const double factor : {1.04, 1.12, 1.3, 1.6, 2.0, 3.0, 4.0}) {
    if (!all_are_counted && (factor < 1.3 || factor > 2)) continue;
    const auto lines = static_cast<std::int64_t>(factor * static_cast<double>(first_miss_bytes)) / stride + 1;
    if (lines * stride <= largest) sizes.push_back(lines * stride);
  }
  return sizes;
}

/// Counts what overfull footprints retain.
void count_retained(Sweep& sweep, Capacity& result, std::int64_t stride, const Subject& subject) {
  const auto sizes = overfull_sizes(result.first_miss_bytes, stride, subject.largest);
  const bool all_are_counted = result.first_miss_bytes / stride <= counted_lines;
  const std::int64_t undisturbed = result.first_miss_bytes / undisturbed_part;
  // Of a cache so large that one program tests many lines, as many as it does, for a standard error of a few tenths of
  // a per cent in all.
  const std::int64_t sampled_lines = std::clamp(undisturbed / stride, counted_lines, 2 * counted_lines);
  constexpr std::int64_t tests = 24'000;
  const std::int64_t repeats = result.sampled ? tests / sampled_lines : 1;
  sweep.look(sizes, all_are_counted ? 2 * counted_lines : sampled_lines, repeats, undisturbed);
  std::vector<RetainedBytes> sampled;
  std::vector<double> counted;
  std::vector<double> well_beyond;
  std::vector<std::int64_t> far_counts;
  for (const std::int64_t bytes : sizes) {
    const Retained& seen = sweep.at(bytes);
    const double here = seen.estimate() * static_cast<double>(stride);
    const double error = seen.standard_error() * static_cast<double>(stride);
    if (seen.counted()) counted.push_back(here);
    if (seen.counted() && bytes > result.first_miss_bytes * 5 / 4) well_beyond.push_back(here);
    if (error == 0 && bytes > result.first_miss_bytes * 3 / 2) far_counts.push_back(seen.hits);
    if (error > 0 && bytes > result.first_miss_bytes * 5 / 4) {
      sampled.push_back({seen.undisturbed() * static_cast<double>(stride), error});
    }
  }
  result.most_counted = counted.empty() ? 0 : std::ranges::max(counted);
  result.retained_bytes = third_most(std::move(counted));
  result.plateau = !subject.shared && far_counts.size() >= 3 &&
                   std::ranges::adjacent_find(far_counts, std::not_equal_to<>{}) == far_counts.end();
  if (result.plateau) result.retained_bytes = static_cast<double>(far_counts.front() * stride);
  result.scatter = scatter_of(well_beyond);
  if (result.retained_bytes > 0 || sampled.empty()) return;
  const RetainedBytes level = level_of(sampled);
  result.retained_bytes = level.mean;
  result.retained_error = level.error;
}

}  // namespace

std::int64_t Capacity::bytes(std::int64_t granule) const {
  // Lines of a set that overflows come and go while they are counted, which may look like a few more; and testing lines
  // evicts others, which looks like fewer.
  constexpr double about = 0.02;
  const double excess = retained_bytes / static_cast<double>(first_miss_bytes) - 1;
  if (sampled ? sharp : excess < (plateau ? 0 : about)) return first_miss_bytes;
  return static_cast<std::int64_t>(std::llround(retained_bytes / static_cast<double>(granule))) * granule;
}

namespace {

struct Estimate {
  double bytes = 0;
  double error = 0;
};

/// What stays of lines at random places of the region: more than any contiguous footprint if the index takes bits that
/// a contiguous footprint does not vary. The number of lines doubles until most of them do not stay.
Estimate retained_at_random(const Executor& execute, const Subject& subject, std::int64_t stride, std::int64_t bytes) {
  const std::int64_t places = subject.region() / stride;
  Retained seen;
  for (std::int64_t lines = 3 * bytes / stride; lines <= places; lines *= 2) {
    chase::Ring ring{.array = 0};
    for (const std::int64_t place : random_choice(places, lines, 1)) ring.nodes.push_back(place * stride);
    const Footprint footprint{
        .ring = std::move(ring),
        .bytes = subject.region(),
        .samples = 2048,
        .share = static_cast<double>(bytes) / static_cast<double>(undisturbed_part * lines * stride)};
    seen = retained(execute, subject, {&footprint, 1}).front();
    if (seen.estimate() < 0.6 * static_cast<double>(lines)) break;
  }
  return {seen.estimate() * static_cast<double>(stride), seen.standard_error() * static_cast<double>(stride)};
}

}  // namespace

std::optional<std::int64_t> rough_capacity(const Executor& execute, const Subject& subject, std::int64_t stride,
                                           std::int64_t start_bytes, std::int64_t limit_bytes) {
  Sweep sweep(execute, subject, stride);
  const auto bracket = doubling(sweep, stride, start_bytes, limit_bytes);
  return bracket ? std::optional(bracket->fits) : std::nullopt;
}

std::optional<Capacity> capacity(const Executor& execute, const Subject& subject, std::int64_t stride,
                                 std::int64_t start_bytes, std::int64_t limit_bytes) {
  Sweep sweep(execute, subject, stride);
  auto bracket = doubling(sweep, stride, start_bytes, limit_bytes);
  if (!bracket) return std::nullopt;
  const bool countable = bracket->misses / stride <= 4 * counted_lines;
  const std::int64_t resolution = countable ? stride : bracket->fits / sampled_resolution;
  bisect(sweep, *bracket, stride, resolution);

  Capacity result;
  result.first_miss_bytes = countable ? confirmed(sweep, bracket->fits, stride) : bracket->fits;
  result.missing_bytes = bracket->misses;
  result.sampled = !countable;
  count_retained(sweep, result, stride, subject);
  // A footprint beyond the knee must not retain more than the last one that fitted, but for sampling.
  const double excess =
      std::max(result.retained_bytes, result.most_counted) - static_cast<double>(result.first_miss_bytes);
  result.sharp = result.plateau ||
                 excess <= std::max(3 * result.retained_error, 0.005 * static_cast<double>(result.first_miss_bytes));
  result.most_bytes = (1 + disturbance) * (result.retained_bytes + 3 * result.retained_error + 2 * result.scatter) +
                      static_cast<double>(stride);
  if (countable) {
    constexpr double surely_more = 1.15;
    const Estimate at_random = retained_at_random(execute, subject, stride, result.first_miss_bytes);
    if (at_random.bytes > surely_more * std::max(result.retained_bytes, static_cast<double>(result.first_miss_bytes))) {
      result.retained_bytes = at_random.bytes;
      result.plateau = result.sharp = false;
    }
    result.most_bytes = std::max(result.most_bytes, (1 + disturbance) * (at_random.bytes + 3 * at_random.error));
  }
  result.sweep = sweep.points();
  return result;
}

}  // namespace tomograph::cache
