#include "instructions.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "tomograph/analysis/latency_modes.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::cache_sharing {

namespace {

constexpr std::int64_t code_bytes = std::int64_t{256} << 10;
constexpr std::int64_t code_block = 128;
/// Further than any instruction is fetched ahead; less code than so many blocks at that distance is executed in a row.
constexpr std::int64_t code_stride = 1024;
constexpr std::int64_t spread_blocks = 8;
constexpr std::int64_t fills = 3;
constexpr std::int64_t trials = 8;
constexpr std::int64_t most_tests = 64;

/// What lies between the owner's loads and the test of what it loaded.
enum class Between {
  nothing,  ///< and little enough is loaded for the nearest cache
  idle,     ///< the rival loads one line only, as often
  own,      ///< the owner loads twice what the level holds
  all,      ///< the owner loads all else that there is
  rival     ///< the rival loads twice what the level holds
};
constexpr std::array constant_contests{Between::idle, Between::own, Between::rival};
constexpr std::array code_contests{Between::nothing, Between::idle, Between::own, Between::all, Between::rival};

constexpr std::int64_t constants = 0;
constexpr std::int64_t code = 1;

/// A program with both actors, all constants that there are, and all code.
class Builder {
 public:
  Builder(std::int64_t arrays, std::int64_t array_bytes, std::int64_t trial, bool alone) : array_bytes_(array_bytes) {
    program_.arrays.assign(static_cast<std::size_t>(arrays), {.bytes = array_bytes, .space = chase::Space::constant});
    program_.arrays.push_back({.bytes = code_bytes, .space = chase::Space::instruction});
    program_.actors = {{.path = chase::Path::constant}, {.path = chase::Path::instruction}};
    program_.trial = trial;
    program_.alone = alone;
  }

  /// Loads constants from byte `begin` on, through all arrays, so often.
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
  /// Executes all blocks so often. With a stride of more than a block none comes after its neighbour: what is fetched
  /// ahead need not stay in the cache.
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
  /// One constant, or one block of code, as often.
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

/// Code to be tested: so many bytes, executed in steps of the stride.
struct Code {
  std::int64_t stride = 0;
  std::int64_t bytes = 0;
};

/// The amounts that are loaded, executed and tested. SMs may share a level behind the first: programs run alone there.
class Contests {
 public:
  Contests(const ConstantLevel& level, std::int64_t arrays, std::int64_t array_bytes)
      : level_(level), arrays_(arrays), array_bytes_(array_bytes / level.line_bytes * level.line_bytes) {}

