#ifndef TOMOGRAPH_WORKLOADS_DEVICE_CUH
#define TOMOGRAPH_WORKLOADS_DEVICE_CUH

#include "bodies/arena.hpp"

namespace tomograph::workloads {

/// The machine that executes a body on the device, one lane at a time. It has the members of HostMachine in
/// bodies/lanes.hpp.
class DeviceMachine {
 public:
  using Int = std::int32_t;
  using Float = float;
  using Bool = bool;

  explicit __device__ DeviceMachine(std::byte* memory) : memory_(memory) {}

  static __device__ Int thread() { return static_cast<Int>(blockIdx.x * blockDim.x + threadIdx.x); }
  static __device__ Float to_float(Int x) { return static_cast<Float>(x); }
  static __device__ Float fma(Float a, Float b, Float c) { return fmaf(a, b, c); }
  // The instructions of the trace, where CUDA's functions would also scale arguments that are very small or large.
  static __device__ Float sqrt(Float a) {
    Float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(a));
    return root;
  }
  static __device__ Float exp(Float a) {
    constexpr float log2_e = 1.4426950408889634F;  // 1 / ln 2
    Float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(a * log2_e));
    return power;
  }
  static __device__ Float divide(Float a, Float b) {
    Float reciprocal;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(b));
    return a * reciprocal;
  }
  template <typename T>
  static __device__ T select(Bool condition, T a, T b) {
    return condition ? a : b;
  }
  static __device__ Int min(Int a, Int b) { return a < b ? a : b; }
  static __device__ Int max(Int a, Int b) { return a < b ? b : a; }

  template <typename T>
  __device__ T load(const Array<T>& array, Int index) const {
    return at(array)[index];
  }
  template <typename T>
  __device__ void store(const Array<T>& array, Int index, T value) const {
    at(array)[index] = value;
  }
  __device__ void atomic_add(const Array<std::int32_t>& array, Int index, Int value) const {
    atomicAdd(at(array) + index, value);
  }

  template <typename Then>
  __device__ void when(Bool condition, Then then) const {
    if (condition) then();
  }
  template <typename Condition, typename Body>
  __device__ void loop_while(Condition condition, Body body) const {
#pragma unroll 1  // as in the trace, where an iteration ends before the next one loads
    while (condition()) body();
  }

 private:
  template <typename T>
  __device__ T* at(const Array<T>& array) const {
    return reinterpret_cast<T*>(memory_ + array.offset);
  }

  std::byte* memory_;
};

}  // namespace tomograph::workloads

#endif
