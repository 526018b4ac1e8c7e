#include "truth.hpp"

#include "truth_parts.hpp"

namespace independent {

namespace {

constexpr std::array<const char*, first_level_paths> path_names{"l1_data", "read_only", "texture"};

/// The capacities beside carve-outs, from each carve-out on at which they change.
Json capacities(const FirstLevel& first, std::int64_t largest) {
  const std::int64_t way = first.cache.size() / first.cache.set_ways.front();
  Json steps = {{0, first.cache.size()}};
  for (std::int64_t carveout = 1; first.shares_sram && carveout <= largest; carveout += way) {
    steps.push_back({carveout, way * ways_beside(first, carveout)});
  }
  return steps;
}

void add_path(std::vector<Expected>& facts, const Gpu& gpu, PathOfFirstLevel path) {
  const std::string prefix = path_names[path];
  const int level = gpu.level_of_path[path];
  if (path == data_path) facts.push_back({.key = "l1_data.caches_global_loads", .value = level >= 0});
  if (level < 0) {
    for (const char* name : {"latency", "size", "line_size", "sets", "replacement"}) {
      facts.push_back({.key = prefix + "." + name, .match = Match::absent, .observable = false});
    }
    return;
  }
  const FirstLevel& first = gpu.first_levels[static_cast<std::size_t>(level)];
  facts.push_back(cycles(prefix + ".latency", gpu.path_latency[path]));
  facts.push_back(cycles(prefix + ".miss_penalty", mean_l2_hit(gpu) - first.bypass));
  facts.back().spread = spread_of_sms(gpu);
  add_cache(facts, prefix, first.cache, organisation_of(gpu, first));
  facts.push_back({.key = prefix + ".virtually_tagged", .value = first.virtually_tagged});
  facts.push_back({.key = prefix + ".per_sm", .value = first.per_sm});
  Json sharers = Json::array();
  for (std::size_t other = 0; other < path_names.size(); ++other) {
    if (other != path && gpu.level_of_path[other] == level) sharers.push_back(path_names[other]);
  }
  facts.push_back({.key = prefix + ".shared_with", .match = Match::words, .value = sharers});
  if (path == data_path) {
    facts.push_back(
        {.key = "l1_data.size_by_carveout", .match = Match::capacities, .value = capacities(first, gpu.shared_memory)});
  }
}

void add_constants(std::vector<Expected>& facts, const Gpu& gpu) {
  const ConstantCaches& constants = gpu.constants;
  const double behind = mean_constant_in_l2(gpu) - constants.bypass;
  const auto add_miss = [&](const char* key, double value) {
    facts.push_back(cycles(key, value));
    facts.back().spread = spread_of_sms(gpu) + gpu.l2.far_extra / 2;
  };
  facts.push_back(cycles("constant_l1.latency", constants.l1_latency));
  if (constants.l15) {
    facts.push_back(cycles("constant_l1.miss_penalty", constants.l15_latency - constants.l1_latency));
  } else {
    add_miss("constant_l1.miss_penalty", behind);
  }
  add_miss("constant_memory.latency", (constants.l15 ? constants.l15_latency : constants.l1_latency) + behind);
  add_cache(facts, "constant_l1", constants.l1, {});
  facts.push_back({.key = "constant_l1.per_sm", .value = constants.l1_per_sm});
  if (!constants.l15) {
    for (const char* name : {"latency", "size", "line_size", "sets", "sm_groups"}) {
      facts.push_back({.key = std::string("constant_l15.") + name, .match = Match::absent, .observable = false});
    }
    return;
  }
  facts.push_back(cycles("constant_l15.latency", constants.l15_latency));
  add_miss("constant_l15.miss_penalty", behind);
  add_cache(facts, "constant_l15", *constants.l15, {.policy_is_asked = false, .unit = constants.l1.fetch});
  add_groups(facts, "constant_l15", constants.l15_of_sm);
}

void add_partitions(std::vector<Expected>& facts, const Gpu& gpu) {
  const L2Description& l2 = gpu.l2;
  facts.push_back({.key = "l2.partition.count", .value = l2.partitions});
  facts.push_back({.key = "l2.partition.of_sm",
                   .value = numbered_by_lowest_sm(l2.partition_of_sm),
                   .observable = l2.partitions > 1});
  facts.push_back({.key = "l2.partition.size", .value = l2.cache.size(), .observable = false});
  facts.push_back(cycles("l2.latency.near", mean_near_hit(gpu)));
  facts.back().observable = l2.partitions > 1;
  if (l2.partitions == 1) {
    facts.push_back({.key = "l2.latency.far", .match = Match::absent, .observable = false});
    facts.push_back({.key = "dram.latency.far", .match = Match::absent, .observable = false});
    return;
  }
  facts.push_back({.key = "l2.partition.replicated", .value = l2.replicated});
  facts.push_back(cycles("l2.latency.far", mean_near_hit(gpu) + l2.far_extra));
  facts.push_back(memory_cycles("dram.latency.near", mean_near_hit(gpu) + mean_memory_extra(gpu)));
  facts.push_back(memory_cycles("dram.latency.far",
                                mean_near_hit(gpu) + mean_memory_extra(gpu) + l2.far_extra + gpu.memory.far_extra));
}

void add_l2(std::vector<Expected>& facts, const Gpu& gpu) {
  const L2Description& l2 = gpu.l2;
  facts.push_back(cycles("l2.latency", mean_l2_hit(gpu)));
  facts.push_back(memory_cycles("l2.miss_penalty", mean_memory(gpu) - mean_l2_hit(gpu)));
  facts.push_back(memory_cycles("dram.latency", mean_memory(gpu)));
  Json by_sm = Json::array();
  for (std::size_t sm = 0; sm < static_cast<std::size_t>(gpu.sms); ++sm) by_sm.push_back(mean_l2_hit_of(gpu, sm));
  facts.push_back(
      {.key = "l2.latency_by_sm", .match = Match::close_list, .value = by_sm, .relative = 0.02, .absolute = 2});
  add_cache(facts, "l2", cache_of_one_sm(l2), organisation_of_l2(gpu));
  for (Expected& fact : facts) {
    if (fact.key == "l2.size") fact.value = l2.cache.size() * l2.partitions;
  }
  add_partitions(facts, gpu);
}

void add_translation(std::vector<Expected>& facts, const Gpu& gpu) {
  const Translation& translation = gpu.translation;
  for (std::size_t level = 0; level < 3; ++level) {
    const std::string prefix = "tlb.l" + std::to_string(level + 1);
    if (level < translation.tlbs.size()) {
      add_tlb(facts, prefix, translation, level);
      continue;
    }
    for (const char* name : {"entries", "entry_span", "reach", "miss_penalty", "sm_groups"}) {
      facts.push_back({.key = prefix + "." + name, .match = Match::absent, .observable = false});
    }
  }
  if (translation.window > 0) {
    facts.push_back({.key = "page_window.size", .value = translation.window});
    facts.push_back(cycles("page_window.miss_penalty", translation.window_penalty));
  } else {
    facts.push_back({.key = "page_window.size", .match = Match::absent, .observable = false});
    facts.push_back({.key = "page_window.miss_penalty", .match = Match::absent, .observable = false});
  }
}

void add_spectrum(std::vector<Expected>& facts, const Gpu& gpu) {
  const Translation& translation = gpu.translation;
  double all_penalties = 0;
  for (const TlbDescription& tlb : translation.tlbs) all_penalties += tlb.penalty;
  const double hit = mean_l2_hit(gpu);
  const double miss = mean_memory(gpu);
  const bool several = translation.tlbs.size() > 1;
  facts.push_back(cycles("memory_spectrum.p1", hit));
  facts.push_back(cycles("memory_spectrum.p2", hit + translation.tlbs.front().penalty));
  if (!several) facts.back() = {.key = "memory_spectrum.p2", .match = Match::absent, .observable = false};
  facts.push_back(memory_cycles("memory_spectrum.p3", hit + all_penalties));
  facts.push_back(memory_cycles("memory_spectrum.p4", miss));
  facts.push_back(memory_cycles("memory_spectrum.p5", miss + all_penalties));
  if (translation.window > 0) {
    facts.push_back(memory_cycles("memory_spectrum.p6", miss + all_penalties + translation.window_penalty));
  } else {
    facts.push_back({.key = "memory_spectrum.p6", .match = Match::absent, .observable = false});
  }
  if (!translation.walk_cache) return;
  for (Expected& fact : facts) {
    const bool walks =
        fact.key == "memory_spectrum.p3" || fact.key == "memory_spectrum.p5" || fact.key == "memory_spectrum.p6";
    if (walks && fact.match == Match::close) fact.absolute += translation.walk_cache_penalty;
  }
}

}  // namespace

std::vector<Expected> truth_of(const Gpu& gpu) {
  std::vector<Expected> facts;
  for (const PathOfFirstLevel path : {data_path, read_only_path, texture_path}) add_path(facts, gpu, path);
  add_constants(facts, gpu);
  add_l2(facts, gpu);
  add_translation(facts, gpu);
  add_spectrum(facts, gpu);
  return facts;
}

}  // namespace independent
