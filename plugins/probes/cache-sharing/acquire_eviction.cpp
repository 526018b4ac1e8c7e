#include "acquire_eviction.hpp"

#include <algorithm>

namespace tomograph::cache_sharing {

namespace {

/// Adds an array of the user's space with room for `lines` lines and returns the ring over them.
chase::Ring lines_of(chase::Program& program, const CacheUser& user, std::int64_t lines, std::int64_t first_line) {
  const std::int64_t start = first_line * user.line_bytes;
  program.arrays.push_back({.bytes = start + lines * user.line_bytes, .space = chase::space_of(user.subject.path)});
  return {.array = std::ssize(program.arrays) - 1, .start = start, .stride = user.line_bytes, .count = lines};
}

/// The start of the lines differs from trial to trial, so that no single place decides. Constant memory is too small
/// for that.
std::int64_t first_line(const CacheUser& user, std::uint64_t seed) {
  constexpr std::uint64_t places = 64;  // more than there are trials, so that none repeats a place
  return chase::space_of(user.subject.path) == chase::Space::global ? static_cast<std::int64_t>(seed % places) : 0;
}

/// Half of the lines. Tests that miss evict other lines themselves, as often after the owner's own walk as after the
/// rival's.
std::int64_t tests_among(std::int64_t lines) {
  constexpr std::int64_t most = 64;  // four trials have 256 tests: a standard error of at most 3.1 %
  return std::clamp<std::int64_t>(lines / 2, 1, most);
}

chase::Program program_of(const EvictionTest& test, std::uint64_t seed) {
  // With random replacement, one walk of twice the capacity leaves 14 % of the lines, two leave 3 %.
  constexpr std::int64_t passes = 2;
  const CacheUser& owner = test.owner;
  const CacheUser& rival = test.rival;
  chase::Program program;
  program.carveout = owner.subject.carveout;
  program.trial = static_cast<std::int64_t>(seed);
  program.actors = {{owner.subject.sm, owner.subject.path, 1, owner.warp},
                    {rival.subject.sm, rival.subject.path, 1, rival.warp}};
  const std::int64_t lines = std::max<std::int64_t>(1, test.fill_bytes / owner.line_bytes);
  const chase::Ring fill = lines_of(program, owner, lines, first_line(owner, seed));
  chase::Ring tested{.array = 0};
  for (const std::int64_t line : cache::random_choice(lines, tests_among(lines), seed)) {
    tested.nodes.push_back(fill.start + line * fill.stride + cache::sample_offset);
  }
  const std::int64_t walked = std::max<std::int64_t>(1, test.walk_bytes / rival.line_bytes);
  const chase::Ring walk = lines_of(program, rival, test.idle ? 1 : walked, 0);
  program.phases = {{0, 0, 0, lines, chase::Timing::untimed},
                    {1, 2, 0, passes * walked, chase::Timing::untimed},
                    {0, 1, 0, tested.size(), chase::Timing::each}};
  program.rings = {fill, tested, walk};
  return program;
}

analysis::EventCount slower(const cache::Subject& subject, const chase::Result& result) {
  analysis::EventCount seen;
  for (const double latency : cache::net(result)) {
    ++seen.tests;
    seen.events += latency > subject.threshold.cycles ? 1 : 0;
  }
  return seen;
}

analysis::EventCount faster(const cache::Subject& subject, const chase::Result& result) {
  analysis::EventCount seen = slower(subject, result);
  seen.events = seen.tests - seen.events;
  return seen;
}

enum class Before { nobody, own, loader };

/// Every 32 B sector has a slot for each of the rings.
chase::Program find_program(const CacheUser& loader, const CacheUser& reader, Before before, chase::Path beyond,
                            std::uint64_t seed) {
  // Four trials load 128 lines: a standard error of at most 4.4 %. No known line is longer than the spacing.
  constexpr std::int64_t lines = 32;
  constexpr std::int64_t spacing = 256;
  chase::Program program = cache::program_for(reader.subject, cache::page_bytes);
  program.actors.front().warp = reader.warp;
  program.actors.push_back({loader.subject.sm, loader.subject.path, 1, loader.warp});
  program.actors.push_back({reader.subject.sm, beyond, 1, reader.warp});
  program.trial = static_cast<std::int64_t>(seed);
  const std::int64_t start = static_cast<std::int64_t>(seed % 64) * lines * spacing;
  for (std::int64_t slot = 0; slot < 4; ++slot) {
    cache::add_ring(program, {0, start + slot * chase::node_bytes, spacing, lines});
  }
  // The next level has the lines in any case.
  program.phases.push_back({2, 0, 0, lines, chase::Timing::untimed});
  if (before == Before::own) program.phases.push_back({0, 1, 0, lines, chase::Timing::untimed});
  if (before == Before::loader) program.phases.push_back({1, 2, 0, lines, chase::Timing::untimed});
  program.phases.push_back({0, 3, 0, lines, chase::Timing::each});
  return program;
}

}  // namespace

std::vector<analysis::EventCount> count_evictions(const cache::Executor& execute, std::span<const EvictionTest> tests,
                                                  std::uint64_t seed) {
  std::vector<chase::Program> programs;
  programs.reserve(tests.size());
  for (const EvictionTest& test : tests) programs.push_back(program_of(test, seed));
  const auto results = execute(programs);
  std::vector<analysis::EventCount> seen;
  for (std::size_t i = 0; i < results.size(); ++i) seen.push_back(slower(tests[i].owner.subject, results[i]));
  return seen;
}

std::int64_t common_walk(const CacheUser& owner, const CacheUser& rival, std::int64_t fill_bytes, std::int64_t wanted) {
  const bool one_space = chase::space_of(owner.subject.path) == chase::space_of(rival.subject.path);
  const std::int64_t own_room = owner.room - fill_bytes;
  return std::min({wanted, own_room, one_space ? own_room : rival.room});
}

std::vector<FoundLines> find_lines(const cache::Executor& execute,
                                   std::span<const std::pair<CacheUser, CacheUser>> loader_and_reader,
                                   chase::Path beyond, std::uint64_t seed) {
  std::vector<chase::Program> programs;
  for (const auto& [loader, reader] : loader_and_reader) {
    for (const Before before : {Before::nobody, Before::own, Before::loader}) {
      programs.push_back(find_program(loader, reader, before, beyond, seed));
    }
  }
  const auto results = execute(programs);
  std::vector<FoundLines> seen;
  for (std::size_t i = 0; i < loader_and_reader.size(); ++i) {
    const cache::Subject& reader = loader_and_reader[i].second.subject;
    seen.push_back(
        {faster(reader, results[3 * i]), faster(reader, results[3 * i + 1]), faster(reader, results[3 * i + 2])});
  }
  return seen;
}

}  // namespace tomograph::cache_sharing
