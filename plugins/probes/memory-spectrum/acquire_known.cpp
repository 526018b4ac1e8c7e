#include "acquire_known.hpp"

#include <algorithm>
#include <string>

namespace tomograph::memory_spectrum {

namespace {

std::optional<Tlb> level(const Session& session, const std::string& prefix) {
  const auto entries = session.fact<std::int64_t>(prefix + ".entries");
  const auto span = session.fact<std::int64_t>(prefix + ".entry_span");
  const auto penalty = session.fact<double>(prefix + ".miss_penalty");
  if (!entries || !span || !penalty) return std::nullopt;
  return Tlb{*entries, *span, *penalty, session.fact<std::int64_t>(prefix + ".page_size")};
}

/// Where nothing is known of the TLBs, or of the free memory.
constexpr std::int64_t default_bytes = std::int64_t{512} << 20;

/// Enough to overflow all TLBs, with as many pages again or a quarter more and many first visits, and for several
/// page-table windows.
std::int64_t useful_memory(const Known& known) {
  // So many loads have a standard error of a 22nd of their deviation; eight windows are switched often. Chosen by
  // hand.
  constexpr std::int64_t first_visits = 512;
  constexpr std::int64_t windows = 8;
  std::int64_t entries = 0;
  std::int64_t span = 0;
  for (const Tlb& level : known.tlb) {
    entries = std::max(entries, level.entries);
    span = std::max(span, level.span);
  }
  const std::int64_t pages = std::max(2 * entries, entries + entries / 4 + first_visits) + 2;
  return std::max(known.tlb.empty() ? default_bytes : pages * span, windows * known.window.value_or(0)) +
         2 * chase::array_alignment;
}

}  // namespace

Known known_from(const Session& session) {
  // Larger than most.
  constexpr std::int64_t large_l2 = std::int64_t{64} << 20;
  constexpr std::int64_t least = 8 * chase::array_alignment;
  Known known;
  known.sm_count = session.needed<std::int64_t>("device.sm_count");
  known.line = session.needed<std::int64_t>("l2.line_size");
  known.l2_bytes = session.fact<std::int64_t>("l2.nominal_size").value_or(large_l2);
  for (const char* prefix : {"tlb.l1", "tlb.l2", "tlb.l3"}) {
    const auto next = level(session, prefix);
    if (next && known.every_tlb) known.tlb.push_back(*next);
    if (!next && session.fact<double>(std::string(prefix) + ".miss_penalty")) known.every_tlb = false;
  }
  known.window = session.fact<std::int64_t>("page_window.size");
  known.window_penalty = session.fact<double>("page_window.miss_penalty");
  known.l2_penalty = session.fact<double>("l2.miss_penalty");
  const auto free = session.fact<std::int64_t>("dram.free").value_or(default_bytes);
  const std::int64_t spare = free - free / 16 - flush_bytes(known);
  const std::int64_t wanted = std::max(std::min(spare, useful_memory(known)), least);
  known.memory = wanted / chase::array_alignment * chase::array_alignment;
  return known;
}

}  // namespace tomograph::memory_spectrum
