#ifndef TOMOGRAPH_SIM_KERNEL_NETWORK_HPP
#define TOMOGRAPH_SIM_KERNEL_NETWORK_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "sim/gpu/description.hpp"
#include "sim/kernel/divisor.hpp"
#include "sim/kernel/time.hpp"

namespace tomograph::sim::timed {

/// An access of an SM to one line of the L2.
struct Request {
  enum class Kind : std::uint64_t { read, write, atomic };
  std::uint64_t line : 62 = 0;  ///< address of the line
  Kind kind : 2 = Kind::read;
  std::uint32_t sectors = 0;  ///< mask
  std::uint16_t sm = 0;
  std::uint16_t miss = 0;  ///< number of the SM's miss that waits for it
};

/// A request or its reply, and when it arrives.
struct Message {
  Cycle when = 0;
  Request request;
};

/// Messages on their way to one SM or slice.
class Inbox {
 public:
  void put(const Message& message) { on_their_way_.push_back(message); }
  [[nodiscard]] bool empty() const { return on_their_way_.empty(); }
  /// Takes those that arrive from the end of the last call until `until`, by time; at the same time in the order of
  /// `put`. They are valid until the next call.
  [[nodiscard]] std::span<const Message> take(Cycle until);

 private:
  /// Messages of a cycle: a chain of their places among those on their way.
  struct Chain {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  Cycle from_ = 0;
  std::vector<Message> on_their_way_;
  std::vector<Message> later_;  ///< kept for its memory, like all that follow
  std::vector<Message> sorted_;
  std::vector<Chain> cycles_;            ///< valid where a message arrives
  std::vector<std::uint64_t> arrivals_;  ///< a bit for each cycle in which a message arrives
  std::vector<std::uint32_t> next_;      ///< of the chain
};

/// The slice that serves an address: chunks of `interleave` bytes go round the slices, each round in another order, so
/// that no stride of powers of two prefers a slice.
[[nodiscard]] std::uint32_t slice_of(std::uint64_t address, const Divisor& interleave, const Divisor& slices);

/// Carries messages between the ports of SMs and slices.
class Network {
 public:
  Network(const Gpu& gpu, std::size_t sms);

  /// A request has passed its SM's port.
  void send_request(Cycle when, const Request& request) {
    to_slices_[slice(request.line)].put({when + ways_.to_slice, request});
  }
  /// A reply has passed its slice's port.
  void send_reply(Cycle when, const Request& request) { to_sms_[request.sm].put({when + ways_.from_slice, request}); }
  [[nodiscard]] Inbox& to_slice(std::size_t slice) { return to_slices_[slice]; }
  [[nodiscard]] Inbox& to_sm(std::size_t sm) { return to_sms_[sm]; }
  /// The slice that serves an address.
  [[nodiscard]] std::uint32_t slice(std::uint64_t address) const { return slice_of(address, interleave_, slices_); }
  [[nodiscard]] const Ways& ways() const { return ways_; }

 private:
  Ways ways_;
  Divisor interleave_;
  Divisor slices_;
  std::vector<Inbox> to_slices_;
  std::vector<Inbox> to_sms_;
};

}  // namespace tomograph::sim::timed

#endif
