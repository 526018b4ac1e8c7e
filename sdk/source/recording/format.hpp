#ifndef TOMOGRAPH_RECORDING_FORMAT_HPP
#define TOMOGRAPH_RECORDING_FORMAT_HPP

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "tomograph/recording/recording.hpp"

/// The format of recordings. README.md describes it.
namespace tomograph::recording {

static_assert(std::endian::native == std::endian::little, "recordings are little-endian");

inline constexpr std::string_view magic = "TOMOREC\n";
inline constexpr std::uint64_t format_version = 1;

/// The header between the magic and the payload.
struct Preamble {
  std::uint64_t version = format_version;
  std::uint64_t content_bytes = 0;  ///< of the payload when decompressed
  std::uint64_t payload_bytes = 0;  ///< that follow the preamble
  std::uint64_t checksum = 0;       ///< XXH3-64 of the payload, then content_bytes and payload_bytes
};
static_assert(sizeof(Preamble) == 32);
inline constexpr std::size_t payload_offset = magic.size() + sizeof(Preamble);

/// Longer parameters, such as the node lists of large rings, count for the identity of an experiment but are not
/// stored. They would be most of a recording, and only the hint about the nearest experiment would use them.
inline constexpr std::size_t most_stored_numbers = 64;

[[nodiscard]] inline bool is_stored(const ArrayView& parameter) { return parameter.size() <= most_stored_numbers; }

/// The code of an element type in a recording.
[[nodiscard]] constexpr std::uint8_t code_of(tomograph_element element) {
  return static_cast<std::uint8_t>(element - TOMOGRAPH_I64);
}

/// The kind of a record.
enum class Tag : std::uint8_t { array = 'A', experiment = 'E', end = 'Z' };

/// Appends to the content.
class Encoder {
 public:
  explicit Encoder(std::string& out) : out_(&out) {}

  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void value(const T& value) { out_->append(std::bit_cast<std::array<char, sizeof(T)>>(value).data(), sizeof(T)); }
  void text(std::string_view text) {
    value(static_cast<std::uint32_t>(text.size()));
    out_->append(text);
  }

 private:
  std::string* out_;
};

/// The content is truncated or malformed.
class Damaged : public std::runtime_error {
 public:
  Damaged() : std::runtime_error("is damaged") {}
};

/// Reads the content. The views that it returns point into the content.
class Decoder {
 public:
  explicit Decoder(std::string_view content) : rest_(content) {}

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
  /// The bytes between this position and a later one.
  [[nodiscard]] std::string_view until(const Decoder& later) const {
    return rest_.substr(0, rest_.size() - later.rest_.size());
  }

 private:
  std::string_view rest_;
};

/// Appends the numbers of `array` in the form that compresses best: byte plane by byte plane, of the values or, if
/// these mostly grow by the same step, of their differences.
void pack(const ArrayView& array, std::string& out);
/// Inverse of `pack`.
[[nodiscard]] Numbers unpack(Decoder& decoder);
/// Skips what `pack` wrote.
void skip_packed(Decoder& decoder);

/// Identifies the numbers of an array, whatever its name.
[[nodiscard]] ExperimentIdentity identity(const ArrayView& array);

}  // namespace tomograph::recording

#endif
