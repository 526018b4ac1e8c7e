#include <algorithm>
#include <cmath>
#include <utility>

#include "acquire_chases.hpp"
#include "acquire_transfers.hpp"
#include "peers.hpp"
#include "publish.hpp"
#include "questions.hpp"

namespace tomograph::links {

namespace {

using remote_chase::Operation;
using transfer::Place;
using transfer::Route;

/// Measures a latency of each peer, and publishes pairs.
void publish_latency(const Session& session, const std::string& key, const std::vector<Place>& peers,
                     Operation operation) {
  std::vector<std::pair<Place, Chases>> all;
  std::vector<Entry> entries;
  for (const Place peer : peers) {
    all.emplace_back(peer, measure_chases(session, peer, operation));
    entries.push_back({{peer}, latency_of(all.back().second)});
  }
  session.evidence(key, columns(all));
  publish_entries(session, key, entries,
                  {"remote-chase", key, {{"sm_clock_mhz", std::round(all.front().second.clock_hz / 1e6)}}});
}

/// Copies to each peer, by size.
std::vector<Curve> measure_curves(const Session& session, Place own, const std::vector<Place>& peers) {
  std::vector<Curve> curves;
  for (const Place peer : peers) curves.push_back(measure_curve(session, {own, peer}));
  return curves;
}

void publish_half_peak(const Session& session, const std::vector<Place>& peers, const std::vector<Curve>& curves) {
  constexpr const char* key = "link.half_peak_size";
  std::vector<NamedArray> all;
  std::vector<Entry> entries;
  Value latencies = Value::list();
  for (std::size_t i = 0; i < peers.size(); ++i) {
    for (NamedArray& column : columns(curves[i])) {
      all.push_back({"to_" + std::to_string(peers[i]) + "_" + column.name, std::move(column.numbers)});
    }
    entries.push_back({{peers[i]}, half_peak_of(curves[i])});
    const auto cost = fit_cost(curves[i].points);
    latencies.push_back(cost ? Value(cost->latency) : Value("times do not grow with the size"));
  }
  session.evidence(key, all);
  publish_entries(session, key, entries, {"transfer-size-curve", key, {{"fit_latency_s", std::move(latencies)}}});
}

/// What SMs read from each peer, or write to it. `copies` are those to the peer of each route, `both_ways` those of
/// each route and the opposite one.
void publish_by_sms(const Session& session, const std::string& key, const std::vector<Route>& routes, Place own,
                    const std::vector<Curve>& copies, const std::vector<Entry>& both_ways) {
  std::vector<Entry> entries;
  std::vector<NamedArray> all;
  Value ctas = Value::list();
  for (std::size_t i = 0; i < routes.size(); ++i) {
    const Route& route = routes[i];
    SmRates rates = measure_by_sms(session, route, copies[i]);
    const Place peer = route.from == own ? route.to : route.from;
    for (NamedArray& column : rates.columns) {
      all.push_back({"peer_" + std::to_string(peer) + "_" + column.name, std::move(column.numbers)});
    }
    entries.push_back({{peer}, below(rates_of(rates), both_ways[i].measured)});
    ctas.push_back(rates.ctas_per_sm);
  }
  session.evidence(key, all);
  publish_entries(session, key, entries, {"kernel", key, {{"ctas_per_sm", std::move(ctas)}}});
}

/// Columns from, to and rate of what was measured for each route.
std::vector<NamedArray> route_columns(const std::vector<Route>& routes, const std::vector<std::vector<double>>& rates) {
  std::vector<double> from;
  std::vector<double> to;
  std::vector<double> rate;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    for (const double one : rates[i]) {
      from.push_back(static_cast<double>(routes[i].from));
      to.push_back(static_cast<double>(routes[i].to));
      rate.push_back(one);
    }
  }
  return {{"from", from}, {"to", to}, {"rate", rate}};
}

std::vector<Entry> entries_of(const std::vector<Route>& routes, const std::vector<std::vector<double>>& rates) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < rates.size(); ++i) entries.push_back({{routes[i].from, routes[i].to}, {rates[i]}});
  return entries;
}

