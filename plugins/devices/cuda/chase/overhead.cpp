#include "cuda/chase/overhead.hpp"

#include <boost/math/statistics/linear_regression.hpp>
#include <boost/math/statistics/univariate_statistics.hpp>
#include <cstdint>
#include <vector>

#include "cuda/chase/kernels.hpp"
#include "tomograph/cuda/error.hpp"
#include "tomograph/cuda/memory.hpp"

namespace tomograph::cuda {

namespace {

constexpr int warm_up = 3;

double intercept(const std::uint32_t* cycles) {
  std::vector<double> lengths;
  std::vector<double> medians;
  for (const int length : chain_lengths) {
    std::vector<double> sample(cycles + warm_up, cycles + chain_repetitions);
    lengths.push_back(length);
    medians.push_back(boost::math::statistics::median(sample));
    cycles += chain_repetitions;
  }
  return boost::math::statistics::simple_ordinary_least_squares(lengths, medians).first;
}

}  // namespace

Overhead measure_overhead() {
  constexpr std::size_t half = chain_lengths.size() * chain_repetitions;
  std::vector<std::uint32_t> cycles(2 * half);
  const std::size_t bytes = cycles.size() * sizeof(cycles.front());
  DeviceBuffer device_cycles;
  device_cycles.reserve(bytes);
  check(launch_time_timing(reinterpret_cast<std::uint32_t*>(device_cycles.data()), nullptr), "timing the timing");
  check(cudaMemcpy(cycles.data(), device_cycles.data(), bytes, cudaMemcpyDeviceToHost), "timing the timing");
  return {intercept(cycles.data()), intercept(cycles.data() + half)};
}

}  // namespace tomograph::cuda