  /// A quarter of the level is filled; the level before then has to hold other constants. Owner and rival load as much,
  /// once: a second time the levels before, which are not the same, may answer.
  [[nodiscard]] chase::Program constants_tested(Between between, std::int64_t trial) const {
    const std::int64_t filled = std::min(level_.size / 4, array_bytes_ / 2) / line() * line();
    const std::int64_t covered = std::min(2 * level_.size_before, room() / 2) / line() * line();
    const std::int64_t walked = blocks(std::min(2 * level_.size, room() - filled - covered));
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

  /// What is executed to be tested: half of the level. Of little code blocks are neighbours, which hides what is
  /// fetched ahead; so more of it, apart, is executed as well, for a first level that is no cache of instructions.
  [[nodiscard]] std::vector<Code> codes() const {
    const std::int64_t half = std::min(level_.size / 2, code_bytes / 2);
    constexpr std::int64_t least_apart = spread_blocks * code_stride;
    if (half >= least_apart) return {{code_stride, half / code_stride * code_stride}};
    const Code little{code_block, std::max(half, 2 * code_block) / code_block * code_block};
    if (is_first()) return {little, {code_stride, least_apart}};
    return {little};
  }

  /// Behind a level before, the half of the code that was executed first is tested.
  [[nodiscard]] chase::Program code_tested(const Code& mine, Between between, std::int64_t trial) const {
    const std::int64_t tested = is_first() ? mine.bytes : mine.bytes / 2 / mine.stride * mine.stride;
    const std::int64_t least = std::min(tested, spread_blocks * mine.stride);
    const std::int64_t walked = std::min({blocks(2 * level_.size), code_bytes - mine.bytes, blocks(room())});
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

  [[nodiscard]] bool is_first() const { return level_.size_before == 0; }

 private:
  static constexpr std::int64_t smallest_line = 32;

  [[nodiscard]] static std::int64_t blocks(std::int64_t bytes) {
    return std::clamp(bytes / code_block * code_block, code_block, code_bytes - code_block);
  }
  [[nodiscard]] std::int64_t line() const { return level_.line_bytes; }
  [[nodiscard]] std::int64_t room() const { return arrays_ * array_bytes_ - level_.line_bytes; }

  ConstantLevel level_;
  std::int64_t arrays_;
  std::int64_t array_bytes_;
};

/// Net latencies by what lay between.
using Latencies = std::map<Between, std::vector<double>>;

template <typename Make>
Latencies measure(const cache::Executor& execute, std::span<const Between> contests, Make make) {
  std::vector<chase::Program> programs;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    for (const Between between : contests) programs.push_back(make(between, trial));
  }
  const auto results = execute(programs);
  Latencies seen;
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto latencies = cache::net(results[i]);
    // The first load also finds its way in.
    latencies.erase(latencies.begin());
    auto& own = seen[contests[i % contests.size()]];
    own.insert(own.end(), latencies.begin(), latencies.end());
  }
  return seen;
}

/// Loads that the level before served say nothing.
analysis::EventCount count(std::span<const double> latencies, double before, double threshold) {
  analysis::EventCount seen;
  for (const double cycles : latencies) {
    if (cycles <= before) continue;
    ++seen.tests;
    seen.events += cycles > threshold ? 1 : 0;
  }
  return seen;
}

analysis::EffectEvidence evidence(const Latencies& seen, Between known, double before, double threshold) {
  const auto counted = [&](Between between) { return count(seen.at(between), before, threshold); };
  return analysis::effect_evidence(counted(Between::idle), counted(known), counted(Between::rival));
}

/// How long code takes that a level holds is nobody's fact: what the owner's own loads make slower tells. Replacement
/// at random spares some.
std::optional<double> cut(const Latencies& seen, Between faster, Between slower) {
  constexpr double spared = 0.3;
  const auto found = analysis::threshold_between(seen.at(faster), seen.at(slower), spared);
  if (!found || analysis::median(seen.at(slower)) <= analysis::median(seen.at(faster))) return std::nullopt;
  return found->cycles;
}

/// Of a cache behind another one. Nothing is learnt from code that its own loads leave where it is, nor from code that
/// the level before has.
std::optional<analysis::EffectEvidence> evidence_behind(const Latencies& seen) {
  const auto before = cut(seen, Between::nothing, Between::idle);
  const auto threshold = cut(seen, Between::idle, Between::own);
  if (!before || !threshold) return std::nullopt;
  return evidence(seen, Between::own, *before, *threshold);
}

/// Of the first cache. Where twice its size of code changes nothing, what holds the code is larger, and what all other
/// code does is the effect that constants would have.
std::optional<analysis::EffectEvidence> evidence_first(const Latencies& seen) {
  for (const Between known : {Between::own, Between::all}) {
    if (const auto threshold = cut(seen, Between::idle, known)) return evidence(seen, known, 0, *threshold);
  }
  return std::nullopt;
}

/// The most arrays, up to 4, that a program can have together.
std::int64_t arrays_together(const cache::Executor& execute, std::int64_t bytes) {
  for (std::int64_t arrays = 4; arrays > 1; --arrays) {
    chase::Program program;
    program.arrays.assign(static_cast<std::size_t>(arrays), {.bytes = bytes, .space = chase::Space::constant});
    program.actors = {{.path = chase::Path::constant}};
    program.rings = {{.stride = chase::node_bytes, .count = 1}};
    program.phases = {{.loads = 1}};
    try {
      (void)execute({&program, 1});
      return arrays;
    } catch (const Refused&) {
      continue;
    }
  }
  return 1;
}

void add_columns(std::vector<NamedArray>& all, const std::string& owner, const Latencies& seen) {
  static const std::map<Between, const char*> names{{Between::nothing, "at_once"},
                                                    {Between::idle, "after_idle_rival"},
                                                    {Between::own, "after_own_walk"},
                                                    {Between::all, "after_all_other_code"},
                                                    {Between::rival, "after_rivals_walk"}};
  for (const auto& [between, cycles] : seen) all.push_back({owner + "_cycles_" + names.at(between), cycles});
}

}  // namespace

CodeSharing sharing_with_code(const Session& session, const ConstantLevel& level, std::int64_t reach) {
  const auto execute = executor(session);
  const Contests contests(level, arrays_together(execute, reach), reach);
  const auto of_constants = measure(execute, constant_contests, [&](Between one, std::int64_t trial) {
    return contests.constants_tested(one, trial);
  });
  const Direction constants_evicted{.evicted = evidence(of_constants, Between::own, level.before, level.threshold),
                                    .found = {}};
  CodeSharing found;
  found.samples = of_constants.at(Between::rival).size();
  add_columns(found.evidence, "constant", of_constants);
  std::optional<analysis::EffectEvidence> code_evicted;
  for (const Code& mine : contests.codes()) {
    const auto of_code = measure(execute, code_contests, [&](Between one, std::int64_t trial) {
      return contests.code_tested(mine, one, trial);
    });
    found.samples += of_code.at(Between::rival).size();
    add_columns(found.evidence, "code_of_" + std::to_string(mine.bytes) + "_B", of_code);
    code_evicted = contests.is_first() ? evidence_first(of_code) : evidence_behind(of_code);
    if (code_evicted) break;
  }
  found.verdict =
      relation(constants_evicted, {.evicted = code_evicted.value_or(analysis::EffectEvidence{}), .found = {}});
  return found;
}

}  // namespace tomograph::cache_sharing
