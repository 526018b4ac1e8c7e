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

Broken violation(const MemoryChannel& channel, std::int64_t extra_latency) {
  const std::string key = "dram.channel.";
  if (channel.row % channel.run != 0) return Violation{key + "run", "must divide row"};
  if (channel.refresh_cycles > 0 && channel.refresh_cycles >= channel.refresh_period) {
    return Violation{key + "refresh_cycles", "is " + text(channel.refresh_cycles) +
                                                 ", must be less than refresh_period, which is " +
                                                 text(channel.refresh_period)};
  }
  return at_most(key + "open_row_cycles", channel.open_row_cycles, "what dram.latency exceeds l2.latency by",
                 extra_latency);
}

Broken violation(const ConstantMemory& memory) {
  if (!memory.array) return std::nullopt;
  return at_most("constant_memory.array", *memory.array, "constant_memory.size", memory.size);
}

Dram read_dram(const Section& section, std::int64_t partitions) {
  Dram dram;
  if (partitions == 1 && section.has("far_latency")) {
    section.refuse("far_latency", "is given, but the L2 has one partition");
  }
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
