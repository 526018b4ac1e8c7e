#include "describe.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "parts.hpp"

namespace independent {

namespace {

constexpr std::array policy_names{"LRU",      "FIFO",  "random", "way-weighted", "tree-PLRU", "segmented LRU", "NRU",
                                  "bit-PLRU", "SRRIP", "CLOCK",  "LIP",          "BIP",       "not last"};

std::string text_of(const CacheDescription& cache) {
  std::ostringstream text;
  const auto [fewest, most] = std::minmax_element(cache.set_ways.begin(), cache.set_ways.end());
  text << cache.size() << " B: " << cache.index.sets << " sets of " << *fewest;
  if (*fewest != *most) text << " to " << *most;
  text << ", line " << cache.line << ", sector " << cache.sector << ", fetch " << cache.fetch << ", "
       << policy_names[static_cast<std::size_t>(cache.policy)] << ", index";
  switch (cache.index.kind) {
    case SetIndex::Kind::linear:
      for (const std::uint64_t mask : cache.index.masks) text << " 0x" << std::hex << mask << std::dec;
      break;
    case SetIndex::Kind::modulus: text << " by remainder"; break;
    case SetIndex::Kind::scrambled: text << " not linear"; break;
  }
  if (cache.prefetched_lines > 0) text << ", prefetches";
  return text.str();
}

void describe_first_levels(std::ostream& out, const Gpu& gpu) {
  out << "  paths ca, nc, tex: level " << gpu.level_of_path[0] << ", " << gpu.level_of_path[1] << ", "
      << gpu.level_of_path[2] << "; latency " << gpu.path_latency[0] << ", " << gpu.path_latency[1] << ", "
      << gpu.path_latency[2] << "\n";
  for (const FirstLevel& first : gpu.first_levels) {
    out << "  first level: " << text_of(first.cache) << (first.virtually_tagged ? ", virtual" : ", physical") << ", "
        << first.per_sm << " per SM\n";
  }
  out << "  constant L1: " << text_of(gpu.constants.l1) << ", latency " << gpu.constants.l1_latency << "\n";
  if (!gpu.constants.l15) return;
  out << "  constant L1.5: " << text_of(*gpu.constants.l15) << ", latency " << gpu.constants.l15_latency << ", "
      << group_count(gpu.constants.l15_of_sm) << " instances\n";
}

void describe_translation(std::ostream& out, const Translation& translation) {
  for (const TlbDescription& tlb : translation.tlbs) {
    out << "  TLB of " << tlb.entries.lines() << " entries, penalty " << tlb.penalty << ", "
        << group_count(tlb.instance_of_sm) << " instances: " << text_of(tlb.entries) << "\n";
  }
  out << "  pages of " << translation.page << " B, window " << translation.window << " B, penalty "
      << translation.window_penalty << (translation.walk_cache ? ", cached walks" : "")
      << (translation.stable_addresses ? "" : ", new addresses in each program") << "\n";
}

}  // namespace

std::string describe(const Gpu& gpu) {
  std::ostringstream out;
  out << gpu.family << "-" << gpu.seed << ": " << gpu.sms << " SMs\n";
  describe_first_levels(out, gpu);
  out << "  L2: " << gpu.l2.partitions << (gpu.l2.replicated ? " replicated" : "") << " partitions of "
      << text_of(gpu.l2.cache) << ", " << gpu.l2.slices << " slices, latency " << gpu.l2.latency[0][0] << ", far +"
      << gpu.l2.far_extra << ", memory +" << gpu.memory.extra << "\n";
  describe_translation(out, gpu.translation);
  out << "  noise: first level " << gpu.noise.first_level << ", L2 " << gpu.noise.l2 << ", memory "
      << gpu.memory.deviation << ", drift " << gpu.noise.drift << ", late " << gpu.noise.late_share << ", clock by "
      << gpu.noise.clock_step << "\n";
  return out.str();
}

}  // namespace independent
