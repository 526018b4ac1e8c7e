#include "sim/gpu/node.hpp"

#include <algorithm>
#include <string>

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

namespace {

std::optional<double> optional_number(const Section& section, const char* key) {
  return section.has(key) ? std::optional(section.number(key)) : std::nullopt;
}

GpuLink read_link(const Section& section) {
  GpuLink link;
  link.latency_ns = section.number("latency_ns");
  link.atomic_latency_ns = optional_number(section, "atomic_latency_ns");
  link.copy_latency_ns = section.number("copy_latency_ns");
  link.read = section.number("read");
  link.write = section.number("write");
  link.copy = section.number("copy");
  link.both_ways = section.number("both_ways", 2 * link.copy);
  return link;
}

PairLink read_pair(const Section& section) {
  PairLink pair{section.integers("between"), std::nullopt};
  if (const auto link = section.optional_section("link")) pair.link = read_link(*link);
  return pair;
}

Broken pair_violation(const Node& node, std::size_t i) {
  const std::vector<std::int64_t>& between = node.pairs[i].between;
  const std::string key = "node.pair." + std::to_string(i) + ".between";
  const auto [first, second] = std::ranges::minmax(between);
  if (first == second) return Violation{key, "names the same GPU twice"};
  if (auto broken = at_most(key, second, node.gpus - 1)) return broken;
  for (std::size_t other = 0; other < i; ++other) {
    if (std::ranges::is_permutation(between, node.pairs[other].between)) {
      return Violation{key, "names GPUs " + text(first) + " and " + text(second) + " a second time"};
    }
  }
  return std::nullopt;
}

}  // namespace

const GpuLink* Node::between(std::int64_t one, std::int64_t other) const {
  const auto joins = [&](const PairLink& pair) {
    return std::ranges::count(pair.between, one) == 1 && std::ranges::count(pair.between, other) == 1;
  };
  const auto pair = std::ranges::find_if(pairs, joins);
  if (pair == pairs.end()) return &link;
  return pair->link ? &*pair->link : nullptr;
}

HostLink read_host_link(const Section& section) {
  HostLink link;
  link.latency_ns = section.number("latency_ns");
  link.copy_latency_ns = section.number("copy_latency_ns");
  link.read = section.number("read");
  link.write = section.number("write");
  link.copy_in = section.number("copy_in");
  link.copy_out = section.number("copy_out");
  link.both_ways = section.number("both_ways", link.copy_in + link.copy_out);
  link.pageable_in = section.number("pageable_in");
  link.pageable_out = section.number("pageable_out");
  link.page_fault_ns = optional_number(section, "page_fault_ns");
  if (section.has("numa_node")) link.numa_node = section.integer("numa_node");
  link.sigma = section.number("sigma", 0);
  return link;
}

Node read_node(const Section& section) {
  Node node;
  node.gpus = section.integer("gpus");
  node.link = read_link(section.section("link"));
  for (const Section& pair : section.sections("pair")) node.pairs.push_back(read_pair(pair));
  node.port = optional_number(section, "port");
  node.fabric = optional_number(section, "fabric");
  node.sigma = section.number("sigma", 0);
  return node;
}

Broken violation(const Node& node) {
  for (std::size_t i = 0; i < node.pairs.size(); ++i) {
    if (auto broken = pair_violation(node, i)) return broken;
  }
  return std::nullopt;
}

}  // namespace tomograph::sim
