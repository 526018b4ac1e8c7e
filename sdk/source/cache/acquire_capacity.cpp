#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "analysis_capacity.hpp"
#include "tomograph/cache/capacity.hpp"
#include "tomograph/cache/hit_and_miss.hpp"

namespace tomograph::cache {

namespace {

/// Part of the size to which the first miss of a sampled cache is found.
constexpr std::int64_t sampled_resolution = 64;

class Sweep {
 public:
  Sweep(const Executor& execute, const Subject& subject, std::int64_t stride)
      : execute_(execute), subject_(subject), stride_(stride) {}

  /// Tests all `sizes` in one batch. A program tests at most `undisturbed_bytes` of lines, or as many as it can.
  void test(std::span<const std::int64_t> sizes, std::int64_t samples, std::int64_t repeats,
            std::optional<std::int64_t> undisturbed_bytes = std::nullopt) {
    std::vector<Footprint> footprints;
    for (const std::int64_t bytes : sizes) {
      const double share = undisturbed_bytes ? static_cast<double>(*undisturbed_bytes) / static_cast<double>(bytes) : 1;
      footprints.push_back({.ring = {0, 0, stride_, bytes / stride_},
                            .bytes = bytes,
                            .passes = passes_,
                            .samples = samples,
                            .repeats = repeats,
                            .seed = static_cast<std::uint64_t>(bytes + repeats),
                            .share = share});
    }
    const auto seen = retained(execute_, subject_, footprints);
    for (std::size_t i = 0; i < sizes.size(); ++i) points_[sizes[i]] = seen[i];
  }

  /// Tests sizes that should fit: a program may test as many nodes as it can. What seems not to fit is tested once
  /// more, since one load that is misread would mislead the search.
  void search(std::span<const std::int64_t> sizes) {
    // If two of 10,000 loads are misread, a size that fits fails both tests in at most 0.3 % of the cases for 1,024
    // lines, 1 % for 4,096 (Poisson).
    constexpr std::int64_t more_repeats = 3;
    test(sizes, counted_lines, 1);
    std::vector<std::int64_t> doubtful;
    std::ranges::copy_if(sizes, std::back_inserter(doubtful), [this](std::int64_t size) { return nearly_fits(size); });
    if (!doubtful.empty()) test(doubtful, counted_lines, more_repeats);
  }

  /// Whether a size already tested does not fit, but misses so seldom that misread loads might explain it.
  [[nodiscard]] bool nearly_fits(std::int64_t bytes) const {
    constexpr std::int64_t few = 3;  // 1,024 loads of which two in 10,000 are misread show more in 6e-5 of the cases
    const Retained& seen = points_.at(bytes);
    return !fits(bytes) && seen.sampled - seen.hits <= few;
  }

  /// Whether a size already tested fits.
  [[nodiscard]] bool fits(std::int64_t bytes) const { return cache::fits(points_.at(bytes), subject_.threshold); }

  /// The results of some sizes already tested.
  [[nodiscard]] std::vector<SweepPoint> at(std::span<const std::int64_t> sizes) const {
    std::vector<SweepPoint> seen;
    for (const std::int64_t bytes : sizes) seen.push_back({bytes, points_.at(bytes)});
    return seen;
  }
  [[nodiscard]] std::vector<SweepPoint> points() const {
    std::vector<SweepPoint> all;
    for (const auto& [bytes, seen] : points_) all.push_back({bytes, seen});
    return all;
  }

  [[nodiscard]] std::int64_t passes() const { return passes_; }

  /// Whether to walk from now on until lines of others have left a shared cache, which a victim chosen by turns finds
  /// in as many walks as a set has ways. In large caches, that takes too long.
  void drive_others_out(bool drive) {
    constexpr std::int64_t most_ways = 32;  // no known cache has more
    passes_ = drive ? most_ways : Footprint{}.passes;
  }

