#include "tomograph/session/plugin.hpp"

#include "tomograph/cache/probes.hpp"
#include "view.hpp"

namespace tomograph::cache_sharing {

namespace {

constexpr auto per_sm = TOMOGRAPH_PER_SM;

struct Sharing {
  static constexpr const char* id = "cache-sharing/shared_with";
  static constexpr const char* question = "Which load paths go through the same physical cache?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 30;
  static constexpr std::array needs{optional_need("l1_data.size"),          optional_need("l1_data.line_size"),
                                    optional_need("l1_data.hit_threshold"), optional_need("read_only.size"),
                                    optional_need("read_only.line_size"),   optional_need("read_only.hit_threshold"),
                                    optional_need("texture.size"),          optional_need("texture.line_size"),
                                    optional_need("texture.hit_threshold"), optional_need("constant_l1.size"),
                                    optional_need("constant_l1.line_size"), optional_need("constant_l1.hit_threshold"),
                                    optional_need("constant_memory.reach")};
  static constexpr std::array provides{
      fact_spec("l1_data.shared_with", TOMOGRAPH_LIST, "", per_sm, "Caches that are the same one as L1"),
      fact_spec("read_only.shared_with", TOMOGRAPH_LIST, "", per_sm, "Caches that are the same one as the read-only"),
      fact_spec("texture.shared_with", TOMOGRAPH_LIST, "", per_sm, "Caches that are the same one as the texture cache"),
      fact_spec("constant_l1.shared_with", TOMOGRAPH_LIST, "", per_sm,
                "Caches that are the same one as the first constant cache")};
  static void run(const Session& session) { find_sharing(session); }
};

struct ConstantSharing {
  static constexpr const char* id = "cache-sharing/constant_l15.shared_with";
  static constexpr const char* question = "Does the constant L1.5 hold instructions, too?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 30;
  static constexpr std::array needs{need("constant_l15.size"),          need("constant_l15.line_size"),
                                    need("constant_l15.hit_threshold"), need("constant_l1.hit_threshold"),
                                    need("constant_l1.size"),           need("constant_memory.reach")};
  static constexpr std::array provides{fact_spec("constant_l15.shared_with", TOMOGRAPH_LIST, "", per_sm,
                                                 "Caches that are the same one as the second constant cache")};
  static void run(const Session& session) { find_constant_sharing(session); }
};

/// What differs between the caches of which there may be several in an SM.
template <const View& view>
struct Names;
template <>
struct Names<l1_data> {
  static constexpr const char* id = "cache-sharing/l1_data.per_sm";
  static constexpr const char* question = "How many L1 caches has an SM?";
  static constexpr std::array needs{need("l1_data.size"), need("l1_data.line_size"), need("l1_data.hit_threshold")};
  static constexpr const char* key = "l1_data.per_sm";
};
template <>
struct Names<read_only> {
  static constexpr const char* id = "cache-sharing/read_only.per_sm";
  static constexpr const char* question = "How many read-only caches has an SM?";
  static constexpr std::array needs{need("read_only.size"), need("read_only.line_size"),
                                    need("read_only.hit_threshold")};
  static constexpr const char* key = "read_only.per_sm";
};
template <>
struct Names<texture> {
  static constexpr const char* id = "cache-sharing/texture.per_sm";
  static constexpr const char* question = "How many texture caches has an SM?";
  static constexpr std::array needs{need("texture.size"), need("texture.line_size"), need("texture.hit_threshold")};
  static constexpr const char* key = "texture.per_sm";
};
template <>
struct Names<constant_l1> {
  static constexpr const char* id = "cache-sharing/constant_l1.per_sm";
  static constexpr const char* question = "How many first constant caches has an SM?";
  static constexpr std::array needs{need("constant_l1.size"), need("constant_l1.line_size"),
                                    need("constant_l1.hit_threshold"), optional_need("constant_memory.reach")};
  static constexpr const char* key = "constant_l1.per_sm";
};

template <const View& view>
struct PerSm {
  static constexpr const char* id = Names<view>::id;
  static constexpr const char* question = Names<view>::question;
  static constexpr double expected_seconds = 0.05;
  static constexpr double time_budget = 30;
  static constexpr std::array needs = Names<view>::needs;
  static constexpr std::array provides{
      fact_spec(Names<view>::key, TOMOGRAPH_INTEGER, "1", per_sm, "Physical caches of this kind in one SM")};
  static void run(const Session& session) { find_instances(session, view); }
};

struct ConstantGroups {
  static constexpr const char* id = "cache-sharing/constant_l15.sm_groups";
  static constexpr const char* question = "Which SMs share a second constant cache?";
  static constexpr double expected_seconds = 0.2;
  static constexpr double time_budget = 60;
  static constexpr std::array needs{need("device.sm_count"), need("constant_l15.hit_threshold"),
                                    optional_need("constant_l15.line_size"), optional_need("constant_l15.size"),
                                    optional_need("constant_memory.reach")};
  static constexpr std::array provides{
      fact_spec("constant_l15.sm_groups", TOMOGRAPH_LIST, "", TOMOGRAPH_PER_DEVICE, "SMs that share a cache, by cache"),
      fact_spec("constant_l15.sms_per_instance", TOMOGRAPH_INTEGER, "1", TOMOGRAPH_PER_DEVICE,
                "SMs that share one cache, where it is the same number for all")};
  static void run(const Session& session) { find_constant_groups(session); }
};

/// What tells where each level of TLB begins and ends; a level needs to know those before it.
constexpr std::array pages{need("device.sm_count"), need("l2.line_size"), optional_need("dram.free"),
                           optional_need("dram.size")};
constexpr auto reach_1 = cache::with(cache::with(pages, need("tlb.l1.entries")), need("tlb.l1.entry_span"));
constexpr auto reach_2 = cache::with(cache::with(reach_1, need("tlb.l2.entries")), need("tlb.l2.entry_span"));
constexpr auto reach_3 = cache::with(cache::with(reach_2, need("tlb.l3.entries")), need("tlb.l3.entry_span"));

/// What differs between the levels of TLB.
template <std::int64_t level>
struct Level;
template <>
struct Level<1> {
  static constexpr const char* id = "cache-sharing/tlb.l1.sm_groups";
  static constexpr const char* question = "Which SMs share a first level of TLB?";
  static constexpr auto needs = cache::with(reach_1, need("tlb.l1.miss_penalty"));
  static constexpr const char* groups_key = "tlb.l1.sm_groups";
  static constexpr const char* size_key = "tlb.l1.sms_per_instance";
};
template <>
struct Level<2> {
  static constexpr const char* id = "cache-sharing/tlb.l2.sm_groups";
  static constexpr const char* question = "Which SMs share a second level of TLB?";
  static constexpr auto needs = cache::with(reach_2, need("tlb.l2.miss_penalty"));
  static constexpr const char* groups_key = "tlb.l2.sm_groups";
  static constexpr const char* size_key = "tlb.l2.sms_per_instance";
};
template <>
struct Level<3> {
  static constexpr const char* id = "cache-sharing/tlb.l3.sm_groups";
  static constexpr const char* question = "Which SMs share a third level of TLB?";
  static constexpr auto needs = cache::with(reach_3, need("tlb.l3.miss_penalty"));
  static constexpr const char* groups_key = "tlb.l3.sm_groups";
  static constexpr const char* size_key = "tlb.l3.sms_per_instance";
};

template <std::int64_t level>
struct TlbGroups {
  static constexpr const char* id = Level<level>::id;
  static constexpr const char* question = Level<level>::question;
  static constexpr double expected_seconds = 0.3;
  static constexpr double time_budget = 60;
  static constexpr auto needs = Level<level>::needs;
  static constexpr std::array provides{
      fact_spec(Level<level>::groups_key, TOMOGRAPH_LIST, "", TOMOGRAPH_PER_DEVICE, "SMs that share a TLB, by TLB"),
      fact_spec(Level<level>::size_key, TOMOGRAPH_INTEGER, "1", TOMOGRAPH_PER_DEVICE,
                "SMs that share one TLB, where it is the same number for all")};
  static void run(const Session& session) { find_tlb_groups(session, level); }
};

}  // namespace

}  // namespace tomograph::cache_sharing

using namespace tomograph::cache_sharing;

TOMOGRAPH_PLUGIN("cache-sharing", "1.0.0", "Which load paths, warps and SMs share a cache",
                 tomograph::Probes<Sharing, ConstantSharing, PerSm<l1_data>, PerSm<read_only>, PerSm<texture>,
                                   PerSm<constant_l1>, ConstantGroups, TlbGroups<1>, TlbGroups<2>, TlbGroups<3>>)
