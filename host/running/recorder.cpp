#include "running/recorder.hpp"

#include <string>
#include <utility>

namespace tomograph::host {
namespace {

/// Experiments that may wait for the disk. A gigabyte fits the memory of any machine with a GPU.
constexpr std::size_t most_waiting_bytes = std::size_t{1} << 30;

}  // namespace

Recorder::~Recorder() {
  const std::lock_guard lock(mutex_);
  waiting_.clear();
}

void Recorder::begin(const std::filesystem::path& path, const RecordingHeader& header) {
  try {
    writer_.emplace(path, header);
    thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
  } catch (const RecordingError& error) {
    give_up(error);
  }
}

void Recorder::add(Exchanges exchanges) {
  if (given_up_) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_bytes_ < most_waiting_bytes; });
  waiting_bytes_ += exchanges.size_bytes();
  waiting_.push_back(std::move(exchanges));
  changed_.notify_all();
}

void Recorder::finish() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  if (given_up_) return;
  try {
    writer_->finish();
  } catch (const RecordingError& error) {
    give_up(error);
  }
}

void Recorder::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return !waiting_.empty(); })) {
    const Exchanges exchanges = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    try {
      const auto write = [&](const Experiment& experiment, const Answer& answer) { writer_->add(experiment, answer); };
      if (!given_up_) exchanges.for_each(write);
    } catch (const std::exception& error) {
      give_up(error);
    }
    lock.lock();
    waiting_bytes_ -= exchanges.size_bytes();
    changed_.notify_all();
  }
}

void Recorder::give_up(const std::exception& error) {
  report_(std::string("the recording is given up: ") + error.what());
  given_up_ = true;
}

}  // namespace tomograph::host