 private:
  const Executor& execute_;
  const Subject& subject_;
  std::int64_t stride_;
  std::int64_t passes_ = Footprint{}.passes;
  std::map<std::int64_t, Retained> points_;
};

struct Bracket {
  std::int64_t fits = 0;
  std::int64_t misses = 0;
};

/// Whether a cache in this bracket is small enough to find its knee to the line.
bool is_countable(const Bracket& bracket, std::int64_t stride) { return bracket.misses / stride <= 4 * counted_lines; }

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
  constexpr std::int64_t parts = 8;  // seven sizes in one batch take three bits off the bracket
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

/// Sizes at equal distances, in lines.
struct Window {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t sizes = 0;

  [[nodiscard]] std::int64_t last() const { return first + (sizes - 1) * step; }
};
/// The first window around the end of the bisection. A footprint k lines too large seems to fit in a single walk with a
/// probability of e^-k (see `repetitions`), so the bisection ends more than eight lines too high once in 8,000 times,
/// or more often where misread loads hide misses. Noise may also hide the first lines too many.
constexpr std::int64_t below = 8;
constexpr std::int64_t above = 3;
constexpr std::int64_t most_sizes = below + 1 + above;

/// The window to test next, if none or all sizes of the last one fit, or if they lie too far apart. Beyond its ends,
/// windows widen: a bisection that was misled may be far off.
Window next_window(const Window& tested, std::int64_t fitting_lines) {
  constexpr std::int64_t widening = 4;  // five windows span 8192 lines
  const std::int64_t wider = widening * tested.step;
  if (fitting_lines < tested.first) return {tested.first - most_sizes * wider, wider, most_sizes};
  if (fitting_lines >= tested.last()) return {tested.last() + wider, wider, most_sizes};
  const std::int64_t step = (tested.step + most_sizes - 1) / most_sizes;
  return {fitting_lines, step, (tested.step + step - 1) / step + 1};
}

/// How often all lines of a window's sizes are tested. With random replacement, a set that overflows by one line lacks
/// one of its lines at a time, so a walk of which every line is tested sees the miss with probability 1 - 1/e. All
/// repetitions overlook it with a probability of e^-16 = 1e-7, or e^-6 = 2.5e-3 where they would take too long. Sizes
/// that lie k lines apart overflow by k lines: a k-th of the repetitions is as sure.
std::int64_t repetitions(const Subject& subject, std::int64_t passes, std::int64_t lines, std::int64_t step) {
  constexpr std::int64_t most_loads = 128'000'000;  // of a first window: 2.6 s of one SM at 35 cycles and 1.7 GHz
  const std::int64_t programs = (lines - 1) / (subject.shared ? subject.most_timed : timed_loads) + 1;
  const std::int64_t loads = most_sizes * programs * passes * 2 * lines;  // each line twice, see `retained`
  return std::max<std::int64_t>(1, std::clamp<std::int64_t>(most_loads / loads, 6, 16) / step);
}

/// The knee, seen from many repetitions of the sizes around it. Ten windows find it 8192 lines away: five widen to as
/// many, and four narrow to a line.
KneeBytes confirmed(Sweep& sweep, const Subject& subject, std::int64_t fits, std::int64_t stride) {
  constexpr int most_windows = 10;                                                        // as said above
  const std::int64_t tested_lines = subject.shared ? subject.most_timed : counted_lines;  // of a walk
  const std::int64_t walks_to_test_all = (fits / stride + tested_lines - 1) / tested_lines;
  const std::int64_t surely_fits = fits / 2 / stride * stride;  // shows how often loads are misread
  Window window{fits / stride - below, 1, most_sizes};
  KneeBytes knee;
  for (int tested = 0; tested < most_windows; ++tested) {
    window.first = std::clamp(window.first, surely_fits / stride, subject.largest / stride);
    std::vector<std::int64_t> sizes;
    if (surely_fits > 0) sizes.push_back(surely_fits);
    for (std::int64_t i = 0; i < window.sizes; ++i) {
      const std::int64_t size = (window.first + i * window.step) * stride;
      if (size > surely_fits && size <= subject.largest) sizes.push_back(size);
    }
    sweep.test(sizes, tested_lines,
               repetitions(subject, sweep.passes(), fits / stride, window.step) * walks_to_test_all);
    knee = knee_of(sweep.at(sizes), subject.threshold);
    const bool all_fit = knee.last == sizes.back();
    const bool none_fits = knee.last <= surely_fits && window.first * stride > surely_fits;
    if (all_fit ? sizes.back() + stride > subject.largest : window.step == 1 && !none_fits) break;
    window = next_window(window, knee.last / stride);
  }
  return knee;
}

/// Walks a footprint and times the load of a line behind it, `behind` bytes after its end.
chase::Program behind_program(const Subject& subject, std::int64_t bytes, std::int64_t stride, std::int64_t behind) {
  chase::Program program = program_for(subject, bytes + behind + stride);
  // Two loads of each line, as in the walks whose lines are counted.
  const std::int64_t walk = add_ring(program, {0, 0, stride / 2, 2 * (bytes / stride)});
  const std::int64_t tested = add_ring(program, {.array = 0, .nodes = {bytes + behind + sample_offset}});
  program.phases = {{0, walk, 0, Footprint{}.passes * 2 * (bytes / stride), chase::Timing::untimed},
                    {0, tested, 0, 1, chase::Timing::each}};
  return program;
}

/// How many lines just behind footprints of these sizes the cache holds, though nobody loaded them: one that prefetches
/// brings them along. They take the places of lines that are counted.
std::int64_t held_behind(const Executor& execute, const Subject& subject, std::span<const std::int64_t> sizes,
                         std::int64_t stride) {
  constexpr std::int64_t most = 4;  // The first tells that a plateau proves nothing; the others widen its interval.
  std::vector<chase::Program> programs;
  std::vector<std::size_t> places;
  for (const std::int64_t bytes : sizes) {
    for (std::int64_t line = 0; line < most && bytes + (line + 1) * stride <= subject.largest; ++line) {
      programs.push_back(behind_program(subject, bytes, stride, line * stride));
      places.push_back(static_cast<std::size_t>(line));
    }
  }
  std::array<std::int64_t, most> held = {};
  const auto results = execute(programs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    held.at(places[i]) += is_hit(subject, results[i], results[i].traces.front().latency.front()) ? 1 : 0;
  }
  // Two of three sizes. If one miss in 1,000 is misread, a line that is not there seems to be once in 80,000 times.
  return std::ranges::count_if(held, [&](std::int64_t seen) { return 2 * seen > std::ssize(sizes); });
}

/// Counts a plateau again, in programs that test one line each, so that no test disturbs another. There are as many
/// programs as lines, which takes too long for large caches: their plateau proves nothing.
void count_plateau_again(Sweep& sweep, Capacity& result, std::span<const std::int64_t> overfull, std::int64_t stride,
                         const Executor& execute, const Subject& subject) {
  constexpr std::int64_t most_lines = 1024;  // 64 million loads: 1.3 s of one SM at 35 cycles and 1.7 GHz
  const auto far = std::ranges::find_if(overfull, [&](std::int64_t size) { return is_far(size, result); });
  std::vector<std::int64_t> sizes;
  if (result.first_miss_bytes <= most_lines * stride) sizes = {*far, *far + stride, *far + 2 * stride};
  sweep.test(sizes, 2 * counted_lines, 1, stride);
  read_undisturbed(result, sweep.at(sizes), stride);
  if (result.plateau) read_behind(result, held_behind(execute, subject, sizes, stride), stride);
}

/// Whether most of so many lines stay. An index that fills sets unevenly loses lines long before the cache is full:
/// what is retained still rises then.
bool may_retain_more(const Retained& seen, double lines) {
  constexpr double most = 0.7;  // of a footprint twice as large as the cache, half stays
  return seen.estimate() > most * lines;
}

/// The same of the largest footprint.
bool may_retain_more(const Sweep& sweep, const std::vector<std::int64_t>& sizes, std::int64_t stride) {
  if (sizes.empty()) return false;
  const double lines = static_cast<double>(sizes.back()) / static_cast<double>(stride);
  return may_retain_more(sweep.at(std::span(sizes).last(1)).front().seen, lines);
}

/// Counts what overfull footprints retain.
void count_retained(Sweep& sweep, Capacity& result, std::int64_t stride, const Executor& execute,
                    const Subject& subject) {
  auto sizes = overfull_sizes(result.first_miss_bytes, stride, subject.largest);
  const bool all_are_counted = result.first_miss_bytes / stride <= counted_lines;
  const std::int64_t undisturbed = result.first_miss_bytes / undisturbed_part;
  // Of a cache so large that one program tests many lines, as many as it does. Of three footprints, 77, 63 and
  // 50 % stay: a standard error of 0.26 % in all.
  const std::int64_t sampled_lines = std::clamp(undisturbed / stride, counted_lines, 2 * counted_lines);
  constexpr std::int64_t tests = 24'000;  // of each footprint
  const std::int64_t repeats = result.sampled ? tests / sampled_lines : 1;
  sweep.test(sizes, all_are_counted ? 2 * counted_lines : sampled_lines, repeats, undisturbed);
  while (!all_are_counted && may_retain_more(sweep, sizes, stride) && 2 * sizes.back() <= subject.largest) {
    sizes.push_back(2 * sizes.back());
    sweep.test(std::span(sizes).last(1), sampled_lines, repeats, undisturbed);
  }
  read_overfull(result, sweep.at(sizes), stride, subject.shared);
  if (result.plateau && result.bytes(stride) != result.first_miss_bytes) {
    count_plateau_again(sweep, result, sizes, stride, execute, subject);
  }
}

/// Bytes that lines at random places of the region retain. The number of lines doubles until less than 60 % stay: a
/// footprint twice as large as the cache retains half. If a third of the samples stay, their standard error is 3.1 %.
/// Nothing if most of as many as the region has place for stay: they do not overflow the cache.
std::optional<Estimate> retained_at_random(const Executor& execute, const Subject& subject, std::int64_t stride,
                                           std::int64_t bytes) {
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
    if (2 * lines > places && may_retain_more(seen, static_cast<double>(lines))) return std::nullopt;
  }
  return Estimate{seen.estimate() * static_cast<double>(stride), seen.standard_error() * static_cast<double>(stride)};
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
  if (bracket && subject.shared && is_countable(*bracket, stride)) {
    // What missed because of lines of others may fit.
    sweep.drive_others_out(true);
    bracket = doubling(sweep, stride, bracket->misses, limit_bytes);
    sweep.drive_others_out(bracket && is_countable(*bracket, stride));
  }
  if (!bracket) return std::nullopt;
  const bool countable = is_countable(*bracket, stride);
  const std::int64_t resolution = countable ? stride : bracket->fits / sampled_resolution;
  bisect(sweep, *bracket, stride, resolution);

