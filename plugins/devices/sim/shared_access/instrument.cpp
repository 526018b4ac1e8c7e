#include "sim/shared_access/instrument.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

#include "sim/experiment_noise.hpp"
#include "tomograph/session.hpp"
#include "tomograph/shared_access.hpp"

namespace tomograph::sim {

namespace {

using shared_access::Operation;
using shared_access::Program;

void expect_room(const SharedMemory& memory, const Program& program) {
  const auto refuse = [](const std::string& reason) { throw Refused(TOMOGRAPH_UNSUPPORTED, reason); };
  if (program.bytes > memory.size_per_block) {
    refuse("a CTA has at most " + std::to_string(memory.size_per_block) + " B of shared memory");
  }
  if (program.ctas * (program.bytes + memory.reserved_per_block) > memory.size_per_sm ||
      program.ctas > memory.max_ctas || program.ctas * program.warps > memory.max_warps) {
    refuse("an SM has no room for so many CTAs");
  }
}

/// Passes of one round: one access of every stream of every warp.
struct Round {
  std::int64_t most = 0;  ///< passes of the slowest access
  std::int64_t sum = 0;
};

Round round_of(const SharedMemory& memory, std::int64_t interleave, const Program& program, std::int64_t start) {
  // The pattern of banks and rows repeats after one row of all banks.
  const std::int64_t period = memory.banks * memory.bank_width;
  std::map<std::int64_t, std::int64_t> known;
  Round round;
  for (std::int64_t warp = 0; warp < program.warps; ++warp) {
    for (std::int64_t stream = 0; stream < program.streams; ++stream) {
      const std::int64_t shift = (start + warp * program.warp_shift + stream * program.stream_shift) % period;
      const auto [entry, is_new] = known.try_emplace(shift, 0);
      if (is_new) {
        std::vector<std::int64_t> offsets = program.offsets;
        for (std::int64_t& offset : offsets) offset += shift;
        entry->second = passes(memory, interleave, program.width, offsets);
      }
      round.most = std::max(round.most, entry->second);
      round.sum += entry->second;
    }
  }
  round.sum *= program.ctas;
  return round;
}

/// Cycles of one round in steady state.
double round_cycles(const SharedMemory& memory, std::int64_t interleave, const Program& program) {
  const Round accesses = round_of(memory, interleave, program, 0);
  const bool copies = program.operation == Operation::copy;
  const std::int64_t stored = copies ? round_of(memory, interleave, program, program.store_shift).sum : 0;
  const auto instructions = static_cast<double>(program.streams * (copies ? 2 : 1));
  const std::int64_t warps = program.warps * program.ctas;
  const std::int64_t most_warps = (warps + memory.schedulers - 1) / memory.schedulers;
  const auto warps_per_scheduler = static_cast<double>(most_warps);

  const double banks = static_cast<double>(accesses.sum + stored) * memory.pass_cycles;
  const double issue = warps_per_scheduler * instructions * memory.issue_cycles;
  if (program.operation == Operation::store) return std::max(banks, issue);
  double wait = static_cast<double>(memory.latency) + static_cast<double>(accesses.most - 1) * memory.conflict_cycles;
  if (copies) wait += static_cast<double>(program.streams) * memory.issue_cycles;
  return std::max({banks, issue, wait});
}

shared_access::Result answer(const Gpu& gpu, const Options& options, const Program& program, std::uint64_t seed) {
  if (!gpu.shared_memory) throw Refused(TOMOGRAPH_UNSUPPORTED, "this GPU has no shared memory");
  const SharedMemory& memory = *gpu.shared_memory;
  const auto interleave = memory.interleave(program.mode);
  if (!interleave) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "banks cannot be set to " + std::to_string(program.mode) + " B");
  }
  expect_room(memory, program);

  const auto accesses = static_cast<double>(program.accesses);
  const double cycles = accesses * round_cycles(memory, *interleave, program);
  const double sigma = options.noise ? memory.sigma * std::sqrt(accesses) : 0;
  const auto overhead = static_cast<double>(gpu.instrument.total_overhead);
  Random random(seed);
  shared_access::Result result{{}, overhead};
  for (std::int64_t sm = 0; sm < gpu.sm_count; ++sm) {
    const double jitter = sigma * draw_normal(random);
    result.cycles.push_back(std::max(overhead, std::round(overhead + cycles + jitter)));
  }
  return result;
}

}  // namespace

Arrays answer_shared_access(const Gpu& gpu, const Options& options, const Experiment& experiment) {
  const shared_access::Program program = shared_access::decode(experiment);
  if (const auto why = shared_access::violation(program)) throw std::invalid_argument(*why);
  return shared_access::encode(answer(gpu, options, program, noise_seed(experiment, options)));
}

}  // namespace tomograph::sim
