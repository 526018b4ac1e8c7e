
#include "configuration/configuration.hpp"

#include "memory_file.hpp"
#include "reporting/input_error.hpp"

/// Whatever a configuration says, it is read or refused with the place of each problem.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  try {
    const auto configuration = tomograph::host::read_configuration(file.path());
    static_cast<void>(tomograph::host::check_configuration(configuration, {}));
  } catch (const tomograph::host::InputError& refused) {
    if (refused.problems().empty()) __builtin_trap();
  }
  return 0;
}
