#ifndef TOMOGRAPH_KERNEL_HPP
#define TOMOGRAPH_KERNEL_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tomograph/abi/kernel.h"
#include "tomograph/experiment.hpp"

/// The kernel experiment as a value. abi/kernel.h defines the meaning of every field.
namespace tomograph::kernel {

/// Class of an instruction. `load`, `store` and `atomic` are those of global memory.
enum class Operation : std::uint8_t {
  integer = TOMOGRAPH_KERNEL_INTEGER,
  fp32 = TOMOGRAPH_KERNEL_FP32,
  fp64 = TOMOGRAPH_KERNEL_FP64,
  special = TOMOGRAPH_KERNEL_SPECIAL,
  load = TOMOGRAPH_KERNEL_LOAD,
  store = TOMOGRAPH_KERNEL_STORE,
  atomic = TOMOGRAPH_KERNEL_ATOMIC,
  shared_load = TOMOGRAPH_KERNEL_SHARED_LOAD,
  shared_store = TOMOGRAPH_KERNEL_SHARED_STORE,
  barrier = TOMOGRAPH_KERNEL_BARRIER,
};

enum class Cache : std::int64_t { ca = TOMOGRAPH_KERNEL_CA, cg = TOMOGRAPH_KERNEL_CG, nc = TOMOGRAPH_KERNEL_NC };

struct Stride {
  std::int64_t lane_stride = 1;
  std::int64_t warp_stride = 32;
  std::int64_t iteration_stride = 0;
  std::int64_t offset = 0;

  bool operator==(const Stride&) const = default;
};
struct Hash {
  std::int64_t group = 1;
  std::int64_t block = 32;
  std::int64_t seed = 0;

  bool operator==(const Hash&) const = default;
};
struct Gather {
  std::int64_t index = 0;

  bool operator==(const Gather&) const = default;
};
struct Stencil {
  std::int64_t width = 32;
  std::int64_t dx = 0;
  std::int64_t dy = 0;

  bool operator==(const Stencil&) const = default;
};
struct Csr {
  std::int64_t row = 2;

  bool operator==(const Csr&) const = default;
};
struct Column {
  std::int64_t width = 1;

  bool operator==(const Column&) const = default;
};
/// In the order of the constants of abi/kernel.h.
using Pattern = std::variant<Stride, Hash, Gather, Stencil, Csr, Column>;

/// What a load, store or atomic accesses.
struct Access {
  Pattern pattern = Stride{};
  std::int64_t element = 4;
  Cache cache = Cache::ca;
  std::int64_t base = 0;
  std::int64_t span = 0;

  [[nodiscard]] std::int64_t elements() const { return span / element; }
  bool operator==(const Access&) const = default;
};

/// An instruction of the loop.
struct Step {
  Operation operation = Operation::integer;
  std::int64_t count = 1;
  std::int64_t lanes = 32;
  std::vector<std::int64_t> needs = {};  ///< at most three, without -1
  std::optional<Access> access = std::nullopt;

  bool operator==(const Step&) const = default;
};

inline constexpr std::int64_t warp_lanes = 32;

struct Kernel {
  std::int64_t warps = 1;
  std::int64_t ctas = 1;
  std::int64_t ctas_per_sm = 1;
  std::int64_t iterations = 1;
  std::int64_t footprint = 0;
  std::int64_t warm_passes = 1;
  std::int64_t carveout = -1;
  std::int64_t timed = -1;
  std::vector<std::int64_t> sms = {};  ///< empty: all
  std::int64_t trial = 0;
  std::vector<Step> loop = {};

  [[nodiscard]] std::int64_t threads() const { return ctas * warps * warp_lanes; }
  bool operator==(const Kernel&) const = default;
};

struct Result {
  double elapsed_ns = 0;
  std::vector<double> cycles = {};  ///< by SM
  double clock_hz = 0;
  double latency = 0;
  std::int64_t instructions = 0;
};

/// Whether instruction `step` of `kernel` has a result that others can need.
[[nodiscard]] bool has_result(const Step& step);

/// Of each instruction, whether one needs its result, in any iteration. An atomic whose result none needs is a
/// reduction: nothing comes back.
[[nodiscard]] std::vector<bool> needed_results(const Kernel& kernel);

/// Numbers of the instructions whose results come back although no instruction needs them: they are combined at the end
/// of each iteration.
[[nodiscard]] std::vector<std::int64_t> unneeded_results(const Kernel& kernel);

/// Needs of a load, store, atomic or shared load on which its address depends. The index of a gather is not among them.
[[nodiscard]] std::vector<std::int64_t> address_needs(const Step& step);

/// Integer instructions that the address of `step` takes, 0 if it accesses no memory.
[[nodiscard]] std::int64_t address_instructions(const Step& step);

/// Integer instructions at the end of each iteration: those that combine results, then those of the loop.
[[nodiscard]] std::int64_t combining_instructions(const Kernel& kernel);
inline constexpr std::int64_t loop_instructions = 3;

/// Warp instructions of one iteration of one warp.
[[nodiscard]] std::int64_t instructions_per_iteration(const Kernel& kernel);

/// Warp instructions of the whole kernel.
[[nodiscard]] std::int64_t instructions(const Kernel& kernel);

/// The request for `kernel`. Inverse of `decode`.
[[nodiscard]] Experiment encode(const Kernel& kernel);

/// The kernel of a request. @throws std::invalid_argument naming the parameter that is missing, of the wrong type or
/// length, out of range, or unknown.
[[nodiscard]] Kernel decode(const Experiment& experiment);

/// A rule of abi/kernel.h that a kernel breaks on any device.
struct Violation {
  std::int64_t step = -1;  ///< number of the instruction that it concerns; -1: the kernel as a whole
  std::string field = {};  ///< "ctas", "needs", ... or that of the pattern: "width"
  std::string rule = {};   ///< "is 0, expected 1 to 32"
};

/// The first rule that `kernel` breaks, or nothing.
[[nodiscard]] std::optional<Violation> violation(const Kernel& kernel);

/// "instruction 3: width is 5, expected ...".
[[nodiscard]] std::string to_string(const Violation& violation);

/// The arrays that answer a kernel. Inverse of `decode_result`.
[[nodiscard]] Arrays encode(const Result& result);

/// The result in `answer`. @throws std::invalid_argument if arrays are missing, of another type or length.
[[nodiscard]] Result decode_result(const Kernel& kernel, const Answer& answer);

}  // namespace tomograph::kernel

#endif
