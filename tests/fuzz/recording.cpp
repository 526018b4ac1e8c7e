#include "tomograph/recording.hpp"

#include <xxhash.h>
#include <zstd.h>

#include <cstring>
#include <string>

#include "memory_file.hpp"

namespace {

/// A recording with this content whose checksum is right, so that what lies behind the checksum is reached.
std::string recording_of(const std::uint8_t* content, std::size_t size) {
  std::string payload(ZSTD_compressBound(size), '\0');
  payload.resize(ZSTD_compress(payload.data(), payload.size(), content, size, 1));
  const std::uint64_t sizes[] = {size, payload.size()};
  XXH3_state_t* state = XXH3_createState();
  XXH3_64bits_reset(state);
  XXH3_64bits_update(state, payload.data(), payload.size());
  XXH3_64bits_update(state, sizes, sizeof sizes);
  const std::uint64_t preamble[] = {1, sizes[0], sizes[1], XXH3_64bits_digest(state)};
  XXH3_freeState(state);
  std::string file = "TOMOREC\n";
  file.append(reinterpret_cast<const char*>(preamble), sizeof preamble);
  return file + payload;
}

void read(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  try {
    const tomograph::Recording recording = tomograph::Recording::read(file.path());
    const tomograph::Experiment asked{"x/1", {{"a", std::vector<std::int64_t>{1}}}};
    static_cast<void>(recording.find(asked));
    static_cast<void>(recording.nearest(asked));
  } catch (const tomograph::RecordingError& refused) {
    if (std::strlen(refused.what()) == 0) __builtin_trap();
  }
}

}  // namespace

/// Whatever a file holds, it is a recording or refused; so is whatever an intact payload holds.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read(data, size);
  const std::string wrapped = recording_of(data, size);
  read(reinterpret_cast<const std::uint8_t*>(wrapped.data()), wrapped.size());
  return 0;
}
