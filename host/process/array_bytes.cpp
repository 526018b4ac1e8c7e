#include "process/array_bytes.hpp"

#include <string>
#include <vector>

namespace tomograph::host {
namespace {

template <typename T>
std::vector<T> read_numbers(ByteReader& reader) {
  const auto count = reader.value<std::uint64_t>();
  if (count > UINT64_MAX / sizeof(T)) throw Damaged();
  const std::string_view bytes = reader.bytes(count * sizeof(T));
  std::vector<T> numbers(count);
  if (count > 0) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

}  // namespace

void write_arrays(const Arrays& arrays, ByteWriter& writer) {
  writer.value(static_cast<std::uint64_t>(arrays.size()));
  for (const ArrayView& array : arrays) {
    writer.text(array.name());
    writer.value(array.element());
    writer.value(static_cast<std::uint64_t>(array.size()));
    array.visit([&](auto numbers) {
      writer.bytes({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
    });
  }
}

Arrays read_arrays(ByteReader& reader) {
  Arrays arrays;
  for (auto left = reader.value<std::uint64_t>(); left > 0; --left) {
    const std::string name(reader.text());
    switch (reader.value<tomograph_element>()) {
      case TOMOGRAPH_I64: arrays.add({name.c_str(), read_numbers<std::int64_t>(reader)}); break;
      case TOMOGRAPH_U32: arrays.add({name.c_str(), read_numbers<std::uint32_t>(reader)}); break;
      case TOMOGRAPH_F64: arrays.add({name.c_str(), read_numbers<double>(reader)}); break;
      default: throw Damaged();
    }
  }
  return arrays;
}

}  // namespace tomograph::host
