#include "acquire_code_programs.hpp"

#include <algorithm>
#include <utility>

#include "tomograph/cache/subject.hpp"

namespace tomograph::cache_sharing {

namespace {

/// Twice the last instruction cache of an H200, in the blocks that are the nodes of instruction memory.
constexpr std::int64_t code_bytes = std::int64_t{256} << 10;
constexpr std::int64_t code_block = 128;
/// Farther than any known prefetch of instructions. Less code than so many blocks at that distance is executed in a
/// row.
constexpr std::int64_t code_stride = 1024;
constexpr std::int64_t spread_blocks = 8;
constexpr std::int64_t fills = 3;           // rounds of loads that fill a cache
constexpr std::int64_t most_tests = 64;     // of a program, so that tests evict few lines themselves
constexpr std::int64_t smallest_line = 32;  // no known line is shorter

/// Numbers of the actors.
constexpr std::int64_t constants = 0;
constexpr std::int64_t code = 1;

/// A program with both actors, all constants and all code.
class Builder {
 public:
  Builder(std::int64_t arrays, std::int64_t array_bytes, std::int64_t trial, bool alone) : array_bytes_(array_bytes) {
    program_.arrays.assign(static_cast<std::size_t>(arrays), {.bytes = array_bytes, .space = chase::Space::constant});
    program_.arrays.push_back({.bytes = code_bytes, .space = chase::Space::instruction});
    program_.actors = {{.path = chase::Path::constant}, {.path = chase::Path::instruction}};
    program_.trial = trial;
    program_.alone = alone;
  }

  /// Loads constants from byte `begin` on, through all arrays, `passes` times.
  void load(std::int64_t begin, std::int64_t bytes, std::int64_t stride, std::int64_t passes) {
    const std::int64_t end = std::min(begin + bytes, array_bytes_ * (std::ssize(program_.arrays) - 1));
    std::vector<std::int64_t> rings;
    while (begin < end) {
      const std::int64_t offset = begin % array_bytes_;
      const std::int64_t here = std::min(end - begin, array_bytes_ - offset);
      if (here >= stride) {
        rings.push_back(
            ring({.array = begin / array_bytes_, .start = offset, .stride = stride, .count = here / stride}));
      }
      begin += here;
    }
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      for (const std::int64_t one : rings) phase(constants, one, size(one), chase::Timing::untimed);
    }
  }
  /// Executes all blocks `passes` times. With a stride of more than a block none comes after its neighbour, so that a
  /// prefetched block is evicted again before it is executed.
  void execute(std::int64_t begin, std::int64_t bytes, std::int64_t stride, std::int64_t passes) {
    std::vector<std::int64_t> rings;
    for (std::int64_t offset = 0; offset < std::min(stride, bytes); offset += code_block) {
      rings.push_back(ring({.array = std::ssize(program_.arrays) - 1,
                            .start = begin + offset,
                            .stride = stride,
                            .count = (bytes - offset - 1) / stride + 1}));
    }
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      for (const std::int64_t one : rings) phase(code, one, size(one), chase::Timing::untimed);
    }
  }
  /// Loads one constant, or executes one block of code, `loads` times.
  void idle(std::int64_t actor, std::int64_t loads) {
    const bool is_code = actor == code;
    const std::int64_t last = is_code ? std::ssize(program_.arrays) - 1 : std::ssize(program_.arrays) - 2;
    const std::int64_t unit = is_code ? code_block : 2 * chase::node_bytes;
    const std::int64_t bytes = program_.arrays[static_cast<std::size_t>(last)].bytes;
    const std::int64_t start = bytes / unit * unit - unit + (is_code ? 2 * chase::node_bytes : chase::node_bytes);
    phase(actor, ring({.array = last, .start = start, .stride = unit, .count = 1}), loads, chase::Timing::untimed);
  }
  void test(std::int64_t actor, chase::Ring tested) {
    if (actor == code) tested.array = std::ssize(program_.arrays) - 1;
    const std::int64_t one = ring(std::move(tested));
    phase(actor, one, size(one), chase::Timing::each);
  }

  [[nodiscard]] chase::Program take() { return std::move(program_); }

