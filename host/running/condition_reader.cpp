#include "running/condition_reader.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "process/messages.hpp"

namespace tomograph::host {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto interval = 100ms;
constexpr auto patience = 1s;

/// Reads once. A device that throws has told nothing.
ConditionSample read(const ConditionSource& source) {
  ConditionSample sample;
  sample.time = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
  try {
    source.read(source.device, &sample.reading);
  } catch (...) {
    sample.reading = unknown_reading();
  }
  return sample;
}

}  // namespace

struct ConditionReader::State {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_asked_to_stop = false;
  bool has_stopped = false;

  void run(const ConditionSource& source, Channel& channel) {
    std::unique_lock lock(mutex);
    for (auto next = Clock::now(); !is_asked_to_stop; next += interval) {
      lock.unlock();
      const bool is_heard =
          channel.send(to_json(WorkerMessage(ReadingBegins{}))) && channel.send(to_json(WorkerMessage(read(source))));
      lock.lock();
      if (!is_heard) break;
      changed.wait_until(lock, next + interval, [this] { return is_asked_to_stop; });
    }
    has_stopped = true;
    changed.notify_all();
  }
};

ConditionReader::ConditionReader(ConditionSource source, Channel& channel)
    : state_(std::make_shared<State>()), thread_([state = state_, source, &channel] { state->run(source, channel); }) {}

ConditionReader::~ConditionReader() { static_cast<void>(stop()); }

bool ConditionReader::stop() {
  if (!thread_.joinable()) return true;
  std::unique_lock lock(state_->mutex);
  state_->is_asked_to_stop = true;
  state_->changed.notify_all();
  const bool has_stopped = state_->changed.wait_for(lock, patience, [this] { return state_->has_stopped; });
  lock.unlock();
  if (has_stopped) {
    thread_.join();
  } else {
    thread_.detach();
  }
  return has_stopped;
}

}  // namespace tomograph::host
