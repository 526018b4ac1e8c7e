#include "sim/gpu/memory.hpp"

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

Dram read_dram(const Section& section) {
  Dram dram;
  dram.latency = section.integer("latency");
  dram.far_latency = section.integer("far_latency", dram.latency);
  if (section.has("size")) dram.size = section.integer("size");
  return dram;
}

ConstantMemory read_constant_memory(const Section& section) {
  ConstantMemory memory{.size = section.integer("size")};
  if (section.has("array")) memory.array = section.integer("array");
  return memory;
}

TextureMemory read_texture_memory(const Section& section) { return {section.text("texel_order")}; }

}  // namespace tomograph::sim
