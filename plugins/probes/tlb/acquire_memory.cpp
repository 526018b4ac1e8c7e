#include "acquire_memory.hpp"

#include <algorithm>
#include <string>

namespace tomograph::tlb {

namespace {

/// With less memory, few pages of any size fit. Chosen by hand.
constexpr std::int64_t least_bytes = std::int64_t{8} << 20;
/// Used where no fact says more: what any GPU of the last ten years has.
constexpr std::int64_t modest_bytes = std::int64_t{1} << 30;
constexpr std::int64_t modest_l2 = std::int64_t{1} << 20;
constexpr std::int64_t modest_shared = std::int64_t{48} << 10;
/// No known line of an L2 is longer.
constexpr std::int64_t long_line = 256;

/// Why a walk through this memory cannot be had, or nothing.
std::string obstacle(const Memory& memory) {
  try {
    static_cast<void>(extra_latency(memory, Walk{.pages = {0}, .unit = memory.widest_spread}));
    return {};
  } catch (const Refused& refused) {
    return refused.what();
  } catch (const Skip& skip) {
    return skip.what();
  }
}

}  // namespace

Memory spare_memory(const Session& session) {
  Memory memory;
  memory.execute = [&session](std::span<const chase::Program> programs) { return session.ask(programs); };
  const auto line = session.fact<std::int64_t>("l2.line_size");
  const auto nominal = session.fact<std::int64_t>("l2.nominal_size");
  const bool has_l2 = nominal || session.fact<double>("l2.latency");
  if (!line && has_l2) throw Skip("device", "the line size of L2 is unknown");
  memory.line = line.value_or(long_line);
  const auto l2 = session.fact<std::int64_t>("l2.size").value_or(nominal.value_or(modest_l2));
  // Passes over other lines take up to as many again, and each half of a partitioned L2 must hold them. Where
  // partitions keep copies, each must hold all lines, by chance evenly spread: with a sixth of the lines, a set of four
  // ways overflows once in 400 times (Poisson).
  const auto copies = session.fact<bool>("l2.partition.replicated").value_or(true)
                          ? session.fact<std::int64_t>("l2.partition.count").value_or(2)
                          : 1;
  memory.most_visits = std::min({most_visits_of_any, l2 / memory.line / 8, l2 / copies / memory.line / 6});
  memory.l2_lines = line ? l2 / memory.line : 0;
  // Without an L2 every load goes to memory, and the second load of a pair takes as long as the first but for the TLB.
  if (!line) memory.most_visits = most_visits_of_any;
  const auto shared = session.fact<std::int64_t>("device.max_shared_memory_per_block").value_or(modest_shared);
  memory.most_timed = (shared - 2048) / static_cast<std::int64_t>(sizeof(std::uint64_t));
  const auto all = session.fact<std::int64_t>("dram.size").value_or(modest_bytes);
  const auto free = session.fact<std::int64_t>("dram.free").value_or(all);
  std::string why = "the device has less than " + std::to_string(least_bytes) + " B of free memory";
  for (memory.bytes = free - free / 16; memory.bytes >= least_bytes; memory.bytes /= 2) {
    memory.bytes = memory.bytes / chase::array_alignment * chase::array_alignment;
    why = obstacle(memory);
    if (why.empty()) return memory;
  }
  throw Skip("resource", why);
}

Memory behind(const Memory& memory, std::int64_t bytes) {
  Memory rest = memory;
  rest.bytes -= bytes;
  rest.execute = [execute = memory.execute, bytes](std::span<const chase::Program> programs) {
    std::vector<chase::Program> moved(programs.begin(), programs.end());
    for (chase::Program& program : moved) {
      program.arrays.front().bytes += bytes;
      for (chase::Ring& ring : program.rings) {
        ring.start += bytes;
        for (std::int64_t& node : ring.nodes) node += bytes;
      }
    }
    return execute(moved);
  };
  return rest;
}

}  // namespace tomograph::tlb
