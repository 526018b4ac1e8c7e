#include <algorithm>

#include "analysis_partition.hpp"
#include "publish.hpp"
#include "questions.hpp"

namespace tomograph::data_cache {

namespace {

constexpr std::int64_t lines = compared_lines;
/// No known line is longer.
constexpr std::int64_t slot_bytes = 512;

/// A place in a slot, another one in each of 16 slots in a row: any address bits may choose slice and partition.
std::int64_t place_in(std::int64_t slot) {
  constexpr std::int64_t sector = 32;  // of every known L2
  return slot * slot_bytes + slot * 5 % (slot_bytes / sector) * sector;
}

/// `loader` walks lines that nobody has used, then `reader` times two walks of its own over them.
chase::Program touch_program(const cache::Subject& subject, std::int64_t loader, std::int64_t reader) {
  constexpr std::int64_t spacing = 4096;  // half of the region for each line: any address bits may choose the partition
  chase::Program program = cache::program_for(subject, 2 * lines * spacing);
  program.alone = false;
  program.actors = {{loader, subject.path, 1}, {reader, subject.path, 1}};
  program.trial = loader * 4096 + reader;
  chase::Ring ring{.array = 0};
  for (const std::int64_t slot :
       cache::random_choice(2 * lines * spacing / slot_bytes, lines, static_cast<std::uint64_t>(program.trial))) {
    ring.nodes.push_back(place_in(slot));
  }
  cache::add_ring(program, std::move(ring));
  program.phases = {{0, 0, 0, 2 * lines, chase::Timing::untimed},
                    {1, 0, 0, lines, chase::Timing::each},
                    {1, 0, 0, lines, chase::Timing::each}};
  return program;
}

std::vector<FirstTouch> touch(const cache::Executor& execute, const cache::Subject& subject,
                              std::span<const std::int64_t> open) {
  const std::int64_t loader = open.front();
  std::vector<chase::Program> programs;
  for (const std::int64_t reader : open) programs.push_back(touch_program(subject, loader, reader));
  const auto results = execute(programs);
  std::vector<FirstTouch> seen;
  for (std::size_t i = 0; i < results.size(); ++i) {
    seen.push_back({loader, open[i], cache::net(results[i], 0), cache::net(results[i], 1)});
  }
  return seen;
}

/// Every SM times the same lines that it has just loaded, `passes` times: the median of each line, by SM.
std::vector<std::vector<double>> loads_of_same_lines(const cache::Executor& execute, const cache::Subject& subject,
                                                     std::int64_t sm_count, std::int64_t passes) {
  // Lines in a few small pages, which any TLB holds, of four large ones: any address bits may choose the partition.
  constexpr std::int64_t bytes = 4 * cache::page_bytes;
  constexpr std::int64_t small_page = std::int64_t{64} << 10;
  constexpr std::int64_t small_pages = 8;
  chase::Program program = cache::program_for(subject, bytes);
  program.actors.clear();
  chase::Ring ring{.array = 0};
  for (const std::int64_t page : cache::random_choice(bytes / small_page, small_pages, 1)) {
    for (const std::int64_t slot :
         cache::random_choice(small_page / slot_bytes, lines / small_pages, static_cast<std::uint64_t>(page))) {
      ring.nodes.push_back(page * small_page + place_in(slot));
    }
  }
  cache::add_ring(program, std::move(ring));
  for (std::int64_t sm = 0; sm < sm_count; ++sm) {
    program.actors.push_back({sm, subject.path, 1});
    program.phases.push_back({sm, 0, 0, 2 * lines, chase::Timing::untimed});
    program.phases.push_back({sm, 0, 0, passes * lines, chase::Timing::each});
  }
  const auto results = execute({&program, 1});
  std::vector<std::vector<double>> by_sm;
  for (std::size_t sm = 0; sm < results.front().traces.size(); ++sm) {
    by_sm.push_back(medians_by_line(cache::net(results.front(), sm), passes));
  }
  return by_sm;
}

Partitions measure_partitions(const cache::Executor& execute, const cache::Subject& subject, std::int64_t sm_count) {
  FirstTouchGrouping grouping(sm_count);
  while (!grouping.open().empty()) grouping.add(touch(execute, subject, grouping.open()));
  Partitions found = grouping.partitions();
  if (found.count == 1) {
    const std::int64_t passes = passes_to_see_near_lines(found);
    split_by_near_lines(found, loads_of_same_lines(execute, subject, sm_count, passes));
  }
  return found;
}

}  // namespace

void find_partitions(const Session& session) {
  const auto sm_count = session.needed<std::int64_t>("device.sm_count");
  publish(session, measure_partitions(cache::executor(session), cache::subject_of(l2), sm_count));
}

}  // namespace tomograph::data_cache
