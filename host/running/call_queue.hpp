#ifndef TOMOGRAPH_HOST_RUNNING_CALL_QUEUE_HPP
#define TOMOGRAPH_HOST_RUNNING_CALL_QUEUE_HPP

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace tomograph::host {

/// Calls that one thread makes, in the order in which they were asked for. A plugin belongs to one thread
/// (abi/version.h), so whoever wants something of it adds a call to that thread's queue.
class CallQueue {
 public:
  using Call = std::function<void()>;

  CallQueue() = default;
  CallQueue(const CallQueue&) = delete;
  CallQueue& operator=(const CallQueue&) = delete;

  /// [any thread] Adds a call, which must not throw, and does not wait for it.
  void add(Call call);
  /// [any thread] Lets the queue's thread make a call and waits until it has returned. On that thread itself, the call
  /// is made at once. @throws what the call throws
  void make(const Call& call);
  /// Makes calls on this thread until one of them has called end().
  void serve();
  /// Called by one of the calls: serve() returns after it.
  void end() { has_ended_ = true; }

 private:
  [[nodiscard]] bool is_served_here();
  [[nodiscard]] Call next();

  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<Call> calls_;
  std::thread::id server_;
  bool has_ended_ = false;
};

}  // namespace tomograph::host

#endif
