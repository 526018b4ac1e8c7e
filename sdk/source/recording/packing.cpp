#include <algorithm>
#include <vector>

#include "format.hpp"

namespace tomograph::recording {

namespace {

enum class Packing : std::uint8_t { values = 0, differences = 1 };

/// The unsigned integer with the bits of a T.
template <typename T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

struct ArrayHeader {
  std::uint8_t element = 0;  ///< as code_of says
  Packing packing = Packing::values;
  std::uint64_t count = 0;
};

void encode(const ArrayHeader& header, ByteWriter& writer) {
  writer.value(header.element);
  writer.value(header.packing);
  writer.value(header.count);
}

ArrayHeader decode_header(ByteReader& reader) {
  ArrayHeader header;
  header.element = reader.value<std::uint8_t>();
  header.packing = reader.value<Packing>();
  header.count = reader.value<std::uint64_t>();
  constexpr std::uint64_t most = std::uint64_t{1} << 48;  // keeps products with the element's size in range
  if (header.element > code_of(TOMOGRAPH_F64) || header.packing > Packing::differences || header.count > most) {
    throw Damaged();
  }
  return header;
}

template <typename T>
std::vector<T> differences(const std::vector<T>& values) {
  std::vector<T> result(values.size());
  T previous = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    result[i] = static_cast<T>(values[i] - previous);
    previous = values[i];
  }
  return result;
}

/// Whether most differences equal the one before, as with node numbers and evenly spaced offsets.
template <typename T>
bool is_regular(const std::vector<T>& differences) {
  std::size_t repeated = 0;
  for (std::size_t i = 1; i < differences.size(); ++i) repeated += differences[i] == differences[i - 1] ? 1 : 0;
  return repeated > differences.size() / 2;
}

template <typename T>
void append_planes(const std::vector<T>& values, std::string& out) {
  for (std::size_t shift = 0; shift < 8 * sizeof(T); shift += 8) {
    for (const T value : values) out.push_back(static_cast<char>((value >> shift) & 0xff));
  }
}

/// Value number i of the planes.
template <typename T>
T from_planes(std::string_view planes, std::size_t count, std::size_t i) {
  T value = 0;
  for (std::size_t plane = 0; plane < sizeof(T); ++plane) {
    const T byte = static_cast<unsigned char>(planes[plane * count + i]);
    value |= static_cast<T>(byte << (8 * plane));
  }
  return value;
}

template <typename T>
std::vector<T> unpack_as(ByteReader& reader, const ArrayHeader& header) {
  const std::string_view planes = reader.bytes(header.count * sizeof(T));
  std::vector<T> values(header.count);
  Bits<T> sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto bits = from_planes<Bits<T>>(planes, values.size(), i);
    sum = header.packing == Packing::differences ? static_cast<Bits<T>>(sum + bits) : bits;
    values[i] = std::bit_cast<T>(sum);
  }
  return values;
}

}  // namespace

void pack(const ArrayView& array, std::string& out) {
  ByteWriter writer(out);
  array.visit([&]<typename T>(std::span<const T> values) {
    std::vector<Bits<T>> bits(values.size());
    std::ranges::transform(values, bits.begin(), [](T value) { return std::bit_cast<Bits<T>>(value); });
    std::vector<Bits<T>> steps = differences(bits);
    const bool regular = is_regular(steps);
    encode({code_of(array.element()), regular ? Packing::differences : Packing::values, values.size()}, writer);
    append_planes(regular ? steps : bits, out);
  });
}

Numbers unpack(ByteReader& reader) {
  const ArrayHeader header = decode_header(reader);
  switch (header.element) {
    case 0: return unpack_as<std::int64_t>(reader, header);
    case 1: return unpack_as<std::uint32_t>(reader, header);
    default: return unpack_as<double>(reader, header);
  }
}

void skip_packed(ByteReader& reader) {
  const ArrayHeader header = decode_header(reader);
  reader.bytes(header.count * (header.element == 1 ? sizeof(std::uint32_t) : sizeof(std::int64_t)));
}

}  // namespace tomograph::recording