/// Copies between each two of `gpus`, alone. Returns the routes that work.
std::vector<Route> publish_pairs(const Session& session, const std::vector<Place>& gpus, const Curve& copies) {
  constexpr const char* key = "link.bandwidth.copy";
  std::vector<Route> routes;
  std::vector<std::vector<double>> rates;
  for (const Place from : gpus) {
    for (const Place to : gpus) {
      if (from == to) continue;
      auto measured = measure_together(session, {{from, to}}, copies);
      if (measured.empty()) continue;
      routes.push_back({from, to});
      rates.push_back(std::move(measured.front()));
    }
  }
  session.evidence(key, route_columns(routes, rates));
  publish_entries(session, key, entries_of(routes, rates), {"copies", key, {{"bytes", copies.largest()}}});
  return routes;
}

/// Copies to and from each peer at the same time. Returns the entries.
std::vector<Entry> publish_both_ways(const Session& session, Place own, const std::vector<Place>& peers,
                                     const Curve& copies) {
  constexpr const char* key = "link.bandwidth.both_ways";
  std::vector<Entry> entries;
  std::vector<Route> routes;
  std::vector<std::vector<double>> all;
  for (const Place peer : peers) {
    const std::vector<Route> both{{own, peer}, {peer, own}};
    auto rates = measure_together(session, both, copies);
    if (rates.empty()) {
      entries.push_back({{peer}, nothing("the device does not copy both ways at the same time")});
      continue;
    }
    entries.push_back({{peer}, sum_of(rates[0], rates[1])});
    routes.insert(routes.end(), both.begin(), both.end());
    std::ranges::move(rates, std::back_inserter(all));
  }
  session.evidence(key, route_columns(routes, all));
  publish_entries(session, key, entries, {"copies", key, {{"bytes", copies.largest()}}});
  return entries;
}

void publish_all_pairs(const Session& session, const std::vector<Route>& routes, const Curve& copies) {
  constexpr const char* key = "link.bandwidth.all_pairs";
  const auto rates = measure_together(session, routes, copies);
  session.evidence(key, route_columns(routes, rates));
  if (rates.empty()) return session.inconclusive(key, "the device does not copy on all links at the same time");
  publish_entries(session, key, entries_of(routes, rates), {"copies", key, {{"bytes", copies.largest()}}});
}

std::vector<Route> routes_between(Place own, const std::vector<Place>& peers, bool to_peers) {
  std::vector<Route> routes;
  for (const Place peer : peers) routes.push_back(to_peers ? Route{own, peer} : Route{peer, own});
  return routes;
}

}  // namespace

void find_link_latency(const Session& session) {
  const Peers peers = peers_of(session, {"link.latency", "link.atomic_latency"});
  if (peers.numbers.empty()) return;
  publish_latency(session, "link.latency", peers.numbers, Operation::load);
  const auto with_atomics = peers_with_atomics(session);
  if (with_atomics.empty()) return session.absent("link.atomic_latency", "no link of this GPU has native atomics");
  publish_latency(session, "link.atomic_latency", with_atomics, Operation::atomic);
}

void find_link_bandwidth(const Session& session) {
  const Peers peers =
      peers_of(session, {"link.bandwidth.read", "link.bandwidth.write", "link.bandwidth.copy",
                         "link.bandwidth.both_ways", "link.bandwidth.all_pairs", "link.half_peak_size"});
  if (peers.numbers.empty()) return;
  const Place own = peers.own;
  const auto curves = measure_curves(session, own, peers.numbers);
  publish_half_peak(session, peers.numbers, curves);
  const Curve& longest = *std::ranges::max_element(curves, {}, &Curve::largest);
  std::vector<Place> gpus = peers.numbers;
  gpus.insert(std::ranges::lower_bound(gpus, own), own);
  const auto routes = publish_pairs(session, gpus, longest);
  const auto both_ways = publish_both_ways(session, own, peers.numbers, longest);
  publish_all_pairs(session, routes, longest);
  publish_by_sms(session, "link.bandwidth.read", routes_between(own, peers.numbers, false), own, curves, both_ways);
  publish_by_sms(session, "link.bandwidth.write", routes_between(own, peers.numbers, true), own, curves, both_ways);
}

}  // namespace tomograph::links
