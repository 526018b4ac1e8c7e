#ifndef TOMOGRAPH_SIM_SHARED_ACCESS_INSTRUMENT_HPP
#define TOMOGRAPH_SIM_SHARED_ACCESS_INSTRUMENT_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/gpu/shared_memory.hpp"
#include "sim/options.hpp"
#include "tomograph/instrument.hpp"
#include "tomograph/shared_access.hpp"

namespace tomograph::sim {

struct Gpu;

/// Answers experiments on shared memory, in closed form. For one access of every stream there are three bounds: the
/// passes of the banks, the issue of the schedulers, and the latency of one load. The largest determines the time, so
/// throughput over warps x streams rises to a plateau (Little's law).
class SharedAccess : public Instrument {
 public:
  SharedAccess(const Gpu& gpu, const Options& options);

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_SHARED_ACCESS_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  [[nodiscard]] shared_access::Result run(const shared_access::Program& program, std::uint64_t seed) const;

  std::optional<SharedMemory> memory_;
  std::int64_t sm_count_;
  double overhead_;
  Options options_;
};

}  // namespace tomograph::sim

#endif
