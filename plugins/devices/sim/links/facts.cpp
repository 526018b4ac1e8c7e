#include "sim/links/facts.hpp"

#include <algorithm>
#include <functional>

namespace tomograph::sim {

namespace {

/// The UUID of the GPU of this number, which [api] may state of the simulated one.
std::string uuid(const Gpu& gpu, std::int64_t number) {
  const auto stated = std::ranges::find(gpu.api, "device.uuid", &ApiFact::key);
  if (number == gpu.node.own && stated != gpu.api.end()) return stated->value.get<std::string>();
  const std::string digits = std::to_string(number);
  constexpr std::size_t last_group = 12;
  return "GPU-00000000-0000-0000-0000-" + std::string(last_group - digits.size(), '0') + digits;
}

Value uuids(const Gpu& gpu) {
  Value list = Value::list();
  for (std::int64_t number = 0; number < gpu.node.gpus; ++number) list.push_back(uuid(gpu, number));
  return list;
}

/// Pairs: number of a peer, and whether its link has a property.
Value of_peers(const Node& node, const std::function<bool(const GpuLink*)>& has) {
  Value pairs = Value::list();
  for (std::int64_t peer = 0; peer < node.gpus; ++peer) {
    if (peer != node.own) pairs.push_back(Value::list(peer, has(node.between(node.own, peer))));
  }
  return pairs;
}

}  // namespace

std::vector<LinkFact> link_facts(const Gpu& gpu) {
  if (!gpu.host && gpu.node.gpus < 2) return {};
  std::vector<LinkFact> facts{{"device.gpus", uuids(gpu), ""}, {"device.gpu", gpu.node.own, "1"}};
  if (gpu.host && gpu.host->numa_node) facts.push_back({"device.numa_node", *gpu.host->numa_node, "1"});
  if (gpu.node.gpus < 2) return facts;
  facts.push_back({"device.peer_access", of_peers(gpu.node, [](const GpuLink* link) { return link != nullptr; }), ""});
  facts.push_back(
      {"device.native_atomics",
       of_peers(gpu.node, [](const GpuLink* link) { return link != nullptr && link->atomic_latency_ns.has_value(); }),
       ""});
  return facts;
}

}  // namespace tomograph::sim
