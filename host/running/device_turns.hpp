#ifndef TOMOGRAPH_HOST_RUNNING_DEVICE_TURNS_HPP
#define TOMOGRAPH_HOST_RUNNING_DEVICE_TURNS_HPP

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>

namespace tomograph::host {

/// Probes that run at the same time have a real device one after the other: each keeps it until it ends, and finds
/// caches and TLBs as its own experiments left them. Probes that share it have it together. If those of L2 and TLBs
/// did, runs would find parts of L2 cold, other pages in TLBs (an H200), and SMs whose groups run into each other (an
/// H100). All functions may be called on any thread.
class DeviceTurns {
 public:
  /// The probe has its turn after those that wait already, or with them if all share the device.
  void wait_in_line(const std::string& probe, bool shares);
  /// Returns when the probe has its turn. One that is not in line joins it, and does not share.
  void await(const std::string& probe);
  /// The probe does not want the device any more.
  void leave(const std::string& probe);

 private:
  struct Waiting {
    std::string probe;
    bool shares = false;
  };
  using Place = std::deque<Waiting>::const_iterator;

  [[nodiscard]] Place place_of(const std::string& probe) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> line_;
};

}  // namespace tomograph::host

#endif
