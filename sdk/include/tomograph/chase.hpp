#ifndef TOMOGRAPH_CHASE_HPP
#define TOMOGRAPH_CHASE_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tomograph/abi/chase.h"
#include "tomograph/experiment.hpp"

/// The chase program as a value. abi/chase.h defines the meaning of every field.
namespace tomograph::chase {

enum class Space : std::int64_t {
  global = TOMOGRAPH_GLOBAL_MEMORY,
  texture = TOMOGRAPH_TEXTURE_MEMORY,
  constant = TOMOGRAPH_CONSTANT_MEMORY,
  shared = TOMOGRAPH_SHARED_MEMORY,
  instruction = TOMOGRAPH_INSTRUCTION_MEMORY,
};
enum class Path : std::int64_t {
  global_ca = TOMOGRAPH_GLOBAL_CA,
  global_cg = TOMOGRAPH_GLOBAL_CG,
  global_nc = TOMOGRAPH_GLOBAL_NC,
  texture = TOMOGRAPH_TEXTURE,
  texture_2d = TOMOGRAPH_TEXTURE_2D,
  constant = TOMOGRAPH_CONSTANT,
  shared = TOMOGRAPH_SHARED,
  instruction = TOMOGRAPH_INSTRUCTION,
};
enum class Order : std::int64_t { sequential = TOMOGRAPH_SEQUENTIAL, shuffled = TOMOGRAPH_SHUFFLED };
enum class Timing : std::int64_t {
  untimed = TOMOGRAPH_UNTIMED,
  total = TOMOGRAPH_TIMED_TOTAL,
  each = TOMOGRAPH_TIMED_EACH,
};

/// Values of abi/chase.h for what a program leaves open.
inline constexpr std::int64_t any_sm = -1;
inline constexpr std::int64_t no_alias = -1;
inline constexpr std::int64_t default_carveout = -1;
/// Arrays start at a multiple of this many bytes (abi/chase.h).
inline constexpr std::int64_t array_alignment = std::int64_t{2} << 20;
/// A node is an aligned slot of this size (abi/chase.h).
inline constexpr std::int64_t node_bytes = 8;
/// Warps of the largest CTA that CUDA allows.
inline constexpr std::int64_t warps_of_cta = 32;

struct Array {
  std::int64_t bytes = 0;
  std::int64_t alias = no_alias;
  Space space = Space::global;
  std::int64_t width = 0;

  bool operator==(const Array&) const = default;
};

/// Evenly spaced nodes or, if `nodes` is not empty, nodes at exactly these byte offsets, in this order.
struct Ring {
  std::int64_t array = 0;
  std::int64_t start = 0;
  std::int64_t stride = 0;
  std::int64_t count = 0;
  Order order = Order::sequential;
  std::int64_t seed = 0;
  std::vector<std::int64_t> nodes = {};

  /// Number of nodes.
  [[nodiscard]] std::int64_t size() const { return nodes.empty() ? count : static_cast<std::int64_t>(nodes.size()); }
  bool operator==(const Ring&) const = default;
};

struct Actor {
  std::int64_t sm = any_sm;
  Path path = Path::global_ca;
  std::int64_t threads = 1;
  std::int64_t warp = 0;

  bool operator==(const Actor&) const = default;
};

struct Phase {
  std::int64_t actor = 0;
  std::int64_t ring = 0;
  std::int64_t first = 0;
  std::int64_t loads = 0;
  Timing timing = Timing::untimed;

  bool operator==(const Phase&) const = default;
};

struct Program {
  std::vector<Array> arrays = {};
  std::vector<Ring> rings = {};
  std::vector<Actor> actors = {};
  std::vector<Phase> phases = {};
  std::int64_t carveout = default_carveout;
  bool alone = false;
  std::int64_t trial = 0;

  bool operator==(const Program&) const = default;
};

/// The result of a program by timed phase. Latencies and totals include the overhead of timing.
struct Result {
  /// One entry per `each` phase, in phase order.
  struct Trace {
    std::vector<std::uint32_t> latency;
    std::vector<std::uint32_t> node;
  };
  std::vector<Trace> traces = {};
  /// One entry per `total` phase, in phase order.
  std::vector<double> totals = {};
  double overhead_each = 0;
  double overhead_total = 0;
  std::vector<std::int64_t> sms = {};
  std::int64_t kernel_shared = 0;

  /// Latencies of an `each` phase, counted from 0, without the overhead of timing. @throws std::out_of_range.
  [[nodiscard]] std::vector<double> net_latencies(std::size_t phase = 0) const;
};

/// Loads with which so many threads of an actor pass a ring of `nodes` together: each goes at least as far as the start
/// of the next one.
[[nodiscard]] constexpr std::int64_t loads_to_pass(std::int64_t nodes, std::int64_t threads) {
  return (nodes + threads - 1) / threads * threads;
}

/// The memory space that `path` reads.
[[nodiscard]] Space space_of(Path path);
/// Whether nodes on `path` hold addresses of global memory, so that actors on all such paths can share a ring.
[[nodiscard]] bool is_global(Path path);

/// The request for `program`. Inverse of `decode`.
[[nodiscard]] Experiment encode(const Program& program);
/// The same, in memory that the requests of a batch share.
[[nodiscard]] Experiment encode(const Program& program, ArrayMemory& memory);

/// The program of a request. @throws std::invalid_argument naming the parameter that is missing, of the wrong type or
/// length, or unknown.
[[nodiscard]] Program decode(const Experiment& experiment);

/// The rule of abi/chase.h that `program` breaks (an index out of range, nodes outside their array, misaligned or
/// overlapping, an empty ring, `each` with several threads, ...), or nothing. Linear in the nodes that are listed one
/// by one.
[[nodiscard]] std::optional<std::string> violation(const Program& program);

/// Byte offsets of the nodes of `ring` in the order of the visit. The shuffle is Sattolo's algorithm with a 64-bit
/// Mersenne Twister seeded with `ring.seed`: the same on every machine and device.
[[nodiscard]] std::vector<std::int64_t> node_offsets(const Ring& ring);

/// The arrays that answer `program`. Inverse of `decode_result`.
[[nodiscard]] Arrays encode(const Result& result);
/// The same, in memory that the answers to a batch share.
[[nodiscard]] Arrays encode(const Result& result, ArrayMemory& memory);

/// The result in `answer`, the answer to `program`. @throws std::invalid_argument if arrays are missing or their
/// lengths do not fit the program.
[[nodiscard]] Result decode_result(const Program& program, const Answer& answer);

}  // namespace tomograph::chase

#endif
