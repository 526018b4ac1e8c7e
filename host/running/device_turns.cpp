#include "running/device_turns.hpp"

#include <algorithm>

namespace tomograph::host {

void DeviceTurns::wait_in_line(const std::string& probe) {
  const std::lock_guard lock(mutex_);
  line_.push_back(probe);
}

void DeviceTurns::await(const std::string& probe) {
  std::unique_lock lock(mutex_);
  if (std::ranges::find(line_, probe) == line_.end()) line_.push_back(probe);
  changed_.wait(lock, [&] { return line_.front() == probe; });
}

void DeviceTurns::leave(const std::string& probe) {
  const std::lock_guard lock(mutex_);
  std::erase(line_, probe);
  changed_.notify_all();
}

}  // namespace tomograph::host
