#include "running/device_turns.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace tomograph::host {

void DeviceTurns::wait_in_line(const std::string& probe, bool shares) {
  const std::lock_guard lock(mutex_);
  line_.push_back({probe, shares});
}

void DeviceTurns::await(const std::string& probe) {
  std::unique_lock lock(mutex_);
  if (place_of(probe) == line_.end()) line_.push_back({probe, false});
  changed_.wait(lock, [&] {
    const auto place = place_of(probe);
    return place == line_.cbegin() || std::all_of(line_.cbegin(), std::next(place), std::mem_fn(&Waiting::shares));
  });
}

void DeviceTurns::leave(const std::string& probe) {
  const std::lock_guard lock(mutex_);
  std::erase_if(line_, [&](const Waiting& waiting) { return waiting.probe == probe; });
  changed_.notify_all();
}

DeviceTurns::Place DeviceTurns::place_of(const std::string& probe) const {
  return std::ranges::find(line_, probe, &Waiting::probe);
}

}  // namespace tomograph::host
