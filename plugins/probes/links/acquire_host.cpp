#include <algorithm>
#include <cmath>
#include <iterator>

#include "acquire_chases.hpp"
#include "acquire_transfers.hpp"
#include "publish.hpp"
#include "questions.hpp"

namespace tomograph::links {

namespace {

using transfer::pageable;
using transfer::pinned;

/// Other users of a host slow what crosses its link for as long as a run takes: of five runs on each of two hosts, the
/// fastest copies of one were up to 1.13 times as fast as those of another.
constexpr double of_link = 1.15;
/// The same of latencies, which loads of an idle link show: 1.02 times.
constexpr double of_latency = 1.02;
/// The same of page faults, which a processor of the host handles: 1.22 times.
constexpr double of_fault = 1.25;
/// The same of pageable copies, which a processor and its caches make: 1.98 times.
constexpr double of_pageable = 2;

/// What crosses the host's link, by route. Measured together.
struct Transfers {
  Curve in;
  Curve out;
  SmRates read;
  SmRates write;
  std::vector<std::vector<double>> both_ways;
};

Transfers measure_transfers(const Session& session, std::int64_t gpu) {
  Transfers all{.in = try_sizes(session, {pinned, gpu}), .out = try_large(session, {gpu, pinned})};
  Rounds rounds;
  rounds.add_largest(all.in);
  rounds.add_half_peak(all.in);
  rounds.add_largest(all.out);
  rounds.add_together(session, {{pinned, gpu}, {gpu, pinned}}, all.in, all.both_ways);
  rounds.add_by_sms(session, {pinned, gpu}, all.in, all.read);
  rounds.add_by_sms(session, {gpu, pinned}, all.in, all.write);
  rounds.run(session);
  return all;
}

void publish_copy(const Session& session, const std::string& key, const Curve& curve, double from_run_to_run) {
  session.evidence(key, columns(curve));
  publish_undisturbed(session, key, rates_of(curve), {"copies", key, {{"bytes", curve.largest()}}, from_run_to_run});
}

void publish_by_sms(const Session& session, const std::string& key, const SmRates& found) {
  session.evidence(key, found.columns);
  publish_undisturbed(session, key, rates_of(found),
                      {"kernel", key, {{"bytes", found.bytes}, {"ctas_per_sm", found.ctas_per_sm}}, of_link});
}

void publish_half_peak(const Session& session, const std::string& key, const Curve& curve,
                       const std::string& evidence) {
  Value conditions{{"peak", peak_rate(curve.points)}};
  if (const auto cost = fit_cost(curve.points)) {
    conditions["fit_latency_s"] = cost->latency;
    conditions["fit_rate"] = cost->rate;
    conditions["fit_error"] = cost->error;
  }
  publish_undisturbed(session, key, half_peak_of(curve), {"transfer-size-curve", evidence, conditions, of_link});
}

void publish_both_ways(const Session& session, const Transfers& all) {
  constexpr const char* key = "host.bandwidth.both_ways";
  const auto& rates = all.both_ways;
  if (rates.empty()) return session.inconclusive(key, "the device does not copy both ways at the same time");
  session.evidence(key, std::vector<NamedArray>{{"in", rates[0]}, {"out", rates[1]}});
  publish_undisturbed(session, key, sum_of(rates[0], rates[1]),
                      {"copies", key, {{"bytes", all.in.largest()}}, of_link});
}

/// Copies of pageable memory by themselves: its caches would lose it to others.
void publish_pageable(const Session& session, std::int64_t gpu) {
  Curve in = try_large(session, {pageable, gpu});
  Curve out = try_large(session, {gpu, pageable});
  Rounds rounds;
  rounds.add_largest(in);
  rounds.add_largest(out);
  rounds.run(session);
  publish_copy(session, "host.bandwidth.pageable_in", in, of_pageable);
  publish_copy(session, "host.bandwidth.pageable_out", out, of_pageable);
}

}  // namespace

void find_host_latency(const Session& session) {
  constexpr const char* key = "host.latency";
  const Chases chases = measure_chases(session, pinned, remote_chase::Operation::load);
  if (chases.points.empty()) throw Skip("device", "the device does not load from the host's memory");
  session.evidence(key, columns(std::vector{std::pair(pinned, chases)}));
  const Measured latency = latency_of(chases);
  Value conditions{{"sm_clock_mhz", std::round(chases.clock_hz / 1e6)}};
  if (latency.reason.empty()) {
    conditions["cycles"] = std::round(latency.undisturbed().value * chases.clock_hz);
  }
  publish_undisturbed(session, key, latency, {"remote-chase", key, conditions, of_latency});
}

void find_host_bandwidth(const Session& session) {
  const auto gpu = session.needed<std::int64_t>("device.gpu");
  const Transfers all = measure_transfers(session, gpu);
  constexpr const char* in_key = "host.bandwidth.copy_in";
  publish_copy(session, in_key, all.in, of_link);
  publish_half_peak(session, "host.half_peak_size", all.in, in_key);
  publish_copy(session, "host.bandwidth.copy_out", all.out, of_link);
  publish_both_ways(session, all);
  publish_by_sms(session, "host.bandwidth.read", all.read);
  publish_by_sms(session, "host.bandwidth.write", all.write);
  publish_pageable(session, gpu);
}

void find_page_fault(const Session& session) {
  constexpr const char* key = "host.page_fault";
  constexpr std::int64_t stride = std::int64_t{2} << 20;  // blocks whose pages the driver moves together
  constexpr std::int64_t most_faults = 16;  // 32 MiB that the host writes before each run: more take longer
  constexpr std::int64_t rings = 24;        // some 4 ms each: more than other users of a processor take it for at once
  const auto free = session.fact<std::int64_t>("dram.free");
  const std::int64_t faults = std::min(most_faults, free ? *free / 8 / stride : most_faults);
  if (faults < 2) throw Skip("resource", "less than 32 MiB of memory are free");
  std::vector<remote_chase::Program> programs;
  for (std::int64_t trial = 0; trial <= rings; ++trial) {
    programs.push_back(
        {.place = transfer::managed, .nodes = faults, .stride = stride, .steps = 1, .runs = faults, .trial = trial});
  }
  const auto results = session.ask(programs);
  Measured cost{.faster = analysis::Faster::less};
  const auto into = std::back_inserter(cost.values);
  // The first warms up.
  for (std::size_t i = 1; i < results.size(); ++i) std::ranges::copy(results[i].seconds(programs[i]), into);
  session.evidence(key, std::vector<NamedArray>{{"seconds", cost.values}});
  publish_undisturbed(session, key, cost, {"remote-chase", key, {{"faults", faults}, {"stride", stride}}, of_fault});
}

}  // namespace tomograph::links
