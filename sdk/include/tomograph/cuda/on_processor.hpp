#ifndef TOMOGRAPH_CUDA_ON_PROCESSOR_HPP
#define TOMOGRAPH_CUDA_ON_PROCESSOR_HPP

#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tomograph::cuda {

/// Keeps this thread on one of the processors that it may use. They differ in speed, in how far they are from the GPU
/// and in what else they do. Where that cannot be had, the thread stays where it is.
class OnProcessor {
 public:
  explicit OnProcessor(std::int64_t number) {
    if (sched_getaffinity(0, sizeof(before_), &before_) != 0) return;
    std::vector<std::size_t> allowed;
    for (std::size_t i = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(i, &before_)) allowed.push_back(i);
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(allowed[static_cast<std::size_t>(number) % allowed.size()], &one);
    is_moved_ = sched_setaffinity(0, sizeof(one), &one) == 0;
  }
  OnProcessor(const OnProcessor&) = delete;
  OnProcessor& operator=(const OnProcessor&) = delete;
  ~OnProcessor() {
    if (is_moved_) static_cast<void>(sched_setaffinity(0, sizeof(before_), &before_));
  }

 private:
  cpu_set_t before_{};
  bool is_moved_ = false;
};

}  // namespace tomograph::cuda

#endif
