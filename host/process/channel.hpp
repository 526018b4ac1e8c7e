#ifndef TOMOGRAPH_HOST_PROCESS_CHANNEL_HPP
#define TOMOGRAPH_HOST_PROCESS_CHANNEL_HPP

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace tomograph::host {

using Json = nlohmann::json;

/// The descriptor on which a worker finds its connection to the host: the first after the three standard ones.
inline constexpr int worker_connection = 3;

/// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { reset(); }

  [[nodiscard]] int get() const { return number_; }
  int release();
  void reset();

 private:
  int number_ = -1;
};

/// Messages between the host and a worker: frames of CBOR (RFC 8949), or of bytes as they are, over a stream socket,
/// each with a marker and its length, so that anything else that gets into the stream is noticed.
class Channel {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Status { message, bytes, timed_out, closed, garbage, interrupted };
  struct Reception {
    Status status = Status::closed;
    Json message;
    std::string reason;  ///< for garbage: what was wrong with it
    std::vector<std::uint8_t> bytes = {};
  };

  /// What else is to be read while waiting for a message: `read` is called when `descriptor` can be read.
  struct Aside {
    const Descriptor* descriptor;
    std::function<void()> read;
  };

  /// The connection belongs to the process that calls this: a process that is forked later cannot send.
  explicit Channel(Descriptor socket);

  /// [any thread] Whether the whole message was handed over; false if the other end is gone or does not read.
  [[nodiscard]] bool send(const Json& message);
  /// [any thread] The same for bytes of any meaning.
  [[nodiscard]] bool send_bytes(std::span<const std::uint8_t> bytes);
  /// Waits for the next message until `deadline` (none: for ever), or until `interruption` becomes readable
  /// (-1: no such descriptor).
  [[nodiscard]] Reception receive(std::optional<Clock::time_point> deadline = std::nullopt, int interruption = -1,
                                  const Aside& aside = {nullptr, {}});
  /// Tells the other end that nothing more will come.
  void close() { socket_.reset(); }

 private:
  /// The first whole frame received, if there is one.
  [[nodiscard]] std::optional<Reception> next_frame();
  [[nodiscard]] bool send_frame(std::uint32_t marker, std::span<const std::uint8_t> content);

  Descriptor socket_;
  pid_t owner_;
  std::mutex sending_;
  std::vector<std::uint8_t> received_;
};

/// The host's and the worker's end of one connection, neither inherited by children. The host's does not wait for
/// ever for a worker that does not read.
[[nodiscard]] std::pair<Descriptor, Descriptor> connected_sockets();

}  // namespace tomograph::host

#endif
