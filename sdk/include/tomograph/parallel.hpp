#ifndef TOMOGRAPH_PARALLEL_HPP
#define TOMOGRAPH_PARALLEL_HPP

#include <algorithm>
#include <cstddef>
#include <functional>
#include <future>
#include <thread>
#include <vector>

namespace tomograph {

/// Processors of this machine. The system takes as long to count them as to start a thread, so it is asked once.
inline std::size_t processors() {
  static const std::size_t count = std::max(std::thread::hardware_concurrency(), 1U);
  return count;
}

/// Calls `work(i)` for each i below `count`, on as many processors as have `share` calls each. Calls run in any order
/// and at the same time, so they must not write what another one reads or writes. Returns when all have ended.
/// @throws what a call threw. Others may not have been made then.
template <typename Work>
void in_parallel(std::size_t count, std::size_t share, const Work& work) {
  const std::size_t threads = std::clamp<std::size_t>(count / share, 1, processors());
  // One after the other in turn, since neighbours often take as long as each other.
  const auto part = [&](std::size_t first) {
    for (std::size_t i = first; i < count; i += threads) work(i);
  };
  std::vector<std::future<void>> others;
  for (std::size_t i = 1; i < threads; ++i) others.push_back(std::async(std::launch::async, std::cref(part), i));
  part(0);
  for (std::future<void>& other : others) other.get();
}

}  // namespace tomograph

#endif
