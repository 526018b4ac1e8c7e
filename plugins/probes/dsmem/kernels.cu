#include "kernels.hpp"
#include "tomograph/cuda/launch.hpp"
#include "tomograph/cuda/ptx.cuh"

namespace tomograph::dsmem {

namespace {

using cuda::Grid;

constexpr std::uint32_t stream_threads = 512;
/// Nodes of the ring that is chased, one row of banks apart.
[[maybe_unused]] constexpr std::uint32_t ring_nodes = 32;
[[maybe_unused]] constexpr std::uint32_t node_bytes = 128;

__global__ void look(std::uint64_t cycles, std::uint32_t* seen) {
#if TOMOGRAPH_HAS_CLUSTERS
  const std::uint64_t begin = cuda::sm_cycles();
  seen[blockIdx.x] = cuda::sm_id() << 16 | cuda::cluster_size();
  while (cuda::sm_cycles() - begin < cycles) {
  }
#endif
}

#if TOMOGRAPH_HAS_CLUSTERS

/// The address that a load brings is that of the next one.
__device__ __forceinline__ std::uint32_t follow(std::uint32_t address, std::uint32_t loads) {
#pragma unroll 1
  for (std::uint32_t i = 0; i < loads; i += 16) {
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      asm volatile("ld.shared::cluster.u32 %0, [%0];" : "+r"(address)::"memory");
    }
  }
  return address;
}

/// Two lengths, whose difference holds neither the way into the loop nor the reading of the clock.
__device__ std::uint32_t time_loads(std::uint32_t address, std::uint32_t loads) {
  address = follow(address, ring_nodes);
  const std::uint64_t begin = cuda::sm_cycles();
  address = follow(address, 16);
  const std::uint64_t middle = cuda::sm_cycles();
  address = follow(address, 16 + loads);
  const std::uint64_t end = cuda::sm_cycles();
  const auto net = static_cast<std::uint32_t>((end - middle) - (middle - begin));
  return address == 0 ? 0 : net;
}

#endif

__global__ void pairs(std::uint32_t loads, std::uint32_t* cycles, std::uint32_t* sms) {
#if TOMOGRAPH_HAS_CLUSTERS
  extern __shared__ std::uint32_t ring[];
  const std::uint32_t rank = cuda::cluster_rank();
  const std::uint32_t size = cuda::cluster_size();
  const std::uint32_t cluster = cuda::cluster_number();
  if (threadIdx.x < ring_nodes) {
    const std::uint32_t next = (threadIdx.x + 1) % ring_nodes * node_bytes;
    ring[threadIdx.x * node_bytes / 4] = cuda::address_in(rank, cuda::shared_address(ring) + next);
  }
  if (threadIdx.x == 0) sms[blockIdx.x] = cuda::sm_id();
    // Readers take turns, so that no two loads of a cluster meet.
#pragma unroll 1
  for (std::uint32_t turn = 0; turn < size * size; ++turn) {
    cuda::cluster_barrier();
    const std::uint32_t target = turn % size;
    if (turn / size != rank || threadIdx.x != 0) continue;
    cycles[cluster * size * size + turn] = time_loads(cuda::address_in(target, cuda::shared_address(ring)), loads);
  }
  cuda::cluster_barrier();
#endif
}

#if TOMOGRAPH_HAS_CLUSTERS

template <Space space>
struct Word;

/// In the shared memory of the CTA that waits for it.
template <>
struct Word<Space::cluster> {
  std::uint32_t mine;
  std::uint32_t theirs;
  __device__ __forceinline__ std::uint32_t read() const {
    std::uint32_t value;
    asm volatile("ld.acquire.cluster.shared::cta.u32 %0, [%1];" : "=r"(value) : "r"(mine) : "memory");
    return value;
  }
  __device__ __forceinline__ void write(std::uint32_t value) const {
    asm volatile("st.release.cluster.shared::cluster.u32 [%0], %1;" ::"r"(theirs), "r"(value) : "memory");
  }
};

template <>
struct Word<Space::global> {
  std::uint32_t* mine;
  std::uint32_t* theirs;
  __device__ __forceinline__ std::uint32_t read() const {
    std::uint32_t value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(mine) : "memory");
    return value;
  }
  __device__ __forceinline__ void write(std::uint32_t value) const {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(theirs), "r"(value) : "memory");
  }
};

template <Space space>
__device__ std::uint64_t bounce(const Word<space>& word, std::uint32_t rank, std::uint32_t first,
                                std::uint32_t rounds) {
  const std::uint64_t begin = cuda::sm_cycles();
#pragma unroll 1
  for (std::uint32_t round = first; round < first + rounds; ++round) {
    if (rank == 0) word.write(round);
    while (word.read() != round) {
    }
    if (rank == 1) word.write(round);
  }
  return cuda::sm_cycles() - begin;
}

