#ifndef TOMOGRAPH_WORKLOADS_WORKLOAD_HPP
#define TOMOGRAPH_WORKLOADS_WORKLOAD_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "tomograph/kernel/trace.hpp"

/// The fifteen workloads that L. Wang et al., IEEE CAL 2019, name in Table 2, written anew from their algorithms.
namespace tomograph::workloads {

/// A workload on the host. Functions may be called from several threads at once.
class Workload {
 public:
  virtual ~Workload() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Whether it is among the seven divergent ones.
  [[nodiscard]] virtual bool is_divergent() const = 0;
  [[nodiscard]] virtual std::uint32_t ctas() const = 0;

  /// The memory before the kernel runs: the inputs, and zeros for the results.
  [[nodiscard]] virtual std::vector<std::byte> memory() const = 0;
  /// Elements of the results in `memory`, as the kernel has left it, that differ from a reference on the host.
  [[nodiscard]] virtual std::size_t wrong(const std::vector<std::byte>& memory) const = 0;
  /// Executes the kernel's body in `memory` on the host.
  virtual void execute(std::vector<std::byte>& memory) const = 0;
  /// The trace of the kernel. It holds a copy of the memory.
  [[nodiscard]] virtual std::unique_ptr<kernel::Trace> trace() const = 0;
};

/// All of them, the eight regular ones first. The position is the number that experiments use.
[[nodiscard]] const std::vector<std::unique_ptr<Workload>>& all_workloads();

/// What a trace says of a workload, from a sample of its warps.
struct Character {
  double lines_per_load = 0;    ///< 128-byte lines that a load touches
  double sectors_per_load = 0;  ///< 32-byte sectors that a load touches
  double reuse = 0;             ///< accesses to sectors for each distinct sector
  double active_lanes = 0;      ///< mean lanes of an instruction
  double instructions = 0;      ///< of a warp, mean
};

/// @throws std::invalid_argument if the trace has no warps. `warps` are sampled, evenly over the grid.
[[nodiscard]] Character character_of(const kernel::Trace& trace, std::uint32_t warps);

}  // namespace tomograph::workloads

#endif
