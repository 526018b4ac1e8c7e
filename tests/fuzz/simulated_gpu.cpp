#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sim/gpu/reader.hpp"

/// Whatever a description says, it is a GPU or refused.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    static_cast<void>(tomograph::sim::parse_gpu({reinterpret_cast<const char*>(data), size}, "gpu.toml"));
  } catch (const tomograph::sim::DescriptionError&) {
    return 0;
  }
  return 0;
}
