#ifndef TOMOGRAPH_HOST_RUNNING_RECORDER_HPP
#define TOMOGRAPH_HOST_RUNNING_RECORDER_HPP

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "process/exchanges.hpp"
#include "tomograph/recording/recording.hpp"

namespace tomograph::host {

/// Writes the recording of a run while the run goes on: compressing takes longer than measuring, so it has a thread of
/// its own. A disk that refuses ends the recording, not the run.
class Recorder {
 public:
  /// `report` gets the reason, from any thread, if the recording is given up.
  explicit Recorder(std::function<void(const std::string&)> report) : report_(std::move(report)) {}
  /// Without `finish`, nothing is left of the recording.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void begin(const std::filesystem::path& path, const RecordingHeader& header);
  /// Hands over what a worker sent. Waits only where the thread is a gigabyte behind.
  void add(Exchanges exchanges);
  /// Writes what was handed over to its end and puts the recording in its place.
  void finish();
  [[nodiscard]] bool is_complete() const { return !given_up_; }

 private:
  void work(const std::stop_token& stop);
  void give_up(const std::exception& error);

  std::function<void(const std::string&)> report_;
  std::atomic<bool> given_up_ = false;
  std::optional<RecordingWriter> writer_;  ///< the thread's, while there is one
  std::mutex mutex_;                       ///< for what is waiting
  std::condition_variable_any changed_;
  std::deque<Exchanges> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::jthread thread_;
};

}  // namespace tomograph::host

#endif
