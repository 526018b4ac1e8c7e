#include "sim/gpu/memory.hpp"

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

namespace {

MemoryChannel read_channel(const Section& section) {
  MemoryChannel channel;
  channel.banks = section.integer("banks");
  channel.row = section.integer("row", channel.row);
  channel.run = section.integer("run", channel.row);
  channel.conflict_cycles = section.integer("conflict_cycles");
  channel.open_row_cycles = section.integer("open_row_cycles", channel.open_row_cycles);
  channel.refresh_period = section.integer("refresh_period");
  channel.refresh_cycles = section.integer("refresh_cycles");
  return channel;
}

}  // namespace

Dram read_dram(const Section& section) {
  Dram dram;
  dram.latency = section.integer("latency");
  dram.far_latency = section.integer("far_latency", dram.latency);
  if (section.has("size")) dram.size = section.integer("size");
  dram.contiguous = section.boolean("contiguous", false);
  if (section.has("channel")) dram.channel = read_channel(section.section("channel"));
  return dram;
}

ConstantMemory read_constant_memory(const Section& section) {
  ConstantMemory memory{.size = section.integer("size")};
  if (section.has("array")) memory.array = section.integer("array");
  return memory;
}

TextureMemory read_texture_memory(const Section& section) { return {section.text("texel_order")}; }

}  // namespace tomograph::sim
