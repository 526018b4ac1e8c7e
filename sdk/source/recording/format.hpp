#ifndef TOMOGRAPH_RECORDING_FORMAT_HPP
#define TOMOGRAPH_RECORDING_FORMAT_HPP

#include <bit>
#include <cstdint>
#include <string_view>

#include "tomograph/documents/bytes.hpp"
#include "tomograph/recording.hpp"

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

/// Appends the numbers of `array` in the form that compresses best: bytes of equal weight together, of the values or,
/// where the values mostly grow by the same step, of the differences.
void pack(const ArrayView& array, std::string& out);
/// Inverse of `pack`.
[[nodiscard]] Numbers unpack(ByteReader& reader);
/// Passes over what `pack` wrote.
void skip_packed(ByteReader& reader);

/// Identifies the numbers of an array, whatever its name.
[[nodiscard]] ExperimentIdentity identity(const ArrayView& array);

}  // namespace tomograph::recording

#endif
