#ifndef TOMOGRAPH_BENCH_MEASURING_PARALLEL_HPP
#define TOMOGRAPH_BENCH_MEASURING_PARALLEL_HPP

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tomograph::bench {

/// Calls `task` with 0 to count - 1, several at a time.
/// @throws what a task threw; then some calls may be missing.
template <typename Task>
void run_all(std::uint64_t count, unsigned jobs, const Task& task) {
  std::atomic<std::uint64_t> next = 0;
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (std::uint64_t i = next++; i < count; i = next++) task(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned job = 0; job < jobs; ++job) workers.emplace_back(work);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tomograph::bench

#endif
