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

/// A connection between the host and a worker. It carries frames over a stream socket: JSON values encoded as CBOR
/// (RFC 8949), or plain bytes. Each frame starts with a marker and its length, so that foreign data is detected.
class Channel {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Status { message, bytes, timed_out, closed, garbage, interrupted };
  struct Received {
    Status status = Status::closed;
    Json message;
    std::string reason;  ///< for garbage: what was wrong with it
    std::string bytes = {};
  };

  /// Another source to read while waiting for a message: `read` is called when `descriptor` is readable.
  struct OtherSource {
    const Descriptor* descriptor;
    std::function<void()> read;
  };

  /// Only the process that calls this can send; a process that is forked later cannot.
  explicit Channel(Descriptor socket);

  /// [any thread] Sends a message. Returns false if the other end is gone or does not read.
  [[nodiscard]] bool send(const Json& message);
  /// [any thread] Sends plain bytes, as `send` does.
  [[nodiscard]] bool send_bytes(std::string_view bytes);
  /// Waits for the next message until `deadline` (none: forever) or until the descriptor `interruption` becomes
  /// readable (-1: there is none).
  [[nodiscard]] Received receive(std::optional<Clock::time_point> deadline = std::nullopt, int interruption = -1,
                                 const OtherSource& source = {nullptr, {}});
  /// Closes the connection.
  void close() { socket_.reset(); }

 private:
  /// Takes the first complete frame that was received, if there is one.
  [[nodiscard]] std::optional<Received> next_frame();
  [[nodiscard]] bool send_frame(std::uint32_t marker, std::span<const std::uint8_t> content);

  Descriptor socket_;
  pid_t owner_;
  std::mutex sending_;
  std::vector<std::uint8_t> received_;
};

/// The host's and the worker's end of one connection. Child processes inherit neither. Sending from the host's end
/// fails after a while if the worker does not read.
[[nodiscard]] std::pair<Descriptor, Descriptor> connected_sockets();

}  // namespace tomograph::host

#endif
