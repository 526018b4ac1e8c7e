// Random groups of SMs that share a TLB level. Groups of a level are unions of groups of the level before.
#include <algorithm>
#include <numeric>
#include <sstream>

#include "family.hpp"
#include "random_cache.hpp"

namespace tomograph::bench::tlb_groups_family {

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t memory = 65536 * mebibyte;
constexpr std::int64_t l2_bytes = 16 * mebibyte;

using Groups = std::vector<std::vector<std::int64_t>>;

/// A random partition of `from` into non-empty groups.
Groups split(Draw& draw, std::vector<std::int64_t> from, std::int64_t count) {
  draw.shuffle(from);
  Groups groups(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto any = static_cast<std::size_t>(draw.between(0, count - 1));
    groups[i < groups.size() ? i : any].push_back(from[i]);
  }
  for (auto& group : groups) std::ranges::sort(group);
  return groups;
}

/// The groups of each level, the first level first. One GPU in two has private first levels.
std::vector<Groups> draw_groups(Draw& draw, std::int64_t sms, std::int64_t levels) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(sms));
  std::iota(all.begin(), all.end(), 0);
  std::vector<Groups> result{{all}};
  while (std::ssize(result) <= levels) {
    Groups finer;
    const bool single = std::ssize(result) == levels && draw.one_in(2);
    for (const auto& group : result.back()) {
      const std::int64_t members = std::ssize(group);
      const Groups parts = split(draw, group, single ? members : draw.between(1, members));
      finer.insert(finer.end(), parts.begin(), parts.end());
    }
    std::ranges::sort(finer);
    result.push_back(std::move(finer));
  }
  std::ranges::reverse(result);
  result.pop_back();
  return result;
}

sim::Gpu draw_gpu(Draw& draw) {
  sim::Gpu gpu;
  gpu.name = "random";
  gpu.sm_count = draw.between(2, 20);
  gpu.l2.latency = draw.between(150, 300);
  gpu.l2.far_latency = gpu.l2.latency;
  gpu.l2.cache = plain_cache(128, 32, l2_bytes / 128 / 16, 16);
  gpu.dram.latency = gpu.dram.far_latency = draw.between(400, 800);
  gpu.dram.size = memory;
  gpu.noise = usual_noise();
  std::int64_t span = draw.power_of_two(2, 8) * mebibyte;
  std::int64_t entries = draw.between(8, 32);
  for (const Groups& groups : draw_groups(draw, gpu.sm_count, draw.between(1, 2))) {
    const bool first = gpu.translation.tlb.empty();
    gpu.translation.tlb.push_back(sim::tlb(span, {entries}, first ? draw.between(8, 30) : draw.between(40, 150)));
    gpu.translation.tlb.back().shared_by = groups;
    if (draw.one_in(4)) gpu.translation.tlb.back().entries.replacement.policy = sim::Replacement::Policy::fifo;
    entries *= draw.power_of_two(4, 16);
  }
  return gpu;
}

void expect_level(std::vector<Expected>& all, const sim::Tlb& tlb, const std::string& prefix) {
  ExpectedFacts facts(prefix);
  const auto& groups = tlb.shared_by;
  facts.exact("sm_groups", groups);
  const bool equal = std::ranges::all_of(groups, [&](const auto& one) { return one.size() == groups[0].size(); });
  facts.judged("sms_per_instance", groups[0].size(), equal,
               [=](const Json& published) { return equal && published == Json(groups[0].size()); });
  for (Expected& one : facts.take()) all.push_back(std::move(one));
}

Case draw_case(std::uint64_t number) {
  Draw draw(number);
  sim::Gpu gpu = draw_gpu(draw);
  while (sim::violation(gpu)) gpu = draw_gpu(draw);
  Case drawn{.number = number,
             .kind = std::to_string(gpu.translation.tlb.size()) + " levels",
             .gpu = gpu,
             .geometry = {},
             .expected = {},
             .given = {{"l2.line_size", {{"value", 128}}}, {"dram.free", {{"value", memory}}}}};
  std::ostringstream text;
  std::string prefix = "tlb.l1.";
  for (const sim::Tlb& tlb : gpu.translation.tlb) {
    expect_level(drawn.expected, tlb, prefix);
    drawn.given[prefix + "entries"] = {{"value", tlb.entries.lines()}};
    drawn.given[prefix + "entry_span"] = {{"value", tlb.entries.line_size}};
    drawn.given[prefix + "miss_penalty"] = {{"value", static_cast<double>(tlb.penalty)}};
    text << Json(tlb.shared_by).dump() << " share " << tlb.entries.lines() << " x " << tlb.entries.line_size / mebibyte
         << " MiB +" << tlb.penalty << "; ";
    prefix = "tlb.l2.";
  }
  drawn.geometry = text.str();
  return drawn;
}

}  // namespace

Family make() { return {.name = "tlb_groups", .plugins = {"cache-sharing"}, .smoke_cases = 4, .draw = draw_case}; }

}  // namespace tomograph::bench::tlb_groups_family
