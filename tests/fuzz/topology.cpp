#include "memory_file.hpp"
#include "tomograph/documents/input_error.hpp"
#include "topology/merge.hpp"
#include "topology/topology_file.hpp"

/// Whatever a topology says, it is read or refused; and one that is read is written so that it reads back the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace host = tomograph::host;
  const MemoryFile file(data, size);
  try {
    const host::Topology topology = host::read_topology(file.path());
    static_cast<void>(host::disagreements(topology));
    const std::string text = host::to_toml(topology);
    const MemoryFile again(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    if (host::to_toml(host::read_topology(again.path())) != text) __builtin_trap();
  } catch (const tomograph::InputError& refused) {
    if (refused.problems().empty()) __builtin_trap();
  }
  return 0;
}
