#ifndef TOMOGRAPH_BENCH_MDM_GPU_HPP
#define TOMOGRAPH_BENCH_MDM_GPU_HPP

#include <filesystem>
#include <string>

namespace tomograph::bench {

/// A page of predicted against measured cycles of the fifteen algorithms on one GPU, from the facts of its topology
/// alone. @throws InputError, Refused naming a fact that is missing.
[[nodiscard]] std::string gpu_page(const std::filesystem::path& topology);

}  // namespace tomograph::bench

#endif
