#ifndef TOMOGRAPH_CUDA_CHASE_CONSTANT_BANK_CUH
#define TOMOGRAPH_CUDA_CHASE_CONSTANT_BANK_CUH

#include "cuda/chase/chase_kernel.cuh"
#include "cuda/chase/kernels.hpp"

/// The bank of constant memory of the module that includes this file.
namespace tomograph::cuda {

namespace {

ConstantBank this_bank() {
  ConstantBank bank;
  bank.memory = [](Address& start) {
    void* symbol = nullptr;
    const cudaError_t error = cudaGetSymbolAddress(&symbol, constants);
    start = reinterpret_cast<Address>(symbol);
    return error;
  };
  bank.prepare = [](std::uint32_t dynamic_shared) {
    const auto kernel = chase<Paths::constant>;
    const cudaError_t error =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(dynamic_shared));
    if (error != cudaSuccess) return error;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared);
  };
  bank.launch = [](const Wave& wave, const Shape& shape, cudaStream_t stream) {
    chase<Paths::constant><<<shape.ctas, shape.threads, shape.dynamic_shared, stream>>>(wave);
    return cudaGetLastError();
  };
  return bank;
}

}  // namespace

}  // namespace tomograph::cuda

#endif
