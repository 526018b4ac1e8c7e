#include "acquire_spectrum.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "acquire_footprint.hpp"
#include "tomograph/session.hpp"

namespace tomograph::constant_cache {

namespace {

constexpr std::int64_t granule = 256;  // arrays in constant memory are aligned to it
constexpr std::int64_t stride = 32;    // no known line is shorter

const cache::Subject constants{.path = chase::Path::constant, .carveout = 0};

bool refuses(const cache::Executor& execute, std::int64_t bytes) {
  chase::Program program = cache::program_for(constants, bytes);
  cache::add_ring(program, {0, 0, chase::node_bytes, 2});
  program.phases = {{0, 0, 0, 2, chase::Timing::untimed}};
  try {
    (void)execute({&program, 1});
    return false;
  } catch (const Refused&) {
    return true;
  }
}

chase::Program footprint_program(std::int64_t bytes, std::int64_t sm, std::int64_t seed) {
  cache::Subject here = constants;
  here.sm = sm;
  chase::Program program = cache::program_for(here, bytes);
  program.trial = seed;
  const std::int64_t nodes = bytes / stride;
  cache::add_ring(program, {0, 0, stride, nodes, chase::Order::shuffled, seed});
  program.phases = {{0, 0, 0, 2 * nodes, chase::Timing::untimed}, {0, 0, 0, cache::timed_loads, chase::Timing::each}};
  return program;
}

std::vector<Neighbour> by_sm(std::span<const chase::Result> results, std::span<const std::int64_t> sms) {
  std::vector<Neighbour> seen;
  for (std::size_t i = 0; i < results.size(); ++i) seen.push_back({sms[i], cache::net(results[i])});
  return seen;
}

}  // namespace

std::int64_t reach(const cache::Executor& execute) {
  constexpr std::int64_t most = std::int64_t{1} << 26;  // ends the search on a device that refuses nothing
  std::int64_t fits = granule;
  chase::Program program = cache::program_for(constants, fits);
  cache::add_ring(program, {0, 0, chase::node_bytes, 2});
  program.phases = {{0, 0, 0, 2, chase::Timing::untimed}};
  (void)execute({&program, 1});
  std::int64_t refused = 2 * fits;
  while (refused <= most && !refuses(execute, refused)) {
    fits = refused;
    refused *= 2;
  }
  while (refused <= most && refused - fits > granule) {
    const std::int64_t middle = (fits + refused) / 2 / granule * granule;
    (refuses(execute, middle) ? refused : fits) = middle;
  }
  return fits;
}

cache::HitAndMiss smallest_footprint(const cache::Executor& execute, std::int64_t sm_count) {
  // Each SM has 96 single loads, of which the 99 % quantile leaves one out.
  constexpr std::int64_t single_loads = 32;
  constexpr std::int64_t trials = 3;
  std::vector<chase::Program> programs;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    for (std::int64_t sm = 0; sm < sm_count; ++sm) {
      cache::Subject here = constants;
      here.sm = sm;
      chase::Program program = cache::program_for(here, granule);
      program.trial = trial;
      cache::add_ring(program, {0, 0, granule / 2, 2});
      program.phases = {{0, 0, 0, 4, chase::Timing::untimed},
                        {0, 0, 0, cache::total_loads, chase::Timing::total},
                        {0, 0, 0, single_loads, chase::Timing::each}};
      programs.push_back(std::move(program));
    }
  }
  return cache::hits_of(execute(programs), sm_count);
}

std::vector<Step> sweep(const cache::Executor& execute, std::int64_t reach_bytes) {
  constexpr std::int64_t trials = 2;  // 512 loads: a share of 30 % has a standard error of 2 %
  std::vector<Step> steps;
  std::vector<chase::Program> programs;
  double bytes = granule;
  while (bytes < static_cast<double>(reach_bytes) * std::sqrt(2.0)) {
    steps.push_back({std::min(static_cast<std::int64_t>(bytes) / stride * stride, reach_bytes), {}});
    for (std::int64_t trial = 0; trial < trials; ++trial) {
      programs.push_back(footprint_program(steps.back().bytes, 0, trial));
    }
    bytes *= std::sqrt(2.0);
  }
  const auto results = execute(programs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto& latencies = steps[i / trials].latencies;
    const auto own = cache::net(results[i]);
    latencies.insert(latencies.end(), own.begin(), own.end());
  }
  return steps;
}

std::vector<std::int64_t> some_sms(std::int64_t sm_count) {
  constexpr std::int64_t most = 17;  // SM 0 and 16 neighbours, on which find_levels relies
  const std::int64_t count = std::min(most, sm_count);
  std::vector<std::int64_t> sms{0};
  for (std::int64_t i = 0; i + 1 < count; ++i) sms.push_back(1 + i * (sm_count - 1) / (count - 1));
  return sms;
}

