#ifndef TOMOGRAPH_HOST_RUNNING_DEVICE_TURNS_HPP
#define TOMOGRAPH_HOST_RUNNING_DEVICE_TURNS_HPP

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>

namespace tomograph::host {

/// Probes that run at the same time have a real device one after the other: each keeps it until it ends, and finds
/// caches and TLBs as its own experiments left them. With experiments of others between them, runs of an H200 took 0.8
/// s less, but found parts of L2 cold and other pages in TLBs. All functions may be called on any thread.
class DeviceTurns {
 public:
  /// The probe has its turn after those that wait already.
  void wait_in_line(const std::string& probe);
  /// Returns when the probe has its turn. One that is not in line joins it.
  void await(const std::string& probe);
  /// The probe does not want the device any more.
  void leave(const std::string& probe);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> line_;
};

}  // namespace tomograph::host

#endif
