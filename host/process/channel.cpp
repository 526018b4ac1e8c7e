#include "process/channel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace tomograph::host {
namespace {

struct FrameHeader {
  std::uint32_t marker;
  std::uint32_t length;
};
constexpr std::uint32_t message_marker = 0x46474d54u;  // "TMGF"
constexpr std::uint32_t bytes_marker = 0x42474d54u;    // "TMGB"
/// A worker that announces more is broken: the largest recorded batch has 16 MiB (host_interface.cpp).
constexpr std::uint32_t longest_frame = 1u << 28;

bool send_all(int socket, std::span<const std::uint8_t> data) {
  while (!data.empty()) {
    const ssize_t sent = ::send(socket, data.data(), data.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    data = data.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

int milliseconds_until(std::optional<Channel::Clock::time_point> deadline) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Channel::Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30));
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    number_ = other.release();
  }
  return *this;
}
int Descriptor::release() { return std::exchange(number_, -1); }
void Descriptor::reset() {
  if (number_ >= 0) ::close(release());
}

std::pair<Descriptor, Descriptor> connected_sockets() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot create a connection to a worker");
  }
  const timeval patience{10, 0};  // seconds after which a worker that does not read is given up
  ::setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Channel::Channel(Descriptor socket) : socket_(std::move(socket)), owner_(::getpid()) {}

bool Channel::send(const Json& message) { return send_frame(message_marker, Json::to_cbor(message)); }
bool Channel::send_bytes(std::string_view bytes) {
  return send_frame(bytes_marker, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

bool Channel::send_frame(std::uint32_t marker, std::span<const std::uint8_t> content) {
  if (::getpid() != owner_ || content.size() > longest_frame) return false;
  const FrameHeader header{marker, static_cast<std::uint32_t>(content.size())};
  std::array<std::uint8_t, sizeof header> first{};
  std::memcpy(first.data(), &header, sizeof header);
  const std::lock_guard lock(sending_);
  return send_all(socket_.get(), first) && send_all(socket_.get(), content);
}

std::optional<Channel::Received> Channel::next_frame() {
  if (received_.size() < sizeof(FrameHeader)) return std::nullopt;
  FrameHeader header{};
  std::memcpy(&header, received_.data(), sizeof header);
  if (header.marker != message_marker && header.marker != bytes_marker)
    return Received{Status::garbage, {}, "something that is no message"};
  if (header.length > longest_frame) {
    return Received{Status::garbage, {}, "a message of " + std::to_string(header.length) + " bytes"};
  }
  const std::size_t end = sizeof header + header.length;
  if (received_.size() < end) return std::nullopt;
  const auto begin = received_.begin() + sizeof header;
  const auto frame_end = received_.begin() + static_cast<std::ptrdiff_t>(end);
  if (header.marker == bytes_marker) {
    std::string bytes(begin, frame_end);
    received_.erase(received_.begin(), frame_end);
    return Received{Status::bytes, {}, {}, std::move(bytes)};
  }
  Json message = Json::from_cbor(begin, frame_end, true, false);
  received_.erase(received_.begin(), frame_end);
  if (!message.is_object()) return Received{Status::garbage, {}, "a message that cannot be decoded"};
  return Received{Status::message, std::move(message), {}};
}

Channel::Received Channel::receive(std::optional<Clock::time_point> deadline, int interruption,
                                   const OtherSource& source) {
  while (true) {
    if (auto reception = next_frame()) return std::move(*reception);
    const int other = source.descriptor == nullptr ? -1 : source.descriptor->get();
    std::array<pollfd, 3> watched{{{socket_.get(), POLLIN, 0}, {interruption, POLLIN, 0}, {other, POLLIN, 0}}};
    const int ready = ::poll(watched.data(), watched.size(), milliseconds_until(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return {Status::timed_out, {}, {}};
    if (watched[1].revents != 0) return {Status::interrupted, {}, {}};
    if (watched[2].revents != 0) source.read();
    if (watched[0].revents == 0) {
      if (deadline && Clock::now() >= *deadline) return {Status::timed_out, {}, {}};
      continue;
    }
    std::array<std::uint8_t, 65536> block{};
    const ssize_t size = ::recv(socket_.get(), block.data(), block.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return {Status::closed, {}, {}};
    received_.insert(received_.end(), block.begin(), block.begin() + size);
  }
}

}  // namespace tomograph::host
