#include "launch.cuh"

namespace tomograph::dsmem {

namespace {

/// Threads of a CTA. Chosen on an H200.
constexpr std::uint32_t stream_threads = 512;

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

/// Accesses `pass_bytes` from `base` on. A warp accesses consecutive addresses.
template <Operation operation, Space space, std::uint32_t width, typename Address>
__device__ __forceinline__ std::uint32_t pass(Address base) {
  constexpr std::uint32_t step = stream_threads * width;
  constexpr int ilp = 8;  // accesses in flight
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

/// The CTA whose memory this warp accesses, or the size of the cluster for none.
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
  // The first iteration warms up the instruction caches.
#pragma unroll 1
  for (int timed = 0; timed < 2; ++timed) {
    cuda::cluster_barrier();
    begin_ns = cuda::device_nanoseconds();
    begin = cuda::sm_cycles();
    if (works) {
      const std::uint32_t repeats = timed == 0 ? 1 : passes;
#pragma unroll 1
      for (std::uint32_t i = 0; i < repeats; ++i) {
        if constexpr (space == Space::cluster) {
          sum += pass<operation, space, width>(cuda::address_in(target, cuda::shared_address(own)));
        } else {
          sum += pass<operation, space, width>(memory + std::size_t{blockIdx.x - rank + target} * pass_bytes);
        }
      }
    }
    // Writes are done when all CTAs of the cluster have arrived.
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

using StreamKernel = void (*)(Partner, std::uint32_t, std::byte*, CtaTime*);

/// The kernel of an operation on elements of `width` bytes.
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

}  // namespace

cudaError_t stream(const Shape& shape, Operation operation, Partner partner, Space space, std::uint32_t width,
                   std::uint32_t passes, std::byte* memory, CtaTime* times) {
  const StreamKernel kernel = space == Space::cluster ? stream_kernel<Space::cluster>(operation, width)
                                                      : stream_kernel<Space::global>(operation, width);
  return cuda::prepare_and_launch(kernel, grid_of(shape, stream_threads), partner, passes, memory, times);
}

}  // namespace tomograph::dsmem
