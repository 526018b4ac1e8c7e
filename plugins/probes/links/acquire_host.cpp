#include <algorithm>
#include <cmath>

#include "acquire_chases.hpp"
#include "acquire_transfers.hpp"
#include "publish.hpp"
#include "questions.hpp"

namespace tomograph::links {

namespace {

using transfer::pageable;
using transfer::pinned;
using transfer::Route;

void publish_copy(const Session& session, const std::string& key, Route route) {
  const Curve curve = measure_peak(session, route);
  session.evidence(key, columns(curve));
  publish_undisturbed(session, key, rates_of(curve), {"copies", key, {{"bytes", curve.largest()}}});
}

void publish_by_sms(const Session& session, const std::string& key, Route route, const Curve& copies) {
  const SmRates found = measure_by_sms(session, route, copies);
  session.evidence(key, found.columns);
  publish_undisturbed(session, key, rates_of(found),
                      {"kernel", key, {{"bytes", found.bytes}, {"ctas_per_sm", found.ctas_per_sm}}});
}

void publish_half_peak(const Session& session, const std::string& key, const Curve& curve,
                       const std::string& evidence) {
  Value conditions{{"peak", peak_rate(curve.points)}};
  if (const auto cost = fit_cost(curve.points)) {
    conditions["fit_latency_s"] = cost->latency;
    conditions["fit_rate"] = cost->rate;
    conditions["fit_error"] = cost->error;
  }
  publish_undisturbed(session, key, half_peak_of(curve), {"transfer-size-curve", evidence, conditions});
}

void publish_both_ways(const Session& session, std::int64_t gpu, const Curve& copies) {
  constexpr const char* key = "host.bandwidth.both_ways";
  const auto rates = measure_together(session, {{pinned, gpu}, {gpu, pinned}}, copies);
  if (rates.empty()) return session.inconclusive(key, "the device does not copy both ways at the same time");
  session.evidence(key, std::vector<NamedArray>{{"in", rates[0]}, {"out", rates[1]}});
  publish_undisturbed(session, key, sum_of(rates[0], rates[1]), {"copies", key, {{"bytes", copies.largest()}}});
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
  publish_undisturbed(session, key, latency, {"remote-chase", key, conditions});
}

void find_host_bandwidth(const Session& session) {
  const auto gpu = session.needed<std::int64_t>("device.gpu");
  constexpr const char* in_key = "host.bandwidth.copy_in";
  const Curve in = measure_curve(session, {pinned, gpu});
  session.evidence(in_key, columns(in));
  publish_undisturbed(session, in_key, rates_of(in), {"copies", in_key, {{"bytes", in.largest()}}});
  publish_half_peak(session, "host.half_peak_size", in, in_key);
  publish_copy(session, "host.bandwidth.copy_out", {gpu, pinned});
  publish_both_ways(session, gpu, in);
  publish_by_sms(session, "host.bandwidth.read", {pinned, gpu}, in);
  publish_by_sms(session, "host.bandwidth.write", {gpu, pinned}, in);
  publish_copy(session, "host.bandwidth.pageable_in", {pageable, gpu});
  publish_copy(session, "host.bandwidth.pageable_out", {gpu, pageable});
}

void find_page_fault(const Session& session) {
  constexpr const char* key = "host.page_fault";
  constexpr std::int64_t stride = std::int64_t{2} << 20;  // blocks whose pages the driver moves together
  constexpr std::int64_t most_faults = 16;  // 32 MiB that the host writes before each run: more take longer
  const auto free = session.fact<std::int64_t>("dram.free");
  const std::int64_t faults = std::min(most_faults, free ? *free / 8 / stride : most_faults);
  if (faults < 2) throw Skip("resource", "less than 32 MiB of memory are free");
  std::vector<remote_chase::Program> programs;
  for (std::int64_t trial = 0; trial <= repetitions; ++trial) {
    programs.push_back(
        {.place = transfer::managed, .nodes = faults, .stride = stride, .steps = faults, .runs = 1, .trial = trial});
  }
  const auto results = session.ask(programs);
  Measured cost{.faster = analysis::Faster::less};
  // The first warms up.
  for (std::size_t i = 1; i < results.size(); ++i) cost.values.push_back(results[i].seconds(programs[i]).front());
  session.evidence(key, std::vector<NamedArray>{{"seconds", cost.values}});
  publish_undisturbed(session, key, cost, {"remote-chase", key, {{"faults", faults}, {"stride", stride}}});
}

}  // namespace tomograph::links
