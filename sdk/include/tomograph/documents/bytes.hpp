#ifndef TOMOGRAPH_BYTES_HPP
#define TOMOGRAPH_BYTES_HPP

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace tomograph {

/// Appends values to bytes as they lie in memory.
class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(&out) {}

  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void value(const T& value) { out_->append(std::bit_cast<std::array<char, sizeof(T)>>(value).data(), sizeof(T)); }
  /// The length as a 32-bit number, then the characters.
  void text(std::string_view text) {
    value(static_cast<std::uint32_t>(text.size()));
    out_->append(text);
  }
  void bytes(std::string_view bytes) { out_->append(bytes); }

 private:
  std::string* out_;
};

/// Bytes end too early or make no sense.
class Damaged : public std::runtime_error {
 public:
  Damaged() : std::runtime_error("is damaged") {}
};

/// Reads what a ByteWriter wrote. Views that it returns point into the bytes. @throws Damaged where the bytes end.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  requires std::is_trivially_copyable_v<T> T value() {
    T result;
    std::memcpy(&result, bytes(sizeof(T)).data(), sizeof(T));
    return result;
  }
  std::string_view text() { return bytes(value<std::uint32_t>()); }
  std::string_view bytes(std::uint64_t count) {
    if (count > rest_.size()) throw Damaged();
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  /// The bytes between this position and a later one.
  [[nodiscard]] std::string_view until(const ByteReader& later) const {
    return rest_.substr(0, rest_.size() - later.rest_.size());
  }

 private:
  std::string_view rest_;
};

}  // namespace tomograph

#endif
