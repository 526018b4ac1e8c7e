#ifndef TOMOGRAPH_CUDA_CHASE_KERNELS_HPP
#define TOMOGRAPH_CUDA_CHASE_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// The interface of the chase kernels: plain structures, and the launches that read them. A *wave* is one launch. In it
/// each SM executes at most one *part* of a program: the phases of those actors that run on this SM.
namespace tomograph::cuda {

/// Stands for the program of a part that has none.
inline constexpr std::uint32_t no_program = 0xffffffffU;
inline constexpr std::uint32_t warp_threads = 32;
inline constexpr std::uint32_t most_threads = 1024;  ///< of a CTA

/// Device addresses are kept as numbers, as they are in the nodes.
using Address = std::uint64_t;
inline void* pointer_to(Address address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): it came from a pointer
}

/// Bytes of a bank of constant memory that programs can use: all of a module's but the last line, which holds the
/// scratch node.
inline constexpr std::uint32_t constant_bytes = 65536 - 256;
/// Modules with a bank of constant memory each. Their kernels must be resident on an SM at the same time, of which only
/// a few are certain to be: chosen on an H200.
inline constexpr int constant_banks = 4;
/// Arrays in constant and in shared memory start at a multiple of this.
inline constexpr std::uint32_t inner_alignment = 256;

/// Instruction memory: blocks of code. CMakeLists.txt repeats their number, plus two blocks for the warm-up.
inline constexpr std::uint32_t code_block_bytes = 128;
inline constexpr std::uint32_t code_blocks = 2048;

/// How a node names the next one.
enum class NodeFormat : std::uint32_t {
  address,  ///< by its address; in constant and in shared memory, that is its offset from the start of the arrays
  index,    ///< by its number among the 8-byte texels of the array
  texel,    ///< by its coordinates in a two-dimensional texture, x in the low word
  block     ///< not at all: the ring determines the next block of code
};

/// A ring to write. Node i has the i-th offset of the list, or without a list the offset start + i * stride.
struct RingTask {
  Address base;  ///< of the array; NodeFormat::texel: its surface object
  std::uint64_t count;
  std::int64_t start;
  std::int64_t stride;
  Address list;        ///< of the offsets, or 0
  std::int64_t width;  ///< NodeFormat::texel: bytes of a row
  NodeFormat format;
  std::uint32_t unused;
};

/// A ring of blocks of code, in blocks from where the phase starts, and the node at which it starts.
struct CodeRing {
  std::uint32_t nodes;
  std::uint32_t step;
  std::uint32_t first;

  [[nodiscard]] __host__ __device__ std::uint64_t packed() const {
    return std::uint64_t{first} << 32U | std::uint64_t{step} << 16U | nodes;
  }
  [[nodiscard]] static __host__ __device__ CodeRing unpacked(std::uint64_t all) {
    return {static_cast<std::uint32_t>(all & 0xffffU), static_cast<std::uint32_t>(all >> 16U & 0xffffU),
            static_cast<std::uint32_t>(all >> 32U)};
  }
};

struct PhaseTask {
  std::uint64_t loads;
  std::uint64_t texture;      ///< the texture object that the load path needs, or the packed ring of code, or 0
  std::uint32_t first_start;  ///< in the wave's `starts`: where the first thread starts, then the others
  std::uint32_t threads;
  std::uint32_t warp;  ///< of the only thread, if there is one
  std::uint32_t part;
  std::uint32_t slot;  ///< first of the part's slots that this phase writes
  std::int32_t path;
  std::int32_t timing;
  std::uint32_t next;  ///< number of the same part's next phase, or of all phases if there is none
};

/// What an SM executes in a wave.
struct PartTask {
  std::uint64_t output;   ///< position of its first slot in the output
  std::uint32_t program;  ///< or `no_program`
  std::uint32_t part;
  std::uint32_t parts;
  std::uint32_t first_phase;
  std::uint32_t phases;
  std::uint32_t slots;
  std::uint32_t first_ring;    ///< of those in shared memory
  std::uint32_t rings;         ///< in shared memory
  std::uint32_t shared_bytes;  ///< of the arrays in shared memory
  std::uint32_t timed_warps;   ///< one bit per warp: its first thread is alone in it
  std::uint32_t workers;       ///< threads of other warps that follow rings together
  std::uint32_t first_own;     ///< number of its first phase
};

