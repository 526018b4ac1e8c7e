#include "tomograph/tlb/memory.hpp"

namespace tomograph::tlb {

void give_memory_back(const Session& session) {
  chase::Program little;
  little.arrays = {{chase::array_alignment}};
  little.rings = {{.nodes = {0}}};
  little.actors = {{.sm = 0, .path = chase::Path::global_cg}};
  little.phases = {{.loads = 1}};
  try {
    static_cast<void>(session.ask(little));
  } catch (const Refused&) {
  }
}

}  // namespace tomograph::tlb
