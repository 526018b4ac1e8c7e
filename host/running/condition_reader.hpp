#ifndef TOMOGRAPH_HOST_RUNNING_CONDITION_READER_HPP
#define TOMOGRAPH_HOST_RUNNING_CONDITION_READER_HPP

#include <memory>
#include <thread>

#include "process/channel.hpp"
#include "tomograph/abi/conditions.h"

namespace tomograph::host {

/// How the conditions of an open device are read (abi/conditions.h).
struct ConditionSource {
  void (*read)(void* device, tomograph_reading* reading) = nullptr;
  void* device = nullptr;
};

/// A thread that reads the conditions of a device ten times a second and sends them to the host. Each reading is
/// announced, so that the host knows what a process died of.
class ConditionReader {
 public:
  /// Starts the thread. `channel` must outlive the process's use of it.
  ConditionReader(ConditionSource source, Channel& channel);
  ~ConditionReader();
  ConditionReader(const ConditionReader&) = delete;
  ConditionReader& operator=(const ConditionReader&) = delete;

  /// Ends the thread. False if a reading does not return within a second: then the thread goes on, and what it uses
  /// must stay.
  [[nodiscard]] bool stop();

 private:
  struct State;

  std::shared_ptr<State> state_;  ///< which a thread that hangs keeps
  std::thread thread_;
};

}  // namespace tomograph::host

#endif
