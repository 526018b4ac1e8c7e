#ifndef TOMOGRAPH_RECORDING_FORMAT_HPP
#define TOMOGRAPH_RECORDING_FORMAT_HPP

#include <bit>
#include <cstdint>
#include <string_view>

#include "tomograph/documents/bytes.hpp"
#include "tomograph/recording/recording.hpp"

/// The bytes of a recording; README.md describes them.
namespace tomograph::recording {

static_assert(std::endian::native == std::endian::little, "recordings are little-endian");

inline constexpr std::string_view magic = "TOMOREC\n";
inline constexpr std::uint64_t format_version = 1;

/// What stands between the magic and the payload.
struct Preamble {
  std::uint64_t version = format_version;
  std::uint64_t content_bytes = 0;  ///< of the payload when decompressed
  std::uint64_t payload_bytes = 0;  ///< that follow the preamble
  std::uint64_t checksum = 0;       ///< XXH3-64 of the payload, then content_bytes and payload_bytes
};
static_assert(sizeof(Preamble) == 32);
inline constexpr std::size_t payload_offset = magic.size() + sizeof(Preamble);

/// Parameters longer than this, such as the node lists of large rings, take part in an experiment's identity but are
/// not stored: they would be most of a recording, and only a hint about the nearest experiment could use them.
inline constexpr std::size_t most_stored_numbers = 64;

[[nodiscard]] inline bool is_stored(const ArrayView& parameter) { return parameter.size() <= most_stored_numbers; }

/// How a recording says of which type numbers are.
[[nodiscard]] constexpr std::uint8_t code_of(tomograph_element element) {
  return static_cast<std::uint8_t>(element - TOMOGRAPH_I64);
}

/// What a record of the content is.
enum class Tag : std::uint8_t { array = 'A', experiment = 'E', end = 'Z' };

/// Appends the numbers of `array` in the form that compresses best: bytes of equal weight together, of the values or,
/// where the values mostly grow by the same step, of the differences.
void pack(const ArrayView& array, std::string& out);
/// Inverse of `pack`.
[[nodiscard]] Numbers unpack(ByteReader& reader);
/// Passes over what `pack` wrote.
void skip_packed(ByteReader& reader);

/// What identifies the numbers of an array, whatever the array is called.
[[nodiscard]] ExperimentIdentity identity(const ArrayView& array);

}  // namespace tomograph::recording

#endif
