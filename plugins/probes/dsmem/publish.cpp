#include "publish.hpp"

#include <string>
#include <utility>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/column.hpp"

namespace tomograph::dsmem {

namespace {

constexpr const char* latency_curve = "dsmem.latency";
constexpr const char* throughput_curve = "dsmem.bandwidth";

Fact latency_fact(const char* key, Value value, std::size_t samples) {
  return {.key = key,
          .value = std::move(value),
          .method = "dependent-loads-difference",
          .confidence = confidence::hopper::measured,
          .samples = samples,
          .evidence = latency_curve};
}

void publish_latency(const Session& session, const char* key, const Estimate& estimate, std::size_t pairs,
                     Value conditions) {
  Fact fact = latency_fact(key, estimate.value, pairs * estimate.trials);
  fact.interval = estimate.interval;
  fact.conditions = std::move(conditions);
  session.publish(fact);
}

void keep_latencies(const Session& session, const std::vector<SizeLatencies>& sizes) {
  std::vector<std::int64_t> size;
  std::vector<double> cycles;
  for (const SizeLatencies& one : sizes) {
    const std::vector<double>& other = one.trials.front().other;
    size.insert(size.end(), other.size(), one.size);
    cycles.insert(cycles.end(), other.begin(), other.end());
  }
  session.evidence(latency_curve, std::vector<NamedArray>{{"size", size}, {"latency_cycles", cycles}});
}

const char* name_of(Operation operation) {
  switch (operation) {
    case Operation::load: return "read";
    case Operation::store: return "write";
    default: return "atomic";
  }
}

const char* name_of(Partner partner) {
  switch (partner) {
    case Partner::own: return "own";
    case Partner::other_half: return "idle";
    case Partner::next: return "next";
    case Partner::spread: return "all in turns";
    default: return "first of all";
  }
}

void keep_throughputs(const Session& session, const std::vector<Measurement>& all) {
  const auto enumerator = [&](const char* name, auto field) {
    return column(name, all, [field](const Measurement& one) { return static_cast<int>(one.request.*field); });
  };
  const auto number = [&](const char* name, auto field) {
    return column(name, all, [field](const Measurement& one) { return one.request.*field; });
  };
  session.evidence(
      throughput_curve,
      std::vector{enumerator("operation", &ThroughputRequest::operation),
                  enumerator("partner", &ThroughputRequest::partner), enumerator("space", &ThroughputRequest::space),
                  number("cluster_size", &ThroughputRequest::size), number("width_bytes", &ThroughputRequest::width),
                  column("bytes_per_cycle_and_sm", all, [](const Measurement& one) { return one.per_sm.value; }),
                  column("bytes_per_second", all, [](const Measurement& one) { return one.total.value; })});
}

Fact throughput_fact(const std::string& key, Value value, std::size_t samples) {
  return {.key = key,
          .value = std::move(value),
          .method = "two-lengths-difference",
          .confidence = confidence::hopper::measured,
          .samples = samples,
          .evidence = throughput_curve};
}

void publish_throughput(const Session& session, const std::string& key, const Measurement& measurement,
                        const Estimate& estimate) {
  if (!(estimate.interval.low > 0)) {
    return session.inconclusive(key, "longer runs took no longer than shorter ones");
  }
  Fact fact = throughput_fact(key, estimate.value, estimate.trials);
  fact.interval = estimate.interval;
  fact.conditions = {{"cluster_size", measurement.request.size},
                     {"partner", name_of(measurement.request.partner)},
                     {"width", measurement.request.width}};
  session.publish(fact);
}

/// Rows: cluster size, then B/cycle of an SM for each of `measured_partners`.
Value by_pattern(const std::vector<Measurement>& all, Operation operation) {
  Value rows = Value::list();
  for (const Measurement& one : all) {
    if (one.request.operation != operation || one.request.space != Space::cluster) continue;
    if (one.request.partner == measured_partners.front()) rows.push_back(Value::list(one.request.size));
    rows.back().push_back(one.per_sm.value);
  }
  return rows;
}

}  // namespace

void publish(const Session& session, const std::vector<SizeLatencies>& sizes) {
  keep_latencies(session, sizes);
  std::size_t pairs = 0;
  Value by_size = Value::list();
  for (const SizeLatencies& one : sizes) {
    pairs += one.trials.front().other.size();
    by_size.push_back(Value::list(one.size, median_latency(std::span(&one, 1), &PairLatencies::other).value));
  }
  Value quantiles = Value::list();
  for (const auto& [share, latency] : latency_quantiles(sizes)) quantiles.push_back(Value::list(share, latency));
  publish_latency(session, "dsmem.latency", median_latency(sizes, &PairLatencies::other), pairs,
                  {{"pairs", "every CTA with every other of its cluster, clusters of every size"}});
  publish_latency(session, "dsmem.latency.own", median_latency(sizes, &PairLatencies::own),
                  sizes.back().trials.front().own.size(),
                  {{"address", "of the cluster, though the memory is the CTA's own"}});
  publish_latency(session, "dsmem.latency.neighbour",
                  median_latency(std::span(sizes).first(1), &PairLatencies::neighbour),
                  sizes.front().trials.front().neighbour.size(), {{"cluster_size", 2}});
  session.publish(latency_fact("dsmem.latency_by_cluster_size", by_size, sizes.front().trials.size()));
  session.publish(latency_fact("dsmem.latency_quantiles", quantiles, pairs));
}

void publish_handover(const Session& session, Space space, const Estimate& estimate,
                      const std::vector<double>& cycles) {
  const std::string key = space == Space::cluster ? "dsmem.handover" : "dsmem.handover.through_global";
  session.evidence(key, std::vector<NamedArray>{{"cycles", cycles}});
  session.publish({.key = key,
                   .value = estimate.value,
                   .method = "ping-pong",
                   .confidence = confidence::hopper::measured,
                   .interval = estimate.interval,
                   .samples = cycles.size(),
                   .conditions = {{"store", "release"}, {"load", "acquire"}},
                   .evidence = key});
}

void publish(const Session& session, const std::vector<Measurement>& measurements) {
  keep_throughputs(session, measurements);
  for (const Operation operation : {Operation::load, Operation::store, Operation::atomic}) {
    const std::string name = name_of(operation);
    const Measurement& per_sm = best(measurements, operation, Space::cluster, &Measurement::per_sm);
    publish_throughput(session, "dsmem.bandwidth." + name, per_sm, per_sm.per_sm);
    const Measurement& total = best(measurements, operation, Space::cluster, &Measurement::total);
    publish_throughput(session, "dsmem.bandwidth.total." + name, total, total.total);
    const Measurement& global = best(measurements, operation, Space::global, &Measurement::total);
    publish_throughput(session, "dsmem.through_global." + name, global, global.total);
    session.publish(throughput_fact("dsmem.bandwidth_by_pattern." + name, by_pattern(measurements, operation),
                                    per_sm.per_sm.trials));
  }
  const Measurement& exchange = best_exchange(measurements);
  publish_throughput(session, "dsmem.bandwidth", exchange, exchange.per_sm);
}

}  // namespace tomograph::dsmem
