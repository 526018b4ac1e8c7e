#include "sim/gpu/reader.hpp"

#include <toml++/toml.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include "sim/gpu/api_facts.hpp"
#include "sim/gpu/section.hpp"
#include "tomograph/documents/toml_nesting.hpp"

namespace tomograph::sim {

namespace {

/// The rules of other parts count SMs, so they need a sane number of them.
std::int64_t read_sm_count(const Section& root) {
  const std::int64_t count = root.positive("sm_count");
  if (const auto broken = at_most("sm_count", count, maximum_sms)) root.refuse("sm_count", broken->rule);
  return count;
}

Gpu read(const Section& root) {
  root.expect_only({"name",           "sm_count",     "sm_clock_mhz", "api",       "lacks",
                    "path_delay",     "cache",        "l2",           "dram",      "constant_memory",
                    "texture_memory", "page_size",    "tlb",          "page_walk", "page_window",
                    "shared_memory",  "instructions", "divergence",   "bandwidth", "noise",
                    "instrument"});
  Gpu gpu;
  gpu.name = root.text("name");
  gpu.sm_count = read_sm_count(root);
  gpu.sm_clock_mhz = root.integer("sm_clock_mhz");
  if (auto api = root.optional_section("api")) gpu.api = read_api(*api);
  gpu.load_paths = read_load_paths(root);
  gpu.caches = read_private_caches(root, gpu.sm_count);
  gpu.l2 = read_l2(root.section("l2"));
  gpu.dram = read_dram(root.section("dram"));
  if (auto memory = root.optional_section("constant_memory")) gpu.constant_memory = read_constant_memory(*memory);
  if (auto memory = root.optional_section("texture_memory")) gpu.texture_memory = read_texture_memory(*memory);
  gpu.translation = read_translation(root, gpu.sm_count);
  if (auto bandwidth = root.optional_section("bandwidth")) gpu.bandwidth = read_bandwidth(*bandwidth, gpu.sm_count);
  if (auto memory = root.optional_section("shared_memory")) gpu.shared_memory = read_shared_memory(*memory);
  if (auto units = root.optional_section("instructions")) gpu.instructions = read_instructions(*units);
  if (auto divergence = root.optional_section("divergence")) gpu.divergence = read_divergence(*divergence);
  if (auto noise = root.optional_section("noise")) gpu.noise = read_noise(*noise);
  if (auto kernel = root.optional_section("instrument")) gpu.instrument = read_measuring_kernel(*kernel);
  return gpu;
}

/// The number of an element, or one that no element has: a cache may be named like a path into another.
std::size_t number_in(std::string_view step) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), number);
  return error == std::errc() && end == step.data() + step.size() ? number : std::numeric_limits<std::size_t>::max();
}

/// The node at `key`, or the innermost table on the way where the description leaves the key to a default.
const toml::node& node_at(const toml::table& table, const std::string& key) {
  const toml::node* node = &table;
  std::istringstream steps(key);
  for (std::string step; std::getline(steps, step, '.');) {
    const toml::node* next = nullptr;
    if (const auto* inner = node->as_table()) next = inner->get(step);
    if (const auto* elements = node->as_array()) next = elements->get(number_in(step));
    if (next == nullptr) break;
    node = next;
  }
  return *node;
}

}  // namespace

Gpu parse_gpu(std::string_view text, std::string_view file) {
  if (const auto line = line_of_deep_key(text)) {
    throw DescriptionError(std::string(file) + ":" + std::to_string(*line) + ": a key has more than " +
                           std::to_string(most_key_parts) + " parts");
  }
  try {
    const toml::table table = toml::parse(text, file);
    Gpu gpu = read(Section(table, "", file));
    if (const auto broken = violation(gpu)) refuse(file, node_at(table, broken->key), broken->key, broken->rule);
    return gpu;
  } catch (const toml::parse_error& error) {
    const toml::source_position begin = error.source().begin;
    throw DescriptionError(std::string(file) + ":" + std::to_string(begin.line) + ":" + std::to_string(begin.column) +
                           ": " + std::string(error.description()));
  }
}

Gpu read_gpu(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file)) throw DescriptionError(file.string() + ": cannot be read");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return parse_gpu(text, file.string());
}

}  // namespace tomograph::sim