std::vector<Neighbour> after_neighbours(const cache::Executor& execute, std::int64_t reach_bytes, std::int64_t reader,
                                        std::span<const std::int64_t> neighbours) {
  // Farther apart than any level fetches at once, and few enough for any L2 to hold all of them.
  const std::int64_t spacing = std::max<std::int64_t>(1024, reach_bytes / 64);
  const std::int64_t nodes = reach_bytes / spacing;
  // The distance of a line depends on its slice of L2, so lines at several places are loaded, odd and even ones.
  constexpr std::int64_t places = 4;
  std::vector<chase::Program> programs;
  for (const std::int64_t sm : neighbours) {
    for (std::int64_t place = 0; place < places; ++place) {
      cache::Subject here = constants;
      here.sm = reader;
      chase::Program program = cache::program_for(here, reach_bytes);
      program.actors.push_back({sm, chase::Path::constant});
      const std::int64_t start = place * (granule + granule / 2) % spacing;
      cache::add_ring(program, {0, start, spacing, nodes, chase::Order::shuffled, 1});
      program.phases = {{1, 0, 0, 2 * nodes, chase::Timing::untimed}, {0, 0, 0, nodes, chase::Timing::each}};
      programs.push_back(std::move(program));
    }
  }
  const auto results = execute(programs);
  std::vector<Neighbour> seen;
  seen.reserve(neighbours.size());
  for (const std::int64_t sm : neighbours) seen.push_back({sm, {}});
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto latencies = cache::net(results[i]);
    auto& all = seen[i / places].latencies;
    // The first load also translates the page.
    all.insert(all.end(), latencies.begin() + 1, latencies.end());
  }
  return seen;
}

std::vector<Neighbour> footprint_on(const cache::Executor& execute, std::int64_t bytes,
                                    std::span<const std::int64_t> sms) {
  std::vector<chase::Program> programs;
  programs.reserve(sms.size());
  for (const std::int64_t sm : sms) programs.push_back(footprint_program(bytes, sm, 1));
  return by_sm(execute(programs), sms);
}

std::vector<Neighbour> all_constants_on(const cache::Executor& execute, const ConstantSize& size,
                                        std::span<const std::int64_t> sms) {
  cache::Subject subject = constants;
  subject.largest = std::min(size.of_array, size.held_by_l2) / stride * stride;
  const std::int64_t nodes = subject.largest / stride;
  const std::int64_t count = std::min(arrays_together(execute, subject), size.held_by_l2 / subject.largest);
  std::vector<chase::Program> programs;
  for (const std::int64_t sm : sms) {
    subject.sm = sm;
    chase::Program program = cache::program_for(subject, subject.largest);
    program.arrays.assign(static_cast<std::size_t>(count), program.arrays.front());
    for (std::int64_t i = 0; i < count; ++i) {
      cache::add_ring(program, {i, 0, stride, nodes, chase::Order::shuffled, 1});
    }
    for (std::int64_t i = 0; i < 2 * count; ++i) {
      program.phases.push_back({0, i % count, 0, nodes, chase::Timing::untimed});
    }
    program.phases.push_back({0, 0, 0, std::min(cache::timed_loads, nodes), chase::Timing::each});
    programs.push_back(std::move(program));
  }
  return by_sm(execute(programs), sms);
}

std::vector<double> global_loads(const cache::Executor& execute) {
  constexpr std::int64_t lines = 128;  // of which the median varies by a ninth of what a load does (normal)
  constexpr std::int64_t line = 256;   // no known line is longer
  chase::Program global = cache::program_for({.path = chase::Path::global_cg, .sm = 0}, lines * line);
  // Each line twice in a row: the second load is a hit in the near partition, however small it is and whatever it
  // replaces.
  chase::Ring twice{.array = 0};
  for (const std::int64_t node : chase::node_offsets({0, 0, line, lines, chase::Order::shuffled, 1})) {
    twice.nodes.insert(twice.nodes.end(), {node, node + cache::sample_offset});
  }
  cache::add_ring(global, std::move(twice));
  global.phases = {{0, 0, 0, 2 * lines, chase::Timing::each}};
  const auto both = cache::net(execute({&global, 1}).front());
  std::vector<double> second;
  for (std::size_t i = 1; i < both.size(); i += 2) second.push_back(both[i]);
  return second;
}

Reference reference(const cache::Executor& execute, const ConstantSize& size, std::int64_t beyond_first) {
  const std::array sms{std::int64_t{0}};
  return {.small = footprint_on(execute, beyond_first, sms).front().latencies,
          .large = all_constants_on(execute, size, sms).front().latencies,
          .l2 = global_loads(execute)};
}

}  // namespace tomograph::constant_cache