  const KneeBytes knee = countable ? confirmed(sweep, subject, bracket->fits, stride)
                                   : KneeBytes{bracket->fits, bracket->fits, bracket->fits};
  Capacity result;
  result.first_miss_bytes = std::max(knee.last, stride);
  result.surely_fitting_bytes = knee.surely_fits;
  result.perhaps_fitting_bytes = knee.may_fit;
  result.missing_bytes = bracket->misses;
  result.sampled = !countable;
  count_retained(sweep, result, stride, execute, subject);
  if (countable) {
    const auto at_random = retained_at_random(execute, subject, stride, result.first_miss_bytes);
    if (!at_random) return std::nullopt;  // delays were taken for misses
    read_random(result, *at_random);
  }
  result.sweep = sweep.points();
  return result;
}

bool all_sectors_fit(const Executor& execute, const Subject& subject, std::int64_t bytes) {
  const chase::Ring ring{0, 0, smallest_line, bytes / smallest_line};
  const Footprint footprint{.ring = ring, .bytes = bytes, .samples = counted_lines, .share = 1};
  const Retained seen = retained(execute, subject, {&footprint, 1}).front();
  // Data that hold a few per cent less than tags reach count as all: a line that was prefetched may take a place, and
  // sets may fill unevenly.
  constexpr double nearly_all = 0.9;
  return static_cast<double>(seen.hits) >= nearly_all * static_cast<double>(seen.sampled);
}

}  // namespace tomograph::cache
