#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hwloc.hpp"
#include "levels.hpp"
#include "links.hpp"
#include "memory.hpp"
#include "object.hpp"

namespace tomograph::hwloc {

namespace {

/// How hwloc names a kind of cache.
struct CacheType {
  const char* name;
  int depth;
  int content;  ///< hwloc_obj_cache_type_t: 0 anything, 1 data, 2 instructions
};
constexpr CacheType l2{"L2Cache", 2, 0};
constexpr CacheType l2_instruction{"L2iCache", 2, 2};
constexpr CacheType l1_data{"L1Cache", 1, 1};
constexpr CacheType l1_instruction{"L1iCache", 1, 2};

/// A cache without children whose facts' keys begin with `key`; 0 stands for what is not known of it.
Object cache(const Topology& topology, const CacheType& type, const std::string& key, std::int64_t size, Sms sms) {
  const auto number = [&](const char* name) { return std::to_string(topology.rounded(key + name).value_or(0)); };
  return {type.name,
          std::move(sms),
          {{"cache_size", std::to_string(size)},
           {"depth", std::to_string(type.depth)},
           {"cache_linesize", number(".line_size")},
           {"cache_associativity", number(".ways")},
           {"cache_type", std::to_string(type.content)}}};
}

/// Of an SM, where it was measured.
std::optional<std::string> l2_latency(const Topology& topology, std::size_t sm) {
  const auto by_sm = topology.value<std::vector<double>>("l2.latency_by_sm");
  return by_sm && sm < by_sm->size() ? std::optional(to_json(Value((*by_sm)[sm]))) : std::nullopt;
}

Object core(const Topology& topology, std::int64_t sm) {
  const std::string index = std::to_string(sm);
  Object core{"Core", {sm}, {{"os_index", index}, {"subtype", "SM"}}};
  if (const auto latency = l2_latency(topology, static_cast<std::size_t>(sm)))
    core.infos.emplace_back("tomograph.l2.latency_by_sm", *latency + " cycle");
  if (auto shared = shared_memory(topology, sm)) core.children.push_back(*std::move(shared));
  core.children.push_back({"PU", {sm}, {{"os_index", index}}});
  return core;
}

/// `inner` in a cache of its SMs if its size is known.
Object in_cache(const Topology& topology, const CacheType& type, const std::string& key, Object inner) {
  const auto size = topology.rounded(key + ".size");
  if (!size) return inner;
  Object around = cache(topology, type, key, *size, inner.sms);
  around.children.push_back(std::move(inner));
  return around;
}

/// An SM in its own caches.
Object sm(const Topology& topology, std::int64_t number) {
  Object inner = core(topology, number);
  inner = in_cache(topology, l1_instruction, "instruction_l1", std::move(inner));
  return in_cache(topology, l1_data, "l1_data", std::move(inner));
}

/// Of one of the parts of the L2. Where it was not measured, they are taken to be equal.
std::optional<std::int64_t> l2_size(const Topology& topology, std::size_t parts) {
  const auto partition = topology.rounded("l2.partition.size");
  if (parts > 1 && partition) return partition;
  auto size = topology.rounded("l2.size");
  if (!size) size = topology.rounded("l2.nominal_size");
  return size ? std::optional(*size / static_cast<std::int64_t>(parts)) : std::nullopt;
}

/// The object that a group of SMs shares, without children.
Object shared_object(const Topology& topology, const Level& level, const Sms& group) {
  Object other{"Group", group, {{"subtype", level.key}, {"kind", "0"}, {"subkind", "0"}}};
  if (level.key == "l2" || level.key == "l2.partition") {
    const auto size = l2_size(topology, level.groups.size());
    return size ? cache(topology, l2, "l2", *size, group) : other;
  }
  const auto size = topology.rounded(level.key + ".size");
  if (level.key.starts_with("tlb.") || !size) return other;
  Object shared = cache(topology, l2_instruction, level.key, *size, group);
  shared.attributes.emplace_back("subtype", level.key);
  return shared;
}

/// The objects of `sms`, which are one group of the level outside of `levels`.
std::vector<Object> objects(const Topology& topology, std::span<const Level> levels, const Sms& sms) {
  std::vector<Object> found;
  if (levels.empty()) {
    for (const std::int64_t number : sms) found.push_back(sm(topology, number));
    return found;
  }
  for (const Sms& group : levels.front().groups) {
    if (!std::ranges::includes(sms, group)) continue;
    Object object = shared_object(topology, levels.front(), group);
    object.children = objects(topology, levels.subspan(1), group);
    found.push_back(std::move(object));
  }
  return found;
}

}  // namespace

std::string topology_xml(const Topology& topology) {
  const Sms sms = all_sms(topology);
  Object package{"Package", sms, {{"os_index", "0"}, {"subtype", "GPU"}}, device_infos(topology)};
  if (auto memory = device_memory(topology)) package.children.push_back(*std::move(memory));
  for (Object& object : objects(topology, nested_levels(topology), sms)) package.children.push_back(std::move(object));
  Object machine{"Machine", sms, {{"os_index", "0"}}, {{"Backend", "Tomograph"}}};
  machine.children.push_back(std::move(package));
  for (Object& gpu : linked_gpus(topology)) machine.children.push_back(std::move(gpu));
  return to_xml(machine, memory_values(topology), link_distances(topology));
}

}  // namespace tomograph::hwloc
