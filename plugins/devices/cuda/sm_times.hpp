#ifndef TOMOGRAPH_CUDA_SM_TIMES_HPP
#define TOMOGRAPH_CUDA_SM_TIMES_HPP

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

namespace tomograph::cuda {

/// Sets `cycles`, `elapsed_ns` and `clock_hz` of a result from the times at which the CTAs of each SM ran. Begins are
/// complements, as in KernelTimes and StreamTimes.
template <typename Result, typename Times>
void set_times(Result& result, std::span<const Times> sms) {
  std::uint64_t begin = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t end = 0;
  double all_cycles = 0;
  double all_ns = 0;
  for (const Times& one : sms) {
    const auto cycles = static_cast<double>(one.end_clock - ~one.begin_clock_complement);
    result.cycles.push_back(cycles);
    all_cycles += cycles;
    all_ns += static_cast<double>(one.end_ns - ~one.begin_ns_complement);
    begin = std::min(begin, ~one.begin_ns_complement);
    end = std::max(end, one.end_ns);
  }
  result.elapsed_ns = static_cast<double>(end - begin);
  result.clock_hz = all_ns > 0 ? all_cycles / all_ns * 1e9 : 0;
}

}  // namespace tomograph::cuda

#endif
