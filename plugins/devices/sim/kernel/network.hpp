#ifndef TOMOGRAPH_SIM_KERNEL_NETWORK_HPP
#define TOMOGRAPH_SIM_KERNEL_NETWORK_HPP

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/gpu/description.hpp"
#include "sim/kernel/divisor.hpp"
#include "sim/kernel/time.hpp"

namespace tomograph::sim::timed {

/// An access of an SM to one line of the L2.
struct Request {
  /// A partial write leaves a part of its sectors as it was.
  enum class Kind : std::uint64_t { read, write, partial_write, atomic };
  static constexpr std::uint64_t highest_line = (std::uint64_t{1} << 62) - 1;
  std::uint64_t line : 62 = 0;  ///< address of the line
  Kind kind : 2 = Kind::read;
  std::uint32_t sectors = 0;  ///< mask
  std::uint16_t sm = 0;
  std::uint16_t miss = 0;  ///< number of the SM's miss that waits for it

  [[nodiscard]] bool brings_data() const { return kind == Kind::read || kind == Kind::atomic; }
};

/// A request or its reply, and when it arrives.
struct Message {
  Cycle when = 0;
  Request request;
};

/// Messages on their way to one SM or slice.
using Inbox = std::vector<Message>;

/// Sorts messages by the cycle of their arrival.
class Sorter {
 public:
  /// Takes those that arrive in the `cycles` before `until`; none arrives earlier. They come by time, at the same time
  /// in their order in the inbox, and are valid until the next call.
  [[nodiscard]] std::span<const Message> take(Inbox& inbox, Cycle until, std::size_t cycles);

 private:
  /// Messages of a cycle: a chain of places in the inbox.
  struct Chain {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  std::vector<Message> sorted_;
  std::vector<Chain> chains_;        ///< by cycle; valid where a message arrives
  std::vector<std::uint64_t> busy_;  ///< a bit for each cycle in which a message arrives
  std::vector<std::uint32_t> next_;  ///< of the chain
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
    to_slices_[slice(request.line)].push_back({when + ways_.to_slice, request});
  }
  /// A reply has passed its slice's port.
  void send_reply(Cycle when, const Request& request) {
    to_sms_[request.sm].push_back({when + ways_.from_slice, request});
  }
  /// Those that arrive until then, a turn after the last call.
  [[nodiscard]] std::span<const Message> at_slice(std::size_t slice, Cycle until) {
    return sorter_.take(to_slices_[slice], until, static_cast<std::size_t>(turn()));
  }
  [[nodiscard]] std::span<const Message> at_sm(std::size_t sm, Cycle until) {
    return sorter_.take(to_sms_[sm], until, static_cast<std::size_t>(turn()));
  }
  [[nodiscard]] bool is_idle() const {
    return std::ranges::all_of(to_slices_, &Inbox::empty) && std::ranges::all_of(to_sms_, &Inbox::empty);
  }
  /// Cycles that a message takes there and back.
  [[nodiscard]] Cycle turn() const { return ways_.to_slice + ways_.from_slice; }
  /// The slice that serves an address.
  [[nodiscard]] std::uint32_t slice(std::uint64_t address) const { return slice_of(address, interleave_, slices_); }
  [[nodiscard]] const Ways& ways() const { return ways_; }

 private:
  Ways ways_;
  Divisor interleave_;
  Divisor slices_;
  std::vector<Inbox> to_slices_;
  std::vector<Inbox> to_sms_;
  Sorter sorter_;  ///< one for all, so that it stays in the processor's cache
};

}  // namespace tomograph::sim::timed

#endif
