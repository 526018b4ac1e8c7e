#include "sim/gpu/reader.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>

#include "sim/gpu/api_facts.hpp"
#include "sim/gpu/nearest.hpp"
#include "sim/gpu/section.hpp"

namespace tomograph::sim {

namespace {

/// A word of a fixed vocabulary. @throws DescriptionError naming the nearest one.
template <typename Value>
Value word(const Section& section, const char* key, const std::string& text,
           const std::vector<std::pair<std::string, Value>>& vocabulary) {
  std::vector<std::string> known;
  std::string list;
  for (const auto& [name, value] : vocabulary) {
    if (name == text) return value;
    known.push_back(name);
    list += (list.empty() ? "\"" : ", \"") + name + "\"";
  }
  section.refuse(key, "is \"" + text + "\", must be one of " + list + suggestion(text, known));
}

/// Without a word about it, sets are selected by the address bits next to the line offset, as in the
/// classical cache (Mei and Chu 2017, assumption 2), or by the remainder where their number is odd.
Index default_index(std::int64_t line_size, std::size_t sets) {
  if (!std::has_single_bit(sets) || line_size < 1) return {Index::Kind::modulo, {}, {}};
  Index index{Index::Kind::bits, {}, {}};
  const int first = std::countr_zero(static_cast<std::uint64_t>(line_size));
  for (int i = 0; i < std::countr_zero(sets); ++i) index.bits.push_back(first + i);
  return index;
}

std::vector<std::uint64_t> masks(const Section& section, const char* key) {
  std::vector<std::uint64_t> masks;
  for (const std::int64_t mask : section.integers(key)) masks.push_back(static_cast<std::uint64_t>(mask));
  return masks;
}

Index read_index(const Section& cache, std::int64_t line_size, std::size_t sets) {
  auto section = cache.optional_section("index");
  if (!section) return default_index(line_size, sets);
  Index index;
  index.kind = word<Index::Kind>(
      *section, "kind", section->text("kind"),
      {{"bits", Index::Kind::bits}, {"hashed", Index::Kind::hashed}, {"modulo", Index::Kind::modulo}});
  if (index.kind == Index::Kind::bits) section->expect_only({"kind", "bits"});
  if (index.kind == Index::Kind::hashed) section->expect_only({"kind", "masks"});
  if (index.kind == Index::Kind::modulo) section->expect_only({"kind"});
  if (index.kind == Index::Kind::hashed) index.masks = masks(*section, "masks");
  if (index.kind == Index::Kind::bits) {
    for (const std::int64_t bit : section->integers("bits"))
      index.bits.push_back(static_cast<int>(std::clamp<std::int64_t>(bit, -1, 64)));
  }
  return index;
}

Replacement read_replacement(const Section& cache) {
  using Policy = Replacement::Policy;
  if (cache.has("replacement") && !cache.is_text("replacement")) {
    Section section = cache.section("replacement");
    section.expect_only({"way_probability", "protected_ways"});
    if (section.has("protected_ways")) {
      if (section.has("way_probability")) section.refuse("protected_ways", "is given beside way_probability");
      return {Policy::segmented_lru, {}, section.positive("protected_ways")};
    }
    return {Policy::way_weighted, section.numbers("way_probability"), 0};
  }
  const std::string policy = cache.has("replacement") ? cache.text("replacement") : "lru";
  return {word<Policy>(cache, "replacement", policy,
                       {{"lru", Policy::lru}, {"fifo", Policy::fifo}, {"random", Policy::random}}),
          {},
          0};
}

void read_line(const Section& section, Cache& cache) {
  cache.line_size = section.positive("line_size");
  cache.sector_size = section.integer("sector_size", cache.line_size);
  cache.fetch_granularity = section.integer("fetch_granularity", cache.sector_size);
  // Right away: what follows computes with the line size.
  if (const auto broken = line_violation(cache)) section.refuse(broken->key.c_str(), broken->rule);
}

/// sets, ways and size: each follows from the other two, `unit` being the bytes of one way of one set.
std::vector<std::int64_t> equal_sets(const Section& section, std::int64_t unit) {
  const auto optional = [&](const char* key) { return section.has(key) ? section.positive(key) : 0; };
  std::int64_t sets = optional("sets");
  std::int64_t ways = optional("ways");
  const std::int64_t size = optional("size");
  const std::int64_t known = std::max<std::int64_t>(sets, 1) * std::max<std::int64_t>(ways, 1);
  if (sets > maximum_lines || ways > maximum_lines || known > maximum_lines) {
    section.refuse(sets > ways ? "sets" : "ways", "gives more than 2^24 lines");
  }
  if (std::ranges::count(std::array{sets, ways, size}, 0) > 1) {
    section.refuse(sets != 0 ? "sets" : "ways",
                   "does not fix the geometry: give two of size, sets and ways, or set_ways");
  }
  if (size != 0 && (sets == 0 || ways == 0)) {
    if (size % (known * unit) != 0) {
      section.refuse("size", "is " + std::to_string(size) + ", no multiple of " + std::to_string(known * unit) +
                                 " B, the " + std::to_string(known) + (sets == 0 ? " ways" : " sets") +
                                 " of one line each");
    }
    (sets == 0 ? sets : ways) = size / (known * unit);
  }
  if (sets * ways > maximum_lines) section.refuse("size", "gives more than 2^24 lines");
  if (size != 0 && sets * ways * unit != size) {
    section.refuse("size", "is " + std::to_string(size) + ", but sets, ways and lines make " +
                               std::to_string(sets * ways * unit) + " B");
  }
  std::vector<std::int64_t> set_ways(static_cast<std::size_t>(sets));
  std::ranges::fill(set_ways, ways);
  return set_ways;
}

std::vector<std::int64_t> read_set_ways(const Section& section, const Cache& cache, std::int64_t partitions) {
  const std::int64_t unit = cache.line_size * partitions;
  if (!section.has("set_ways")) return equal_sets(section, unit);
  for (const char* key : {"sets", "ways"}) {
    if (section.has(key)) section.refuse(key, "is given beside set_ways, which already says it");
  }
  auto set_ways = section.integers("set_ways");
  if (std::ranges::any_of(set_ways, [](std::int64_t ways) { return ways > maximum_lines; })) {
    section.refuse("set_ways", "gives more than 2^24 lines");
  }
  const std::int64_t lines = std::accumulate(set_ways.begin(), set_ways.end(), std::int64_t{0});
  if (section.has("size") && section.integer("size") != lines * unit) {
    section.refuse("size", "is " + std::to_string(section.integer("size")) + ", but set_ways and lines make " +
                               std::to_string(lines * unit) + " B");
  }
  return set_ways;
}

Carveouts read_carveouts(const Section& l1, const Section& section) {
  section.expect_only({"sram", "shared_memory", "reserved", "default"});
  for (const char* key : {"size", "set_ways"}) {
    if (l1.has(key)) l1.refuse(key, "is given beside carveouts, which decide it");
  }
  Carveouts carveouts;
  carveouts.sets = l1.positive("sets");
  if (carveouts.sets > maximum_lines) l1.refuse("sets", "gives more than 2^24 lines");
  if (l1.has("ways")) carveouts.ways = l1.positive("ways");
  if (carveouts.ways > maximum_lines / carveouts.sets) l1.refuse("ways", "gives too many lines");
  carveouts.sram = section.positive("sram");
  carveouts.shared_memory = section.integers("shared_memory");
  if (section.is_array("reserved")) {
    carveouts.reserved = section.integers("reserved");
  } else {
    carveouts.reserved.assign(carveouts.shared_memory.size(), section.integer("reserved", 0));
  }
  const std::int64_t first = carveouts.shared_memory.empty() ? 0 : carveouts.shared_memory.front();
  carveouts.default_size = section.integer("default", first);
  return carveouts;
}

L1 read_l1(const Section& section) {
  section.expect_only({"latency", "paths", "virtually_tagged", "line_size", "sector_size", "fetch_granularity", "size",
                       "sets", "ways", "set_ways", "index", "replacement", "carveouts"});
  L1 l1;
  l1.latency = section.integer("latency");
  for (const std::string& path : section.texts("paths")) {
    l1.paths.push_back(word<chase::Path>(section, "paths", path,
                                         {{"global.ca", chase::Path::global_ca},
                                          {"global.cg", chase::Path::global_cg},
                                          {"global.nc", chase::Path::global_nc}}));
  }
  l1.virtually_tagged = section.boolean("virtually_tagged", true);
  read_line(section, l1.cache);
  if (auto carveouts = section.optional_section("carveouts")) {
    l1.carveouts = read_carveouts(section, *carveouts);
  } else {
    l1.cache.set_ways = read_set_ways(section, l1.cache, 1);
  }
  const auto sets = l1.carveouts ? static_cast<std::size_t>(l1.carveouts->sets) : l1.cache.set_ways.size();
  l1.cache.index = read_index(section, l1.cache.line_size, sets);
  l1.cache.replacement = read_replacement(section);
  return l1;
}

L2 read_l2(const Section& section) {
  section.expect_only({"latency", "far_latency", "line_size", "sector_size", "fetch_granularity", "size", "sets",
                       "ways", "set_ways", "index", "replacement", "partitions", "home_masks", "sm_partition",
                       "replicate", "slices", "sm_latency_spread"});
  L2 l2;
  l2.latency = section.integer("latency");
  l2.partitions = section.integer("partitions", 1);
  if (l2.partitions < 1 || l2.partitions > maximum_partitions) {
    section.refuse("partitions", "is " + std::to_string(l2.partitions) + ", must lie in [1, 16]");
  }
  l2.far_latency = l2.partitions > 1 ? section.integer("far_latency") : l2.latency;
  if (section.has("home_masks")) l2.home_masks = masks(section, "home_masks");
  if (section.has("sm_partition")) l2.sm_partition = section.integers("sm_partition");
  l2.replicate = section.boolean("replicate", false);
  l2.slices = section.integer("slices", 1);
  l2.sm_latency_spread = section.integer("sm_latency_spread", 0);
  read_line(section, l2.cache);
  l2.cache.set_ways = read_set_ways(section, l2.cache, l2.partitions);
  l2.cache.index = read_index(section, l2.cache.line_size, l2.cache.set_ways.size());
  l2.cache.replacement = read_replacement(section);
  return l2;
}

Dram read_dram(const Section& section) {
  section.expect_only({"latency", "far_latency", "size"});
  Dram dram;
  dram.latency = section.integer("latency");
  dram.far_latency = section.integer("far_latency", dram.latency);
  if (section.has("size")) dram.size = section.integer("size");
  return dram;
}

Tlb read_tlb(const Section& section) {
  section.expect_only({"entries", "entry_span", "penalty"});
  Tlb tlb{section.integer("entries"), section.integer("entry_span"), section.integer("penalty")};
  return tlb;
}

Noise read_noise(const Section& section) {
  section.expect_only({"l1_sigma", "l2_sigma", "dram_sigma", "outlier_probability", "outlier_cycles"});
  Noise noise;
  noise.l1_sigma = section.number("l1_sigma", 0);
  noise.l2_sigma = section.number("l2_sigma", 0);
  noise.dram_sigma = section.number("dram_sigma", 0);
  noise.outlier_probability = section.number("outlier_probability", 0);
  if (section.has("outlier_cycles")) {
    const auto range = section.integers("outlier_cycles");
    if (range.size() != 2) section.refuse("outlier_cycles", "must be two numbers, the least and the most");
    noise.outlier_low = range[0];
    noise.outlier_high = range[1];
  }
  return noise;
}

MeasuringKernel read_instrument(const Section& section) {
  section.expect_only({"each_overhead", "total_overhead", "kernel_shared"});
  MeasuringKernel instrument{section.integer("each_overhead", 0), section.integer("total_overhead", 0),
                        section.integer("kernel_shared", 0)};
  return instrument;
}

std::vector<ApiFact> read_api(const Section& section) {
  std::vector<std::string> known_keys;
  for (const ApiKey& known : api_keys()) known_keys.emplace_back(known.key);
  section.expect_only(known_keys);
  std::vector<ApiFact> facts;
  for (const ApiKey& known : api_keys()) {
    if (!section.has(known.key)) continue;
    if (known.is_text) {
      facts.push_back({known.key, section.text(known.key)});
    } else {
      facts.push_back({known.key, section.integer(known.key)});
    }
  }
  return facts;
}

Gpu read(const Section& root) {
  root.expect_only({"name", "sm_count", "sm_clock_mhz", "api", "l1", "l2", "dram", "tlb", "shared_memory", "noise", "instrument"});
  Gpu gpu;
  gpu.name = root.text("name");
  gpu.sm_count = root.integer("sm_count");
  gpu.sm_clock_mhz = root.integer("sm_clock_mhz");
  if (auto api = root.optional_section("api")) gpu.api = read_api(*api);
  if (auto l1 = root.optional_section("l1")) gpu.l1 = read_l1(*l1);
  gpu.l2 = read_l2(root.section("l2"));
  gpu.dram = read_dram(root.section("dram"));
  for (const Section& level : root.sections("tlb")) gpu.tlb.push_back(read_tlb(level));
  if (auto shared = root.optional_section("shared_memory")) gpu.shared_memory = read_shared_memory(*shared);
  if (auto noise = root.optional_section("noise")) gpu.noise = read_noise(*noise);
  if (auto instrument = root.optional_section("instrument")) gpu.instrument = read_instrument(*instrument);
  return gpu;
}

/// The node at `key`, or the innermost table on the way where the description leaves the key to a default.
const toml::node& node_at(const toml::table& table, const std::string& key) {
  const toml::node* node = &table;
  std::istringstream steps(key);
  for (std::string step; std::getline(steps, step, '.');) {
    const toml::node* next = nullptr;
    if (const auto* inner = node->as_table()) next = inner->get(step);
    if (const auto* elements = node->as_array()) next = elements->get(std::stoul(step));
    if (next == nullptr) break;
    node = next;
  }
  return *node;
}

}  // namespace

Gpu parse_gpu(std::string_view text, std::string_view file) {
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