/// Two words through which the parts of one program wait for each other; both start at zero.
struct Rendezvous {
  std::uint32_t present;  ///< parts that have arrived (`meet` of cuda/meeting.cuh)
  std::uint32_t turn;     ///< the phase that may run
};

/// Scratch nodes, each of which points to itself.
struct Scratch {
  Address node;
  std::uint64_t texture;     ///< whose texel 0 is zero
  std::uint64_t texture_2d;  ///< whose texel (0, 0) is zero
};

/// Bits of Wave::done. A gap is a time without progress, longer than Wave::longest_gap.
struct PartEnd {
  static constexpr std::uint32_t done = 1;
  static constexpr std::uint32_t gap = 2;        ///< in what is not timed
  static constexpr std::uint32_t timed_gap = 4;  ///< in what is timed
  static constexpr std::uint32_t workers_gap =
      8;  ///< among many threads, which may have delayed each other, or in code
};

/// One launch; a wave that needs several banks of constant memory is one launch for each. All pointers are device
/// addresses.
struct Wave {
  const PartTask* parts;  ///< one per SM
  const PhaseTask* phases;
  const RingTask* shared_rings;
  const std::uint64_t* starts;
  std::uint32_t* claimed;  ///< one per SM, zero before the launch
  std::uint32_t* started;  ///< CTAs that have started, zero before the launch
  Rendezvous* rendezvous;  ///< one per program
  std::uint64_t* output;   ///< slots
  std::uint32_t* done;     ///< one per SM: bits of PartEnd, set when the SM's part is done
  std::uint32_t sms;
  std::uint32_t idle_ctas_wait;  ///< 1: CTAs without work wait too, so that each SM gets a CTA though others fill it
  std::uint32_t longest_gap;     ///< cycles between two readings of the clock beyond which another program had a turn
  Scratch scratch;
};

struct Shape {
  std::uint32_t ctas;
  std::uint32_t threads;
  std::uint32_t dynamic_shared;
};

/// Writes `count` rings to global or texture memory. `blocks` CTAs share each ring.
cudaError_t launch_ring_writer(const RingTask* rings, std::uint32_t count, std::uint32_t blocks, cudaStream_t stream);

/// The kernel that follows rings: in all spaces but instruction memory, or in constant and instruction memory.
enum class Kernel : std::uint32_t { data, code };

cudaError_t launch_chase(Kernel kernel, const Wave& wave, const Shape& shape, cudaStream_t stream);

/// Occupies every SM for `cycles`, so that the clocks have risen before anything is measured.
cudaError_t launch_spin(std::uint32_t ctas, std::int64_t cycles, cudaStream_t stream);

/// The constant memory of the chase kernel.
cudaError_t constant_memory(Address& start);

/// A module with a bank of constant memory and a kernel that follows rings in it.
struct ConstantBank {
  cudaError_t (*memory)(Address& start) = nullptr;
  /// Allows the kernel `dynamic_shared` bytes. Loads the module, which must not happen while other kernels run.
  cudaError_t (*prepare)(std::uint32_t dynamic_shared) = nullptr;
  cudaError_t (*launch)(const Wave& wave, const Shape& shape, cudaStream_t stream) = nullptr;
};

/// The bank number `number`, from 1; the chase kernel itself has bank 0.
template <int number>
ConstantBank constant_bank();

/// The attributes of the chase kernel.
cudaError_t chase_attributes(cudaFuncAttributes& attributes);
cudaError_t allow_dynamic_shared(std::uint32_t bytes);
/// Percentage of the SM's shared memory, or one of cudaSharedCarveout.
cudaError_t prefer_carveout(Kernel kernel, int percent);
/// CTAs of the chase kernel that one SM can hold at a time.
cudaError_t resident_ctas(Kernel kernel, std::uint32_t threads, std::uint32_t dynamic_shared, int& ctas);

}  // namespace tomograph::cuda

#endif
