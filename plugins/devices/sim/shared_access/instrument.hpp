#ifndef TOMOGRAPH_SIM_SHARED_ACCESS_INSTRUMENT_HPP
#define TOMOGRAPH_SIM_SHARED_ACCESS_INSTRUMENT_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/gpu/shared_memory.hpp"
#include "sim/options.hpp"
#include "tomograph/session/instrument.hpp"
#include "tomograph/experiment/shared_access.hpp"

namespace tomograph::sim {

struct Gpu;

/// Answers experiments on shared memory, in closed form. The banks serve one pass after the other, schedulers issue one
/// access after the other, and a stream waits for its load: whichever of the three takes longest for one access of
/// every stream sets the pace, so that throughput against warps x streams rises to a roof (Little's law).
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
