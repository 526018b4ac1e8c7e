#include <algorithm>

#include "analysis_partition.hpp"
#include "publish.hpp"
#include "questions.hpp"

namespace tomograph::data_cache {

namespace {

constexpr std::int64_t lines = compared_lines;
/// No known line is longer.
constexpr std::int64_t slot_bytes = 512;

constexpr std::int64_t sector = 32;  // of every known L2

/// A place in a slot, another one in each of 16 slots in a row: any address bits may choose slice and partition.
std::int64_t place_in(std::int64_t slot) { return slot * slot_bytes + slot * 5 % (slot_bytes / sector) * sector; }

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

/// Where lines lie: as many in each of several small pages (64 KiB), which lie at random in some large ones.
struct Places {
  std::int64_t large_pages = 4;
  std::int64_t small_pages = 8;             // which any TLB holds
  std::int64_t lines = compared_lines / 8;  // of each small page
  std::uint64_t seed = 1;
};

std::int64_t bytes_of(const Places& places) { return places.large_pages * cache::page_bytes; }

/// Page by page.
std::vector<std::int64_t> lines_at(const Places& places) {
  // So that no two lines have a page of GPU memory in common.
  constexpr std::int64_t small_page = cache::small_page_bytes;
  std::vector<std::int64_t> nodes;
  for (const std::int64_t page : cache::random_choice(bytes_of(places) / small_page, places.small_pages, places.seed)) {
    for (const std::int64_t slot :
         cache::random_choice(small_page / slot_bytes, places.lines, static_cast<std::uint64_t>(page))) {
      nodes.push_back(page * small_page + place_in(slot));
    }
  }
  return nodes;
}

/// Large pages that lines lie in, at most half of the memory.
std::int64_t many_pages(const Session& session) {
  // If bits above those of a page choose one of two partitions, all pages belong to one in 5e-10 of the cases.
  constexpr std::int64_t many = 32;
  const auto free = session.fact<std::int64_t>("dram.free");
  return free ? std::clamp<std::int64_t>(*free / 2 / cache::page_bytes, 1, many) : many;
}

/// touch_program() with each line in a page of its own, so that lines belong to every partition, whatever bits choose
/// it. Each is loaded twice in a row: policies that let new lines leave first keep it. The reader has just loaded
/// another line of the page, so that its TLB knows it.
chase::Program wide_touch_program(const cache::Subject& subject, std::int64_t large_pages, std::int64_t loader,
                                  std::int64_t reader) {
  const auto trial = loader * 4096 + reader;
  const Places places{large_pages, lines, 2, static_cast<std::uint64_t>(trial + 1)};
  chase::Program program = cache::program_for(subject, bytes_of(places));
  program.alone = false;
  program.actors = {{loader, subject.path, 1}, {reader, subject.path, 1}};
  program.trial = trial;
  chase::Ring loaded{.array = 0};
  chase::Ring read{.array = 0};
  const auto nodes = lines_at(places);
  for (std::size_t i = 0; i < nodes.size(); i += 2) {
    // Other sectors of slots in each page, so that lines meet in few sets of a small cache.
    const auto elsewhere = static_cast<std::int64_t>(i / 2) % (slot_bytes / sector) * sector;
    const std::int64_t line = nodes[i] ^ elsewhere;
    const std::int64_t beside = nodes[i + 1] ^ elsewhere;
    loaded.nodes.insert(loaded.nodes.end(), {line, line + cache::sample_offset});
    read.nodes.insert(read.nodes.end(), {beside, line + 2 * cache::sample_offset, line + 3 * cache::sample_offset});
  }
  cache::add_ring(program, std::move(loaded));
  cache::add_ring(program, std::move(read));
  program.phases = {{0, 0, 0, 2 * lines, chase::Timing::untimed}, {1, 1, 0, 3 * lines, chase::Timing::each}};
  return program;
}

std::vector<FirstTouch> wide_touch(const cache::Executor& execute, const cache::Subject& subject,
                                   std::int64_t large_pages, std::span<const std::int64_t> open) {
  std::vector<chase::Program> programs;
  for (const std::int64_t reader : open) {
    programs.push_back(wide_touch_program(subject, large_pages, open.front(), reader));
  }
  const auto results = execute(programs);
  std::vector<FirstTouch> seen;
  for (std::size_t i = 0; i < results.size(); ++i) {
    FirstTouch& touch = seen.emplace_back(FirstTouch{open.front(), open[i], {}, {}});
    const auto loads = cache::net(results[i]);
    for (std::size_t line = 0; line < loads.size(); line += 3) {
      touch.first.push_back(loads[line + 1]);
      touch.second.push_back(loads[line + 2]);
    }
  }
  return seen;
}

/// Every SM times the same lines that it has just loaded, `passes` times: the median of each line, by SM.
std::vector<std::vector<double>> loads_of_same_lines(const cache::Executor& execute, const cache::Subject& subject,
                                                     std::int64_t sm_count, std::int64_t passes, const Places& places) {
  chase::Program program = cache::program_for(subject, bytes_of(places));
  program.actors.clear();
  cache::add_ring(program, {.array = 0, .nodes = lines_at(places)});
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

Partitions measure_partitions(const cache::Executor& execute, const cache::Subject& subject, std::int64_t sm_count,
                              std::int64_t large_pages) {
  using Translation = FirstTouchGrouping::Translation;
  const auto grouped = [&](Translation translation, const auto& touch_open) {
    FirstTouchGrouping grouping(sm_count, translation);
    while (!grouping.open().empty()) grouping.add(touch_open(grouping.open()));
    return grouping.partitions();
  };
  Partitions found = grouped(Translation::unknown, [&](auto open) { return touch(execute, subject, open); });
  // Lines of a few large pages may all belong to one partition. Its SMs find them near, and the others find a copy
  // near. Where few sets hold all of them, some policies replace one by another at each load, so that none is near.
  if (found.contradicted() || found.count == 1) {
    Partitions wide =
        grouped(Translation::known, [&](auto open) { return wide_touch(execute, subject, large_pages, open); });
    if (found.contradicted() || !wide.contradicted()) {
      found = std::move(wide);
    } else {
      found.near = std::move(wide.near);  // each right after a load of the same line, so that the smallest L2 holds it
    }
  }
  if (found.count != 1) return found;
  const std::int64_t passes = passes_to_see_near_lines(found);
  Partitions split = found;
  const Places few{.large_pages = std::min(large_pages, Places{}.large_pages)};
  split_by_near_lines(split, loads_of_same_lines(execute, subject, sm_count, passes, few));
  if (found.undecided || !split.undecided) return split;
  // Perhaps no line belongs to some partition. In four times as many small pages, that is so for one of four partitions
  // in 4e-4 of the cases.
  constexpr std::uint64_t draws = 4;
  std::vector<std::vector<double>> wide(static_cast<std::size_t>(sm_count));
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    const Places places{large_pages, 8, lines / 8, 2 + draw};
    const auto more = loads_of_same_lines(execute, subject, sm_count, passes, places);
    for (std::size_t sm = 0; sm < more.size(); ++sm) wide[sm].insert(wide[sm].end(), more[sm].begin(), more[sm].end());
  }
  split_by_near_lines(found, wide);
  return found;
}

}  // namespace

void find_partitions(const Session& session) {
  const auto sm_count = session.needed<std::int64_t>("device.sm_count");
  publish(session,
          measure_partitions(cache::executor(session, l2), cache::subject_of(l2), sm_count, many_pages(session)));
}

}  // namespace tomograph::data_cache
