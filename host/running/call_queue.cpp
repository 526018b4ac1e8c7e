#include "running/call_queue.hpp"

#include <future>
#include <utility>

namespace tomograph::host {

void CallQueue::add(Call call) {
  const std::lock_guard lock(mutex_);
  calls_.push_back(std::move(call));
  added_.notify_one();
}

void CallQueue::make(const Call& call) {
  if (is_served_here()) return call();
  std::packaged_task<void()> task(call);
  std::future<void> made = task.get_future();
  add([&task] { task(); });
  made.get();
}

bool CallQueue::is_served_here() {
  const std::lock_guard lock(mutex_);
  return server_ == std::this_thread::get_id();
}

CallQueue::Call CallQueue::next() {
  std::unique_lock lock(mutex_);
  added_.wait(lock, [this] { return !calls_.empty(); });
  Call call = std::move(calls_.front());
  calls_.pop_front();
  return call;
}

void CallQueue::serve() {
  {
    const std::lock_guard lock(mutex_);
    server_ = std::this_thread::get_id();
  }
  while (!has_ended_) next()();
}

}  // namespace tomograph::host
