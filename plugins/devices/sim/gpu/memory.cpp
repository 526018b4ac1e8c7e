#include "sim/gpu/memory.hpp"

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

namespace {

constexpr std::int64_t most_constants = std::int64_t{1} << 30;
constexpr std::size_t most_texel_bits = 30;

}  // namespace

Broken violation(const Dram& dram) {
  if (auto broken = cycles("dram.latency", dram.latency, 1)) return broken;
  if (auto broken = cycles("dram.far_latency", dram.far_latency, 1)) return broken;
  return dram.size ? at_least("dram.size", *dram.size, 1) : std::nullopt;
}

Broken violation(const ConstantMemory& memory) {
  if (auto broken = at_least("constant_memory.size", memory.size, 1)) return broken;
  if (auto broken = at_most("constant_memory.size", memory.size, most_constants)) return broken;
  return memory.array ? at_least("constant_memory.array", *memory.array, 1) : std::nullopt;
}

Broken violation(const TextureMemory& memory) {
  const std::string key = "texture_memory.texel_order";
  if (memory.texel_order.find_first_not_of("xy") != std::string::npos) {
    return Violation{key, "is \"" + memory.texel_order + "\", must consist of the letters x and y"};
  }
  if (memory.texel_order.size() > most_texel_bits) return Violation{key, "makes blocks of more than 2^30 texels"};
  return std::nullopt;
}

Dram read_dram(const Section& section) {
  section.expect_only({"latency", "far_latency", "size"});
  Dram dram;
  dram.latency = section.integer("latency");
  dram.far_latency = section.integer("far_latency", dram.latency);
  if (section.has("size")) dram.size = section.integer("size");
  return dram;
}

ConstantMemory read_constant_memory(const Section& section) {
  section.expect_only({"size", "array"});
  ConstantMemory memory{.size = section.integer("size")};
  if (section.has("array")) memory.array = section.integer("array");
  return memory;
}

TextureMemory read_texture_memory(const Section& section) {
  section.expect_only({"texel_order"});
  return {section.text("texel_order")};
}

}  // namespace tomograph::sim