#endif

template <Space space>
__global__ void handing_over(std::uint32_t rounds, std::uint32_t* words, CtaTime* times) {
#if TOMOGRAPH_HAS_CLUSTERS
  extern __shared__ std::uint32_t mailbox[];
  const std::uint32_t rank = cuda::cluster_rank();
  if (threadIdx.x == 0) mailbox[0] = 0;
  cuda::cluster_barrier();
  if (threadIdx.x == 0 && rank < 2) {
    Word<space> word{};
    if constexpr (space == Space::cluster) {
      word = {cuda::shared_address(mailbox), cuda::address_in(1 - rank, cuda::shared_address(mailbox))};
    } else {
      // A line each.
      std::uint32_t* own = words + cuda::cluster_number() * (mailbox_stride / sizeof(std::uint32_t));
      word = {own + 32 * rank, own + 32 * (1 - rank)};
    }
    bounce<space>(word, rank, 1, 8);
    const std::uint64_t cycles = bounce<space>(word, rank, 9, rounds);
    times[blockIdx.x] = {cycles, 0, 0, cuda::sm_id(), 1};
  }
  cuda::cluster_barrier();
#endif
}

#if TOMOGRAPH_HAS_CLUSTERS

struct Vector {
  std::uint32_t x, y, z, w;
};

/// Accesses of one width to one space.
template <Space space, std::uint32_t width>
struct Access;

template <>
struct Access<Space::cluster, 16> {
  static __device__ __forceinline__ void load(std::uint32_t at, Vector& v) {
    asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(at)
                 : "memory");
  }
  static __device__ __forceinline__ void store(std::uint32_t at, const Vector& v) {
    asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
  }
};
template <>
struct Access<Space::cluster, 4> {
  static __device__ __forceinline__ void load(std::uint32_t at, Vector& v) {
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v.x) : "r"(at) : "memory");
  }
  static __device__ __forceinline__ void store(std::uint32_t at, const Vector& v) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(v.x) : "memory");
  }
  static __device__ __forceinline__ void add(std::uint32_t at, const Vector& v) {
    asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(at), "r"(v.x) : "memory");
  }
};
template <>
struct Access<Space::global, 16> {
  static __device__ __forceinline__ void load(std::byte* at, Vector& v) {
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(at)
                 : "memory");
  }
  static __device__ __forceinline__ void store(std::byte* at, const Vector& v) {
    asm volatile("st.global.cg.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
  }
};
template <>
struct Access<Space::global, 4> {
  static __device__ __forceinline__ void load(std::byte* at, Vector& v) {
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v.x) : "l"(at) : "memory");
  }
  static __device__ __forceinline__ void store(std::byte* at, const Vector& v) {
    asm volatile("st.global.cg.u32 [%0], %1;" ::"l"(at), "r"(v.x) : "memory");
  }
  static __device__ __forceinline__ void add(std::byte* at, const Vector& v) {
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(at), "r"(v.x) : "memory");
  }
};

/// Eight accesses under way at a time in each thread, a warp at consecutive addresses.
template <Operation operation, Space space, std::uint32_t width, typename Address>
__device__ __forceinline__ std::uint32_t pass(Address base) {
  constexpr std::uint32_t step = stream_threads * width;
  constexpr int ilp = 8;
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t at = threadIdx.x * width; at < pass_bytes; at += ilp * step) {
    Vector values[ilp];
    if constexpr (operation == Operation::load) {
#pragma unroll
      for (int i = 0; i < ilp; ++i) Access<space, width>::load(base + (at + i * step), values[i]);
#pragma unroll
      for (int i = 0; i < ilp; ++i) sum += values[i].x;
    } else {
      const Vector value{at, 1, 2, 3};
#pragma unroll
      for (int i = 0; i < ilp; ++i) {
        if constexpr (operation == Operation::store) {
          Access<space, width>::store(base + (at + i * step), value);
        } else {
          Access<space, width>::add(base + (at + i * step), value);
        }
      }
    }
  }
  return sum;
}

/// The CTA whose memory this warp uses, or the size of the cluster for none.
__device__ __forceinline__ std::uint32_t partner_of(Partner partner, std::uint32_t rank, std::uint32_t size) {
  switch (partner) {
    case Partner::own: return rank;
    case Partner::other_half: return rank < size / 2 ? rank + size / 2 : size;
    case Partner::next: return (rank + 1) % size;
    case Partner::spread: return (rank + 1 + threadIdx.x / 32 % (size - 1)) % size;
    default: return rank == 0 ? size : 0;
  }
}

