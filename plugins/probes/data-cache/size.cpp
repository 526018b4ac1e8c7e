#include <cmath>

#include "level.hpp"
#include "tomograph/cache/capacity.hpp"

namespace tomograph::data_cache {

namespace {

constexpr const char* all_fit = "no footprint was too large for the cache";

/// A carve-out that the SM does not have is rounded up by the device, so the steps of the curve show those that it has.
void publish_by_carveout(const Session& session) {
  const auto most = session.fact<std::int64_t>("device.shared_memory_per_sm");
  if (!most) return session.inconclusive("l1_data.size_by_carveout", "the size of shared memory is not known");
  const auto execute = cache::executor(session);
  auto subject = cache::known_subject(session, l1);
  const auto line = session.needed<std::int64_t>("l1_data.line_size");
  const auto range = cache::search_range(session, l1);
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
  session.evidence("l1_data.size_by_carveout",
                   std::vector{cache::column("carveout_B", asked), cache::column("usable_B", usable)});
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
  auto size = cache::measured_size(session, l1);
  if (!size) {
    for (const char* fact : {"size", "size_by_carveout"}) session.inconclusive(cache::key(l1, fact), all_fit);
    return;
  }
  size->conditions["carveout"] = "max-l1";
  session.publish(*size);
  publish_by_carveout(session);
}

void find_l2_size(const Session& session) {
  const auto count = session.needed<std::int64_t>("l2.partition.count");
  const auto seen = cache::measured_size(session, l2);
  if (!seen) {
    for (const char* fact : {"size", "partition.size"}) session.inconclusive(cache::key(l2, fact), all_fit);
    return;
  }
  const bool replicated = l2_is_replicated(session);
  const auto scaled = [](Fact fact, double factor) {
    fact.value = static_cast<std::int64_t>(std::llround(fact.value.get<double>() * factor));
    if (fact.interval) fact.interval = Interval{fact.interval->low * factor, fact.interval->high * factor};
    fact.source = TOMOGRAPH_DERIVED;
    return fact;
  };
  Fact size = replicated ? scaled(*seen, static_cast<double>(count)) : *seen;
  Fact partition = replicated ? *seen : scaled(*seen, 1 / static_cast<double>(count));
  partition.key = "l2.partition.size";
  session.publish(size);
  session.publish(partition);
}

}  // namespace tomograph::data_cache
