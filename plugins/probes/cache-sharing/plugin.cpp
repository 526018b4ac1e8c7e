#include "questions.hpp"
#include "tomograph/cache/probes.hpp"

namespace tomograph::cache_sharing {

namespace {

using cache::fact_key;
using cache::probe_id;
using cache::sentence;
using declare::per_device;
using declare::per_sm;

/// What is known about the cache of a path.
template <const LoadPath& path>
constexpr std::array optional_facts{optional_need(fact_key<path, "size">), optional_need(fact_key<path, "line_size">),
                                    optional_need(fact_key<path, "hit_threshold">)};

template <const LoadPath& path>
constexpr tomograph_fact_spec shared_with = declare::list(fact_key<path, "shared_with">, "", per_sm,
                                                          "Caches of other load paths that are this cache");

struct Sharing {
  static constexpr const char* id = "cache-sharing/shared_with";
  static constexpr const char* question = "Which load paths go through the same physical cache?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 30;
  static constexpr bool shares_device = true;
  static constexpr auto needs =
      concatenated(optional_facts<l1_data>, optional_facts<read_only>, optional_facts<texture>,
                   optional_facts<constant_l1>, std::array{optional_need("constant_memory.reach")});
  static constexpr std::array provides{shared_with<l1_data>, shared_with<read_only>, shared_with<texture>,
                                       shared_with<constant_l1>};
  static void run(const Session& session) { find_sharing(session); }
};

struct ConstantSharing {
  static constexpr const char* id = "cache-sharing/constant_l15.shared_with";
  static constexpr const char* question = "Does the constant L1.5 hold instructions, too?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 30;
  static constexpr bool shares_device = true;
  static constexpr std::array needs{need("constant_l15.size"),          need("constant_l15.line_size"),
                                    need("constant_l15.hit_threshold"), need("constant_l1.hit_threshold"),
                                    need("constant_l1.size"),           need("constant_memory.reach")};
  static constexpr std::array provides{
      declare::list("constant_l15.shared_with", "", per_sm, "Caches of instructions that are this cache")};
  static void run(const Session& session) { find_constant_sharing(session); }
};

template <const LoadPath& path>
struct PerSm {
  static constexpr const char* id = probe_id<path, "per_sm">;
  static constexpr const char* question = sentence<path, "How many ", " has an SM?">;
  static constexpr double expected_seconds = 0.05;
  static constexpr double time_budget = 30;
  static constexpr bool shares_device = true;
  static constexpr auto needs = [] {
    constexpr std::array facts{need(fact_key<path, "size">), need(fact_key<path, "line_size">),
                               need(fact_key<path, "hit_threshold">)};
    if constexpr (path.path == chase::Path::constant) {
      return cache::with(facts, optional_need("constant_memory.reach"));
    } else {
      return facts;
    }
  }();
  static constexpr std::array provides{
      declare::count(fact_key<path, "per_sm">, per_sm, "Physical caches of this kind in one SM")};
  static void run(const Session& session) { find_instances(session, path); }
};

struct TextureGroups {
  static constexpr const char* id = "cache-sharing/texture.sm_groups";
  static constexpr const char* question = "Which SMs share a texture cache?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 60;
  static constexpr bool shares_device = true;
  static constexpr std::array needs{need("device.sm_count"), need("texture.size"), need("texture.line_size"),
                                    need("texture.hit_threshold"), optional_need("texture.virtually_tagged")};
  static constexpr std::array provides{
      declare::list("texture.sm_groups", "", per_device, "SMs that share a cache, by cache"),
      declare::count("texture.sms_per_instance", per_device, "SMs that share one cache, if equal for all caches")};
  static void run(const Session& session) { find_sm_groups(session, texture); }
};

struct ConstantGroups {
  static constexpr const char* id = "cache-sharing/constant_l15.sm_groups";
  static constexpr const char* question = "Which SMs share a second constant cache?";
  static constexpr double expected_seconds = 0.2;
  static constexpr double time_budget = 60;
  static constexpr bool shares_device = true;
  static constexpr auto needs = concatenated(std::array{need("device.sm_count"), need("constant_l15.hit_threshold")},
                                             optional_needs("constant_l15.line_size", "constant_l15.size",
                                                            "constant_l15.size_at_least", "constant_memory.reach"));
  static constexpr std::array provides{
      declare::list("constant_l15.sm_groups", "", per_device, "SMs that share a cache, by cache"),
      declare::count("constant_l15.sms_per_instance", per_device, "SMs that share one cache, if equal for all caches")};
  static void run(const Session& session) { find_constant_groups(session); }
};

struct TlbLevel {
  const char* prefix;
  const char* probe;
  const char* name;
  std::int64_t number;
};
constexpr TlbLevel tlb_l1{"tlb.l1", "cache-sharing/tlb.l1.", "a first level of TLB", 1};
constexpr TlbLevel tlb_l2{"tlb.l2", "cache-sharing/tlb.l2.", "a second level of TLB", 2};
constexpr TlbLevel tlb_l3{"tlb.l3", "cache-sharing/tlb.l3.", "a third level of TLB", 3};

/// Entries of a level of TLB, the bytes that each of them translates and what a miss costs.
template <const TlbLevel& level>
constexpr std::array known{need(fact_key<level, "entries">), need(fact_key<level, "entry_span">),
                           need(fact_key<level, "miss_penalty">)};

/// The same of a level and of those before it.
template <const TlbLevel& level>
constexpr auto known_up_to() {
  if constexpr (level.number == 1) {
    return known<tlb_l1>;
  } else if constexpr (level.number == 2) {
    return concatenated(known<tlb_l1>, known<tlb_l2>);
  } else {
    return concatenated(known<tlb_l1>, known<tlb_l2>, known<tlb_l3>);
  }
}

/// What the level after it holds, if there is one.
template <const TlbLevel& level>
constexpr auto known_next() {
  if constexpr (level.number == 1) {
    return std::array{optional_need("tlb.l2.entries"), optional_need("tlb.l2.entry_span")};
  } else if constexpr (level.number == 2) {
    return std::array{optional_need("tlb.l3.entries"), optional_need("tlb.l3.entry_span")};
  } else {
    return std::array<decltype(need("")), 0>{};
  }
}

template <const TlbLevel& level>
struct TlbGroups {
  static constexpr const char* id = probe_id<level, "sm_groups">;
  static constexpr const char* question = sentence<level, "Which SMs share ", "?">;
  static constexpr double expected_seconds = 0.3;
  static constexpr double time_budget = 60;
  static constexpr auto needs =
      concatenated(std::array{need("device.sm_count"), need("l2.line_size"), optional_need("dram.free"),
                              optional_need("dram.size"), optional_need(fact_key<level, "replacement">)},
                   known_up_to<level>(), known_next<level>());
  static constexpr std::array provides{
      declare::list(fact_key<level, "sm_groups">, "", per_device, "SMs that share a TLB, by TLB"),
      declare::count(fact_key<level, "sms_per_instance">, per_device, "SMs that share one TLB, if equal for all TLBs")};
  static void run(const Session& session) { find_tlb_groups(session, level.number); }
};

}  // namespace

}  // namespace tomograph::cache_sharing

using namespace tomograph::cache_sharing;

TOMOGRAPH_PLUGIN(
    "cache-sharing", "1.0.0", "Which load paths, warps and SMs share a cache",
    tomograph::Probes<Sharing, ConstantSharing, PerSm<l1_data>, PerSm<read_only>, PerSm<texture>, PerSm<constant_l1>,
                      TextureGroups, ConstantGroups, TlbGroups<tlb_l1>, TlbGroups<tlb_l2>, TlbGroups<tlb_l3>>)
