#include "made_up_fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "comparing/comparison.hpp"
#include "planning/patterns.hpp"

namespace tomograph::bench {
namespace {

using host::FactRecord;
using host::Topology;

bool is_continuous(const FactRecord& record) {
  return record.value.is_number_float() || (record.value.is_number() && record.interval);
}

void scale(FactRecord& record, double factor) {
  record.value = record.value.get<double>() * factor;
  if (!record.interval) return;
  const auto [low, high] = *record.interval;
  record.interval = std::minmax(low * factor, high * factor);
}

/// Whether measuring is precise enough that a change of 3 % could be told: the interval is narrower than the tolerance
/// of `diff`, and repeated measurements lie as close as boards do.
bool is_precise(const Kind& kind, const std::string& key) {
  std::vector<double> values;
  for (const Topology& topology : kind) {
    const auto fact = topology.facts.find(key);
    if (fact == topology.facts.end() || !is_continuous(fact->second)) return false;
    const double value = fact->second.value.get<double>();
    const auto [low, high] = fact->second.interval.value_or(std::pair{value, value});
    if (!(value > 0) || high - low > host::usual_tolerance * value) return false;
    values.push_back(value);
  }
  const auto [least, most] = std::ranges::minmax(values);
  return most - least <= MadeUpFleet::board_spread * least;
}

bool is_compared(const std::string& key) {
  const auto ignored = host::facts_of_one_board();
  return std::ranges::none_of(ignored, [&](const std::string& pattern) { return host::matches(pattern, key); });
}

}  // namespace

MadeUpFleet::MadeUpFleet(std::vector<Kind> kinds, unsigned seed) : kinds_(std::move(kinds)), random_(seed) {
  for (const Kind& kind : kinds_) {
    std::vector<std::string>& keys = eligible_.emplace_back();
    for (const auto& [key, record] : kind.front().facts) {
      if (!is_continuous(record) || !is_compared(key)) continue;
      ++continuous_;
      if (is_precise(kind, key)) keys.push_back(key);
    }
  }
}

std::size_t MadeUpFleet::eligible() const {
  std::size_t count = 0;
  for (const auto& keys : eligible_) count += keys.size();
  return count;
}

MadeUpGpu MadeUpFleet::next(double odd_share) {
  const std::size_t kind = made_ % kinds_.size();
  std::normal_distribution<double> board(1, board_spread);
  std::uniform_int_distribution<std::size_t> measurement(0, kinds_[kind].size() - 1);
  MadeUpGpu gpu{kinds_[kind].front(), fmt::format("GPU-{:08}", ++made_), {}};
  for (auto& [key, record] : gpu.topology.facts) {
    const Topology& measured = kinds_[kind][measurement(random_)];
    if (const auto other = measured.facts.find(key); other != measured.facts.end()) record = other->second;
    if (is_continuous(record)) scale(record, board(random_));
  }
  FactRecord& uuid = gpu.topology.facts["device.uuid"];
  uuid = gpu.topology.facts.at("device.name");
  uuid.value = gpu.uuid;
  std::bernoulli_distribution is_odd(odd_share);
  if (is_odd(random_)) gpu.planted.push_back(plant(gpu.topology, kind));
  return gpu;
}

Oddity MadeUpFleet::plant(Topology& topology, std::size_t kind) {
  std::bernoulli_distribution is_discrete(0.1);
  std::bernoulli_distribution is_less(0.5);
  if (is_discrete(random_)) {
    FactRecord& fact = topology.facts.at("device.sm_count");
    fact.value = fact.value.get<int>() - 1;
    return {"device.sm_count", 0};
  }
  std::uniform_int_distribution<std::size_t> any(0, eligible_[kind].size() - 1);
  std::uniform_real_distribution<double> size(least_change, most_change);
  Oddity oddity{eligible_[kind][any(random_)], size(random_)};
  if (is_less(random_)) oddity.change = -oddity.change;
  scale(topology.facts.at(oddity.key), 1 + oddity.change);
  return oddity;
}

}  // namespace tomograph::bench
