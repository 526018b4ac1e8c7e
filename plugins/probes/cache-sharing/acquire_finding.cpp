#include "acquire_finding.hpp"

#include <algorithm>
#include <numeric>

#include "analysis_counts.hpp"
#include "tomograph/cache/subject.hpp"

namespace tomograph::cache_sharing {

std::vector<analysis::EffectOdds> FindingComparison::compare(std::span<const std::int64_t> loaders,
                                                             std::span<const std::int64_t> readers) {
  Counts counts(readers.size());
  std::vector<analysis::EffectOdds> odds;
  for (std::int64_t batch = 0; batch < most_batches; ++batch) {
    measure(loaders, readers, batch, counts);
    odds = odds_without_partial(counts.nobody, counts.own, counts.readers);
    if (all_sure(odds, sure)) break;
  }
  for (std::size_t i = 0; i < readers.size(); ++i) {
    loader_.push_back(static_cast<double>(loaders.front()));
    reader_.push_back(static_cast<double>(readers[i]));
    tested_.push_back(static_cast<double>(counts.readers[i].tests));
    found_.push_back(static_cast<double>(counts.readers[i].events));
    cycles_.push_back(counts.cycles[i] / static_cast<double>(counts.readers[i].tests));
  }
  return odds;
}

std::vector<NamedArray> FindingComparison::columns() const {
  return {
      {"loader_sm", loader_}, {"reader_sm", reader_}, {"tested", tested_}, {"found", found_}, {"mean_cycles", cycles_}};
}

std::uint64_t FindingComparison::tested() const {
  return static_cast<std::uint64_t>(std::accumulate(tested_.begin(), tested_.end(), 0.0));
}

/// Reader i tests line i, after the one behind it if hits are translated. With `loaded`, each loader loads all lines
/// before, and the first loader tests some of them at the end.
chase::Program FindingComparison::program(std::span<const std::int64_t> loaders, std::span<const std::int64_t> readers,
                                          bool loaded, std::int64_t trial) const {
  const auto count = static_cast<std::int64_t>(lines());
  chase::Program made;
  made.arrays = {{.bytes = count * distance(), .space = chase::space_of(level_.path)}};
  made.carveout = level_.carveout;
  made.trial = trial;
  made.rings = {{.array = 0, .stride = distance(), .count = count}};
  for (const std::int64_t loader : loaders.first(loaded ? loaders.size() : 0)) {
    made.phases.push_back(
        {std::ssize(made.actors), 0, 0, chase::loads_to_pass(count, threads()), chase::Timing::untimed});
    made.actors.push_back({loader, level_.path, threads()});
  }
  for (std::size_t i = 0; i < readers.size(); ++i) {
    // Another line each time.
    const std::int64_t line = (static_cast<std::int64_t>(i) + trial * 7) % count;
    const std::int64_t node = line * distance() + cache::sample_offset;
    made.actors.push_back({readers[i], level_.path, 1});
    if (level_.translates_hits) {
      made.rings.push_back({.array = 0, .nodes = {node + level_.line_bytes}});
      made.phases.push_back({std::ssize(made.actors) - 1, std::ssize(made.rings) - 1, 0, 1, chase::Timing::untimed});
    }
    made.rings.push_back({.array = 0, .nodes = {node}});
    made.phases.push_back({std::ssize(made.actors) - 1, std::ssize(made.rings) - 1, 0, 1, chase::Timing::each});
  }
  if (loaded) {
    const std::int64_t tests = std::min(own_tests, count);
    made.rings.push_back({.array = 0, .start = 2 * chase::node_bytes, .stride = distance(), .count = tests});
    made.phases.push_back({std::ssize(made.actors), std::ssize(made.rings) - 1, 0, tests, chase::Timing::each});
    made.actors.push_back({loaders.front(), level_.path, 1});
  }
  return made;
}

void FindingComparison::count(const chase::Result& result, std::size_t trace, analysis::EventCount& into) const {
  for (const double latency : cache::net(result, trace)) {
    into += {.events = latency <= level_.threshold ? 1U : 0U, .tests = 1};
  }
}

void FindingComparison::measure(std::span<const std::int64_t> loaders, std::span<const std::int64_t> readers,
                                std::int64_t batch, Counts& counts) const {
  struct Part {
    std::size_t first;
    std::size_t readers;
    bool loaded;
  };
  std::vector<chase::Program> programs;
  std::vector<Part> parts;
  for (std::int64_t i = 0; i < trials_per_batch; ++i) {
    const std::int64_t trial = batch * trials_per_batch + i;
    for (std::size_t first = 0; first < readers.size(); first += lines()) {
      const auto some = readers.subspan(first, std::min(lines(), readers.size() - first));
      for (const bool loaded : {true, false}) {
        if (!loaded && first > 0) continue;
        programs.push_back(program(loaders, some, loaded, trial));
        parts.push_back({first, some.size(), loaded});
      }
    }
  }
  const auto results = session_->execute(programs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (std::size_t reader = 0; reader < parts[i].readers; ++reader) {
      count(results[i], reader, parts[i].loaded ? counts.readers[parts[i].first + reader] : counts.nobody);
      if (parts[i].loaded) counts.cycles[parts[i].first + reader] += cache::net(results[i], reader).front();
    }
    if (parts[i].loaded) count(results[i], parts[i].readers, counts.own);
  }
}

}  // namespace tomograph::cache_sharing