#endif

template <Operation operation, Space space, std::uint32_t width>
__global__ void __launch_bounds__(stream_threads)
    streaming(Partner partner, std::uint32_t passes, std::byte* memory, CtaTime* times) {
#if TOMOGRAPH_HAS_CLUSTERS
  extern __shared__ std::byte own[];
  const std::uint32_t rank = cuda::cluster_rank();
  const std::uint32_t target = partner_of(partner, rank, cuda::cluster_size());
  const bool works = target != cuda::cluster_size();
  std::uint32_t sum = 0;
  std::uint64_t begin = 0;
  std::uint64_t begin_ns = 0;
  // The first round is a rehearsal, which fills the instruction caches.
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    cuda::cluster_barrier();
    begin_ns = cuda::device_nanoseconds();
    begin = cuda::sm_cycles();
    if (works) {
      const std::uint32_t repeats = round == 0 ? 1 : passes;
#pragma unroll 1
      for (std::uint32_t i = 0; i < repeats; ++i) {
        if constexpr (space == Space::cluster) {
          sum += pass<operation, space, width>(cuda::address_in(target, cuda::shared_address(own)));
        } else {
          sum += pass<operation, space, width>(memory + std::size_t{blockIdx.x - rank + target} * pass_bytes);
        }
      }
    }
    // Writes of others are done when the cluster meets.
    if constexpr (operation == Operation::load) __syncthreads();
    if constexpr (operation != Operation::load) cuda::cluster_barrier();
  }
  if (threadIdx.x == 0) {
    times[blockIdx.x] = {cuda::sm_cycles() - begin, begin_ns, cuda::device_nanoseconds(), cuda::sm_id(),
                         works ? 1U : 0U};
  }
  if (sum == 0x9e3779b9U) times[blockIdx.x].works = sum;
  cuda::cluster_barrier();
#endif
}

Grid grid_of(const Shape& shape, std::uint32_t threads) {
  return {shape.cluster * shape.clusters, threads, shared_bytes, shape.cluster, shape.stream};
}

using StreamKernel = void (*)(Partner, std::uint32_t, std::byte*, CtaTime*);

template <Space space>
StreamKernel stream_kernel(Operation operation, std::uint32_t width) {
  switch (operation) {
    case Operation::load:
      return width == 16 ? streaming<Operation::load, space, 16> : streaming<Operation::load, space, 4>;
    case Operation::store:
      return width == 16 ? streaming<Operation::store, space, 16> : streaming<Operation::store, space, 4>;
    default: return streaming<Operation::atomic, space, 4>;
  }
}

template <typename Kernel, typename... Arguments>
cudaError_t start(Kernel kernel, const Grid& grid, const Arguments&... arguments) {
  const cudaError_t error = cuda::prepare(kernel, grid.dynamic_shared);
  return error != cudaSuccess ? error : cuda::launch(kernel, grid, arguments...);
}

}  // namespace

cudaError_t resident(std::uint32_t cluster, int* clusters) {
  const cudaError_t error = cuda::prepare(look, shared_bytes);
  if (error != cudaSuccess) return error;
  return cuda::resident_clusters(look, {cluster, 32, shared_bytes, cluster, nullptr}, clusters);
}

cudaError_t look_around(const Shape& shape, std::uint64_t cycles, std::uint32_t* seen) {
  return start(look, grid_of(shape, 32), cycles, seen);
}

cudaError_t chase_pairs(const Shape& shape, std::uint32_t loads, std::uint32_t* cycles, std::uint32_t* sms) {
  return start(pairs, grid_of(shape, 32), loads, cycles, sms);
}

cudaError_t hand_over(const Shape& shape, Space space, std::uint32_t rounds, std::uint32_t* words, CtaTime* times) {
  const auto kernel = space == Space::cluster ? handing_over<Space::cluster> : handing_over<Space::global>;
  return start(kernel, grid_of(shape, 32), rounds, words, times);
}

cudaError_t stream(const Shape& shape, Operation operation, Partner partner, Space space, std::uint32_t width,
                   std::uint32_t passes, std::byte* memory, CtaTime* times) {
  const StreamKernel kernel = space == Space::cluster ? stream_kernel<Space::cluster>(operation, width)
                                                      : stream_kernel<Space::global>(operation, width);
  return start(kernel, grid_of(shape, stream_threads), partner, passes, memory, times);
}

}  // namespace tomograph::dsmem
