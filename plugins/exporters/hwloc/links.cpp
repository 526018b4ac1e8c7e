#include "links.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tomograph::hwloc {

namespace {

constexpr const char* copies = "link.bandwidth.copy";
constexpr double megabyte = 1e6;

/// Bytes per second by pair of GPUs.
std::map<std::pair<std::int64_t, std::int64_t>, double> rates_of(const Topology& topology) {
  std::map<std::pair<std::int64_t, std::int64_t>, double> rates;
  const auto rows = topology.value<std::vector<std::vector<double>>>(copies);
  for (const std::vector<double>& row : rows.value_or(std::vector<std::vector<double>>())) {
    if (row.size() == 3) rates[{std::llround(row[0]), std::llround(row[1])}] = row[2];
  }
  return rates;
}

std::set<std::int64_t> numbers_of(const Topology& topology) {
  std::set<std::int64_t> numbers;
  for (const auto& [pair, rate] : rates_of(topology)) numbers.insert({pair.first, pair.second});
  return numbers;
}

std::string name_of(std::int64_t number) { return "cuda" + std::to_string(number); }

}  // namespace

std::vector<Object> linked_gpus(const Topology& topology) {
  constexpr const char* coprocessor = "5";  // hwloc_obj_osdev_type_t
  std::vector<Object> gpus;
  for (const std::int64_t number : numbers_of(topology)) {
    gpus.push_back({"OSDev", {}, {{"name", name_of(number)}, {"subtype", "CUDA"}, {"osdev_type", coprocessor}}});
  }
  return gpus;
}

std::vector<Distances> link_distances(const Topology& topology) {
  const auto rates = rates_of(topology);
  const auto numbers = numbers_of(topology);
  if (numbers.empty()) return {};
  Distances distances{.name = "NVLinkBandwidth"};
  for (const std::int64_t from : numbers) {
    distances.devices.push_back(name_of(from));
    for (const std::int64_t to : numbers) {
      const auto rate = rates.find({from, to});
      distances.values.push_back(rate == rates.end() ? 0 : std::llround(rate->second / megabyte));
    }
  }
  return {distances};
}

}  // namespace tomograph::hwloc
