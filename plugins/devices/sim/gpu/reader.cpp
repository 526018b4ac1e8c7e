#include "sim/gpu/reader.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "embedded_schemas.hpp"
#include "sim/gpu/api_facts.hpp"
#include "sim/gpu/section.hpp"
#include "tomograph/documents/schema.hpp"
#include "tomograph/documents/toml_document.hpp"

namespace tomograph::sim {

namespace {

Gpu read(const Section& root) {
  Gpu gpu;
  gpu.name = root.text("name");
  gpu.sm_count = root.integer("sm_count");
  gpu.sm_clock_mhz = root.integer("sm_clock_mhz");
  if (auto api = root.optional_section("api")) gpu.api = read_api(*api);
  gpu.load_paths = read_load_paths(root);
  gpu.caches = read_private_caches(root, gpu.sm_count);
  gpu.l2 = read_l2(root.section("l2"));
  gpu.dram = read_dram(root.section("dram"), gpu.l2.partitions);
  if (auto memory = root.optional_section("constant_memory")) gpu.constant_memory = read_constant_memory(*memory);
  if (auto memory = root.optional_section("texture_memory")) gpu.texture_memory = read_texture_memory(*memory);
  gpu.translation = read_translation(root, gpu.sm_count);
  if (auto bandwidth = root.optional_section("bandwidth")) gpu.bandwidth = read_bandwidth(*bandwidth, gpu.sm_count);
  if (auto timing = root.optional_section("timing")) gpu.timing = read_timing(*timing);
  if (auto memory = root.optional_section("shared_memory")) gpu.shared_memory = read_shared_memory(*memory);
  if (auto units = root.optional_section("instructions")) gpu.instructions = read_instructions(*units);
  if (auto divergence = root.optional_section("divergence")) gpu.divergence = read_divergence(*divergence);
  if (auto host = root.optional_section("host")) gpu.host = read_host_link(*host);
  if (auto node = root.optional_section("node")) gpu.node = read_node(*node);
  if (auto noise = root.optional_section("noise")) gpu.noise = read_noise(*noise);
  if (auto kernel = root.optional_section("instrument")) gpu.instrument = read_measuring_kernel(*kernel);
  gpu.conditions = read_conditions(root);
  return gpu;
}

/// Several tables state these limits of an SM, each for its own experiments. Where they do, they agree.
void expect_agreement(const Section& root) {
  for (const char* key : {"max_warps", "max_ctas", "schedulers"}) {
    std::optional<std::pair<std::string, std::int64_t>> stated;
    for (const char* table : {"shared_memory", "instructions", "bandwidth", "timing"}) {
      const auto section = root.optional_section(table);
      if (!section || !section->has(key)) continue;
      const std::int64_t value = section->integer(key);
      if (!stated) stated = {std::string(table) + "." + key, value};
      if (value == stated->second) continue;
      section->refuse(key, "is " + text(value) + ", but " + stated->first + " is " + text(stated->second));
    }
  }
}

/// The JSON pointer to a key of a rule, e.g. "/tlb/0/penalty" for "tlb.0.penalty". No key that a rule names has a dot
/// or a slash in one of its parts.
std::string pointer_to_key(std::string key) {
  std::ranges::replace(key, '.', '/');
  return "/" + key;
}

Gpu gpu_of(const TomlDocument& document) {
  auto problems = schema_violations(document, embedded_schemas().at("simulated-gpu"));
  if (!problems.empty()) throw InputError(std::move(problems));
  expect_agreement(Section(document));
  Gpu gpu = read(Section(document));
  if (const auto broken = violation(gpu)) {
    throw DescriptionError(to_string(document.at(pointer_to_key(broken->key), broken->rule)));
  }
  return gpu;
}

}  // namespace

Gpu parse_gpu(std::string_view text, std::string_view file) {
  try {
    return gpu_of(parse_toml(text, file));
  } catch (const InputError& error) {
    throw DescriptionError(error.what());
  }
}

Gpu read_gpu(const std::filesystem::path& file) {
  try {
    return gpu_of(read_toml(file));
  } catch (const InputError& error) {
    throw DescriptionError(error.what());
  }
}

}  // namespace tomograph::sim
