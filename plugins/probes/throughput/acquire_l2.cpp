#include <algorithm>

#include "acquire_saturation.hpp"
#include "acquire_streaming.hpp"
#include "publish.hpp"
#include "questions.hpp"

namespace tomograph::throughput {

namespace {

using streaming::Operation;

constexpr const char* l2_surface = "l2.throughput_surface";
/// How many times the size of L2 a program transfers, so that its start and end do not count.
constexpr std::int64_t turnover = 8;

/// Streams `bytes` in all, source and destination, from and to L2.
streaming::Program program(Operation operation, std::int64_t bytes, std::int64_t l2) {
  const std::int64_t footprint = std::max<std::int64_t>(bytes / streaming::bytes_moved_per_byte(operation), 1);
  return {.operation = operation,
          .bytes = footprint,
          .warm_passes = 2,
          .passes = std::max<std::int64_t>(turnover * l2 / bytes, 2)};
}

/// Several shares of L2, since its policy, its index or copies between partitions may leave no room for more.
std::vector<streaming::Program> shares(Operation operation, std::int64_t l2) {
  std::vector<streaming::Program> programs;
  for (const std::int64_t quarters : {1, 2, 3}) programs.push_back(program(operation, l2 * quarters / 4, l2));
  return programs;
}

bool is_same_configuration(const streaming::Program& one, const streaming::Program& other) {
  return one.threads == other.threads && one.ctas_per_sm == other.ctas_per_sm && one.ilp == other.ilp &&
         one.distribution == other.distribution;
}

/// Each configuration in all distributions, with the least share of L2 that it fits. Which configurations lead hardly
/// depends on the share.
std::vector<streaming::Program> candidates(Operation operation, std::int64_t l2, const Bounds& bounds) {
  std::vector<streaming::Program> coarse;
  for (const streaming::Program& share : shares(operation, l2)) {
    for (streaming::Program& one : surfaces(share, bounds, distributions)) {
      const bool is_known =
          std::ranges::any_of(coarse, [&](const auto& known) { return is_same_configuration(one, known); });
      if (!is_known) coarse.push_back(std::move(one));
    }
  }
  return coarse;
}

/// The same configuration with all shares of L2.
std::vector<streaming::Program> with_all_shares(const streaming::Program& one, std::int64_t l2) {
  std::vector<streaming::Program> programs;
  for (const streaming::Program& share : shares(one.operation, l2)) {
    programs.push_back(one);
    programs.back().bytes = share.bytes;
    programs.back().passes = share.passes;
  }
  return programs;
}

/// The bandwidth between one SM and L2 while the others are idle.
void find_single(const Session& session, std::int64_t l2, const Bounds& bounds) {
  constexpr const char* key = "l2.bandwidth.read_per_sm";
  streaming::Program alone = program(Operation::read, l2 / 4, l2);
  alone.sms = {bounds.sms / 2};
  alone.passes = 2;
  const auto coarse = surface(alone, {1, bounds.threads_per_sm});
  if (coarse.empty()) return session.inconclusive(key, "L2 is too small for one access of a warp");
  const Found found = search(executor(session), coarse, {1, bounds.threads_per_sm}, of_sm);
  std::vector<NamedArray> columns;
  append_columns(columns, "", found, of_sm);
  session.evidence(key, columns);
  Fact fact = bandwidth_fact(key, found, of_sm, key);
  fact.conditions["sm"] = bounds.sms / 2;
  publish_bandwidth(session, fact);
}

/// The bandwidth between SMs and their own partitions. Where partitions keep copies, the footprint fits with all
/// copies.
void find_near(const Session& session, const Found& reads, const Bounds& bounds) {
  constexpr const char* key = "l2.bandwidth.near";
  const auto count = session.fact<std::int64_t>("l2.partition.count");
  const auto size = session.fact<std::int64_t>("l2.partition.size");
  if (!count || !size) return session.inconclusive(key, "the partitions of L2 are unknown");
  if (*count == 1) return session.absent(key, "L2 has one partition");
  if (!session.fact<bool>("l2.partition.replicated").value_or(false)) {
    return session.inconclusive(key,
                                "lines stay in their home partition, and it is unknown which lines are at home where");
  }
  streaming::Program near = reads.best;
  // Half of it is at home in either partition; copies of the other half take at most another half of a partition.
  near.bytes = *size;
  near.passes = turnover;
  const auto coarse = surface(near, bounds);
  if (coarse.empty()) return session.inconclusive(key, "a partition is too small for one access of a warp");
  const Found found = search(executor(session), coarse, bounds, of_device);
  std::vector<NamedArray> columns;
  append_columns(columns, "", found, of_device);
  session.evidence(key, columns);
  publish_bandwidth(session, bandwidth_fact(key, found, of_device, key));
}

}  // namespace

void find_l2(const Session& session) {
  const auto l2 = l2_bytes(session);
  if (!l2) throw Skip("device", "the size of L2 is unknown");
  const Bounds bounds = bounds_of(session);
  const Execute execute = executor(session);
  std::vector<NamedArray> columns;
  std::vector<Fact> facts;
  std::optional<Found> reads;
  for (const Operation operation : {Operation::read, Operation::write, Operation::copy}) {
    const std::string key = std::string("l2.bandwidth.") + name(operation);
    const auto coarse = candidates(operation, *l2, bounds);
    if (coarse.empty()) {
      session.inconclusive(key, "L2 is too small for one access of a warp");
      continue;
    }
    const Found found = search(execute, coarse, bounds, of_device,
                               [&](const streaming::Program& one) { return with_all_shares(one, *l2); });
    append_columns(columns, std::string(name(operation)) + ".", found, of_device);
    facts.push_back(bandwidth_fact(key, found, of_device, l2_surface));
    if (operation == Operation::read) reads = found;
  }
  session.evidence(l2_surface, columns);
  for (const Fact& fact : facts) publish_bandwidth(session, fact);
  find_single(session, *l2, bounds);
  if (!reads) {
    for (const char* key : {"l2.bandwidth.near", "l2.saturating_bytes_in_flight"}) {
      session.inconclusive(key, "L2 is too small to be read");
    }
    return;
  }
  find_near(session, *reads, bounds);
  // Not the best of all reads: a program that waits for a queue has fewer bytes in flight than it asks for, and half of
  // L2 barely fits its partitions with copies.
  streaming::Program slices = program(Operation::read, *l2 / 3, *l2);
  slices.distribution = streaming::Distribution::sliced;
  find_saturation(session, "l2.saturating_bytes_in_flight", slices);
}

}  // namespace tomograph::throughput
