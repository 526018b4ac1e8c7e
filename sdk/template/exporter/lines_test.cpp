// Tests of the format on a topology with known facts.
#include "lines.hpp"

#include <cstdio>

using namespace tomograph;

namespace {

int failures = 0;

void check(bool holds, const char* promise) {
  if (holds) return;
  std::printf("broken: %s\n", promise);
  ++failures;
}

const Topology topology("topology.toml", R"({
  "device": {"name": {"value": "Tiny", "unit": "", "source": "api", "confidence": 1}},
  "l2": {"size": {"value": 4096, "unit": "B", "source": "measured", "confidence": 0.95}}
})");

}  // namespace

int main() {
  check(lines(topology, 0) == "# Tiny\ndevice.name = \"Tiny\"\nl2.size = 4096 B\n", "each fact has a line");
  check(lines(topology, 0.99) == "# Tiny\ndevice.name = \"Tiny\"\n", "uncertain facts are left out");
  return failures == 0 ? 0 : 1;
}
