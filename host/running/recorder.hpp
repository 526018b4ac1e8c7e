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
#include "tomograph/recording.hpp"

namespace tomograph::host {

/// Writes the recording of a run in its own thread, since compressing takes longer than measuring. If the disk fails,
/// the recording ends and the run goes on.
class Recorder {
 public:
  /// `report` gets the reason, from any thread, if the recording is given up.
  explicit Recorder(std::function<void(const std::string&)> report) : report_(std::move(report)) {}
  /// Without `finish`, the recording is removed.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void begin(const std::filesystem::path& path, const RecordingHeader& header);
  /// Queues what a worker sent. Waits only if a gigabyte is queued.
  void add(Exchanges exchanges);
  /// Writes all that is queued and moves the recording to its place.
  void finish();
  [[nodiscard]] bool is_complete() const { return !given_up_; }

 private:
  void work(const std::stop_token& stop);
  void give_up(const std::exception& error);

  std::function<void(const std::string&)> report_;
  std::atomic<bool> given_up_ = false;
  std::optional<RecordingWriter> writer_;  ///< used by the thread alone while it runs
  std::mutex mutex_;                       ///< protects the queue
  std::condition_variable_any changed_;
  std::deque<Exchanges> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::jthread thread_;
};

}  // namespace tomograph::host

#endif
