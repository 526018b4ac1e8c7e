#include <algorithm>
#include <cmath>

#include "level.hpp"
#include "tomograph/analysis/change_point.hpp"
#include "tomograph/cache/capacity.hpp"

namespace tomograph::data_cache {

namespace {

/// Whether the change point of the sweep (Größler 2022, section 3.3) lies at the first miss: a further method that
/// looks at the same loads in another way.
bool change_point_agrees(const cache::Capacity& capacity) {
  constexpr std::size_t loads = 64;
  std::vector<std::vector<double>> samples;
  std::vector<std::int64_t> sizes;
  for (const cache::SweepPoint& point : capacity.sweep) {
    if (point.seen.latencies.size() < loads) continue;
    samples.emplace_back(point.seen.latencies.begin(), point.seen.latencies.begin() + loads);
    sizes.push_back(point.bytes);
  }
  if (samples.size() < 16) return false;
  const auto change = analysis::find_change_point(analysis::reduce(samples, analysis::Reduction::distance));
  if (!change || !change->accepted) return false;
  const auto at = static_cast<double>(sizes[change->index]);
  return std::abs(at / static_cast<double>(capacity.first_miss_bytes) - 1) < 0.1;
}

std::vector<NamedArray> columns(const cache::Capacity& capacity) {
  std::vector<double> size;
  std::vector<double> tested;
  std::vector<double> hits;
  for (const cache::SweepPoint& point : capacity.sweep) {
    size.push_back(static_cast<double>(point.bytes));
    tested.push_back(static_cast<double>(point.seen.sampled));
    hits.push_back(static_cast<double>(point.seen.hits));
  }
  return {column("footprint_B", size), column("tested", tested), column("hits", hits)};
}

std::uint64_t loads(const cache::Capacity& capacity) {
  std::int64_t sum = 0;
  for (const cache::SweepPoint& point : capacity.sweep) sum += point.seen.sampled;
  return static_cast<std::uint64_t>(sum);
}

/// Size with the interval that a soft knee leaves open.
Fact size_fact(const Level& level, const cache::Capacity& capacity, std::int64_t line) {
  Fact fact{.key = key(level, "size"),
            .value = capacity.bytes(line),
            .method = capacity.sharp ? "first-miss+retained-lines" : "retained-lines",
            .confidence = capacity.sharp ? 0.999 : 0.95,
            .samples = loads(capacity),
            .conditions = {{"first_miss", capacity.first_miss_bytes}},
            .evidence = key(level, "size")};
  if (change_point_agrees(capacity)) fact.method += "+change-point";
  if (!capacity.sharp) {
    const double margin = 3 * capacity.retained_error + static_cast<double>(line);
    fact.interval = Interval{static_cast<double>(capacity.first_miss_bytes), capacity.retained_bytes + margin};
  }
  return fact;
}

/// A carve-out that the SM does not have is rounded up by the device, so the steps of the curve show those that it has.
void publish_by_carveout(const Session& session, const cache::Executor& execute, cache::Subject subject,
                         const SearchRange& range, std::int64_t line) {
  const auto most = session.fact<std::int64_t>("device.shared_memory_per_sm");
  if (!most) return session.inconclusive("l1_data.size_by_carveout", "the size of shared memory is not known");
  constexpr std::int64_t steps = 16;
  Json pairs = Json::array();
  std::vector<double> asked;
  std::vector<double> usable;
  for (std::int64_t step = 0; step <= steps; ++step) {
    subject.carveout = *most * step / steps;
    const auto bytes = cache::fitting_bytes(execute, subject, line, range.start, range.limit);
    if (!bytes) continue;
    pairs.push_back({subject.carveout, *bytes});
    asked.push_back(static_cast<double>(subject.carveout));
    usable.push_back(static_cast<double>(*bytes));
  }
  session.evidence("l1_data.size_by_carveout", std::vector{column("carveout_B", asked), column("usable_B", usable)});
  session.publish({.key = "l1_data.size_by_carveout",
                   .value = pairs,
                   .method = "first-miss",
                   .confidence = 0.9,
                   .samples = static_cast<std::uint64_t>(steps + 1),
                   .conditions = {{"pairs", "carve-out asked for, bytes of the largest footprint that fits"}},
                   .evidence = "l1_data.size_by_carveout"});
}

}  // namespace

void find_l1_size(const Session& session) {
  const auto execute = executor(session);
  const auto subject = known_subject(session, l1);
  const auto line = session.needed<std::int64_t>("l1_data.line_size");
  const auto [start, limit] = search_range(session, l1);
  const auto capacity = cache::capacity(execute, subject, line, start, limit);
  if (!capacity) {
    for (const char* name : {"l1_data.size", "l1_data.size_by_carveout"}) {
      session.inconclusive(name, "no footprint was too large for the cache");
    }
    return;
  }
  session.evidence("l1_data.size", columns(*capacity));
  Fact size = size_fact(l1, *capacity, line);
  size.conditions["carveout"] = "max-l1";
  session.publish(size);
  publish_by_carveout(session, execute, subject, {start, limit}, line);
}

void find_l2_size(const Session& session) {
  const auto execute = executor(session);
  const auto subject = known_subject(session, l2);
  const auto line = session.needed<std::int64_t>("l2.line_size");
  const auto count = session.needed<std::int64_t>("l2.partition.count");
  const auto [start, limit] = search_range(session, l2);
  const auto capacity = cache::capacity(execute, subject, line, start, limit);
  if (!capacity) {
    for (const char* name : {"l2.size", "l2.partition.size"}) {
      session.inconclusive(name, "no footprint was too large for the cache");
    }
    return;
  }
  session.evidence("l2.size", columns(*capacity));
  const bool replicated = l2_is_replicated(session);
  const auto scaled = [](Fact fact, double factor) {
    fact.value = static_cast<std::int64_t>(std::llround(fact.value.get<double>() * factor));
    if (fact.interval) fact.interval = Interval{fact.interval->low * factor, fact.interval->high * factor};
    fact.source = TOMOGRAPH_DERIVED;
    return fact;
  };
  const Fact seen = size_fact(l2, *capacity, line);
  Fact size = replicated ? scaled(seen, static_cast<double>(count)) : seen;
  Fact partition = replicated ? seen : scaled(seen, 1 / static_cast<double>(count));
  partition.key = "l2.partition.size";
  session.publish(size);
  session.publish(partition);
}

}  // namespace tomograph::data_cache