 private:
  std::int64_t ring(chase::Ring made) {
    program_.rings.push_back(std::move(made));
    return std::ssize(program_.rings) - 1;
  }
  [[nodiscard]] std::int64_t size(std::int64_t ring) const {
    return program_.rings[static_cast<std::size_t>(ring)].size();
  }
  void phase(std::int64_t actor, std::int64_t ring, std::int64_t loads, chase::Timing timing) {
    program_.phases.push_back({actor, ring, 0, loads, timing});
  }

  chase::Program program_;
  std::int64_t array_bytes_;
};

/// As many whole blocks as `bytes` and all code have.
std::int64_t whole_blocks(std::int64_t bytes) {
  return std::clamp(bytes / code_block * code_block, code_block, code_bytes - code_block);
}

}  // namespace

CodePrograms::CodePrograms(const ConstantLevel& level, std::int64_t arrays, std::int64_t array_bytes)
    : level_(level), arrays_(arrays), array_bytes_(array_bytes / level.line_bytes * level.line_bytes) {}

/// A quarter of the level is filled; the level before is then filled with other constants. Owner and rival load as
/// much, once: a second time the levels before, which differ between them, may serve the loads.
chase::Program CodePrograms::constants_tested(Between between, std::int64_t trial) const {
  const std::int64_t filled = std::min(level_.size / 4, array_bytes_ / 2) / line() * line();
  const std::int64_t covered = std::min(2 * level_.size_before, room() / 2) / line() * line();
  const std::int64_t walked = whole_blocks(std::min(2 * level_.size, room() - filled - covered));
  Builder builder(arrays_, array_bytes_, trial, !is_first());
  builder.load(0, filled, line(), fills);
  builder.load(filled, covered, smallest_line, 1);
  if (between == Between::own) builder.load(filled + covered, walked, line(), 1);
  if (between == Between::rival) builder.execute(0, walked, code_stride, 1);
  if (between == Between::idle) builder.idle(code, walked / code_block);
  chase::Ring tested{.array = 0};
  const std::int64_t lines = filled / line();
  for (const std::int64_t one :
       cache::random_choice(lines, std::min(most_tests, lines), static_cast<std::uint64_t>(trial + 1))) {
    tested.nodes.push_back(one * line() + cache::sample_offset);
  }
  builder.test(constants, std::move(tested));
  return builder.take();
}

std::vector<TestedCode> CodePrograms::codes() const {
  const std::int64_t half = std::min(level_.size / 2, code_bytes / 2);
  constexpr std::int64_t least_apart = spread_blocks * code_stride;
  if (half >= least_apart) return {{code_stride, half / code_stride * code_stride}};
  const TestedCode little{code_block, std::max(half, 2 * code_block) / code_block * code_block};
  if (is_first()) return {little, {code_stride, least_apart}};
  return {little};
}

chase::Program CodePrograms::code_tested(const TestedCode& mine, Between between, std::int64_t trial) const {
  const std::int64_t tested = is_first() ? mine.bytes : mine.bytes / 2 / mine.stride * mine.stride;
  const std::int64_t least = std::min(tested, spread_blocks * mine.stride);
  const std::int64_t walked = std::min({whole_blocks(2 * level_.size), code_bytes - mine.bytes, whole_blocks(room())});
  const bool at_once = between == Between::nothing;
  Builder builder(arrays_, array_bytes_, trial, !is_first());
  builder.execute(0, at_once ? least : mine.bytes, mine.stride, fills);
  if (between == Between::own) builder.execute(mine.bytes, walked, code_stride, 1);
  if (between == Between::all) builder.execute(mine.bytes, code_bytes - mine.bytes, code_stride, 1);
  if (between == Between::rival) builder.load(0, walked, line(), 1);
  if (between == Between::idle) builder.idle(constants, walked / line());
  // Of blocks that are apart, other ones in each trial.
  const std::int64_t start = trial * code_block % mine.stride + chase::node_bytes;
  builder.test(code, {.start = start, .stride = mine.stride, .count = (at_once ? least : tested) / mine.stride});
  return builder.take();
}

}  // namespace tomograph::cache_sharing
