// L2s whose slice is the remainder of a number, and whose sets follow from its quotient, as on an H100 and an H200.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "cache_truth.hpp"
#include "draw.hpp"
#include "family.hpp"
#include "random_cache.hpp"
#include "slice_truth.hpp"
#include "tomograph/analysis/linear_index.hpp"

namespace tomograph::bench::l2_quotient_family {

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t line = 128;
constexpr int line_bit = 7;
/// Of an address within a page, which programs know.
constexpr int page_bit = 21;
constexpr std::uint64_t page_mask = (std::uint64_t{1} << page_bit) - 1;
/// Of the memory.
constexpr int memory_bit = 33;
constexpr std::int64_t ways = 16;
/// A page fits into a quarter of the L2.
constexpr std::int64_t least_sets = 4 * (std::int64_t{1} << page_bit) / (ways * line);

std::uint64_t bit(std::int64_t number) { return std::uint64_t{1} << number; }

/// A random mask of bits in [low, high), with `one` of them.
std::uint64_t draw_mask(Draw& draw, std::int64_t one, std::int64_t low, std::int64_t high) {
  std::uint64_t mask = bit(one);
  for (std::int64_t other = low; other < high; ++other) {
    if (other != one && draw.one_in(2)) mask |= bit(other);
  }
  return mask;
}

/// Bits of a number from `shift` on are those of the address, but the lowest ones, which are hashed. Each of these has
/// a lower address bit of its own; the bits between choose lines of the same slice.
sim::SliceFunction draw_function(Draw& draw) {
  static constexpr std::int64_t factors[] = {3, 5, 7, 11, 23};
  sim::SliceFunction function{.rate_sigma = 0.01};
  function.factor = factors[draw.between(0, 4)];
  const std::int64_t hashed = draw.between(4, 6);
  const std::int64_t raw = draw.between(16, 18);
  function.factor_shift = raw - hashed;
  for (std::int64_t i = 0; i < hashed; ++i) {
    function.number_masks.push_back(draw_mask(draw, line_bit + i, line_bit + hashed, memory_bit));
  }
  return function;
}

sim::QuotientIndex draw_index(Draw& draw, const sim::SliceFunction& function) {
  static constexpr std::int64_t factors[] = {1, 3, 5};
  sim::QuotientIndex index;
  std::vector<std::uint64_t> masks = function.number_masks;
  for (std::int64_t raw = function.factor_shift + std::ssize(masks); raw < page_bit; ++raw) masks.push_back(bit(raw));
  const std::uint64_t lines = page_mask & ~(bit(line_bit) - 1);
  for (std::uint64_t& mask : masks) mask &= lines;
  for (const std::uint64_t place : analysis::orthogonal_complement(analysis::basis(masks), lines)) {
    index.places.push_back(std::bit_floor(place));
  }
  std::ranges::sort(index.places);
  const std::int64_t bits = index.quotient_bits + std::ssize(index.places);
  index.remainder_by = factors[draw.between(0, 2)];
  std::int64_t count = 4;
  while ((function.numbers() * index.remainder_by << count) < least_sets) ++count;
  for (std::int64_t i = 0; i < count; ++i) index.parities.push_back(draw_mask(draw, i, count, bits));
  if (index.remainder_by == 1) return index;
  const std::int64_t from = draw.between(2, 5);
  index.remainder_from_bit = from;
  for (const std::int64_t one : {from, from + 1}) {
    index.remainder_lowest_bits.push_back(draw_mask(draw, one, from + 2, index.quotient_bits));
  }
  return index;
}

sim::Gpu draw_gpu(Draw& draw) {
  sim::Gpu gpu;
  gpu.name = "random";
  gpu.sm_count = draw.between(24, 48);
  gpu.l2.latency = gpu.l2.far_latency = draw.between(200, 300);
  gpu.l2.sm_latency_spread = draw.between(20, 40);
  gpu.l2.slice_function = draw_function(draw);
  gpu.l2.quotient_index = draw_index(draw, *gpu.l2.slice_function);
  gpu.l2.slices = gpu.l2.slice_function->slices();
  gpu.l2.cache = plain_cache(line, 32, gpu.l2.slices * gpu.l2.quotient_index->sets(), ways);
  gpu.l2.cache.index = {.kind = sim::Index::Kind::modulo, .bits = {}, .masks = {}};
  gpu.dram.latency = gpu.dram.far_latency = 600;
  gpu.dram.size = std::int64_t{1} << memory_bit;
  gpu.dram.contiguous = true;
  gpu.noise = usual_noise();
  gpu.api = {{"l2.nominal_size", gpu.l2.cache.lines() * line}};
  return gpu;
}

std::vector<std::uint64_t> within_page(std::vector<std::uint64_t> masks) {
  for (std::uint64_t& mask : masks) mask &= page_mask;
  return masks;
}

/// Whether the bits of a published number are those of the truth, as far as a page shows them.
bool is_number(const sim::SliceFunction& function, const Json& published) {
  std::vector<std::uint64_t> truth = within_page(function.number_masks);
  for (std::int64_t raw = function.factor_shift + std::ssize(truth); raw < page_bit; ++raw) truth.push_back(bit(raw));
  return published_masks({{"masks", published}}) == truth;
}

sim::QuotientIndex index_of(const Json& published) {
  const auto masks = [&](const char* key) {
    return published.contains(key) ? published_masks({{"masks", published.at(key)}}) : std::vector<std::uint64_t>();
  };
  return {.quotient_bits = published.at("quotient_bits"),
          .places = masks("places"),
          .parities = masks("parities"),
          .remainder_by = published.value("remainder_by", std::int64_t{1}),
          .remainder_from_bit = published.value("remainder_from_bit", std::int64_t{0}),
          .remainder_lowest_bits = masks("remainder_lowest_bits")};
}

/// Whether sets have other numbers, but the same lines: of all those that share what a probe cannot determine with the
/// lines that it saw, wherever these were.
bool makes_same_sets(const sim::L2& l2, const sim::QuotientIndex& published, sim::QuotientIndex undetermined) {
  undetermined.quotient_bits = published.quotient_bits;
  undetermined.places = published.places;
  constexpr std::uint64_t step = 4999 * line;
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> names;  // by what is undetermined
  std::set<std::uint32_t> wrong;
  for (std::uint64_t address = 0; address < bit(memory_bit); address += step) {
    const std::uint32_t set = l2.quotient_index->set_in_slice(*l2.slice_function, address);
    const std::uint32_t group = undetermined.set_in_slice(*l2.slice_function, address);
    const std::uint32_t name = published.set_in_slice(*l2.slice_function, address);
    if (names[group].try_emplace(name, set).first->second != set) wrong.insert(group);
  }
  return std::ranges::any_of(names, [&](const auto& group) {
    return !wrong.contains(group.first) && std::ssize(group.second) <= l2.quotient_index->sets();
  });
}

/// Whether the lines of a set within a page have the same parities.
bool share_parities(const sim::L2& l2, const std::vector<std::uint64_t>& masks) {
  std::map<std::uint32_t, std::uint64_t> parities;
  for (std::uint64_t address = 0; address < bit(page_bit); address += line) {
    const std::uint32_t set =
        l2.quotient_index->set_in_slice(*l2.slice_function, address) * static_cast<std::uint32_t>(l2.slices) +
        l2.slice_function->number(address);
    const std::uint64_t own = analysis::parities(address, masks);
    if (parities.try_emplace(set, own).first->second != own) return false;
  }
  return true;
}

/// Parities alone are right, too, if they say so.
bool is_index(const sim::L2& l2, const Json& published) {
  const std::string kind = published.at("kind");
  if (kind == "partly-hashed") return share_parities(l2, published_masks({{"masks", published.at("parities")}}));
  return kind == "quotient" && is_number(*l2.slice_function, published.at("number")) &&
         makes_same_sets(l2, index_of(published),
                         {.parities = published_masks({{"masks", published.at("undetermined")}})});
}

std::vector<Expected> expected(const sim::Gpu& gpu) {
  ExpectedFacts facts("l2.");
  facts.exact("slices", gpu.l2.slices);
  facts.judged("slice_function", "masks-and-remainder or table", true,
               [l2 = gpu.l2](const Json& value) { return tells_slices(l2, value); });
  facts.exact("sets", std::ssize(gpu.l2.cache.set_ways));
  facts.exact("ways", ways);
  facts.judged("index", "quotient", true, [l2 = gpu.l2](const Json& value) { return is_index(l2, value); });
  return facts.take();
}

Case draw_case(std::uint64_t number) {
  Draw draw(number);
  sim::Gpu gpu = draw_gpu(draw);
  while (sim::violation(gpu)) gpu = draw_gpu(draw);
  std::ostringstream geometry;
  geometry << gpu.l2.slices << " slices of " << gpu.l2.quotient_index->sets() << " sets, "
           << gpu.l2.slice_function->number_masks.size() << " hashed bits";
  return {.number = number,
          .kind = gpu.l2.quotient_index->remainder_by > 1 ? "with a remainder" : "parities alone",
          .gpu = gpu,
          .geometry = geometry.str(),
          .expected = expected(gpu),
          .given = {{"l2.line_size", {{"value", line}}}}};
}

}  // namespace

Family make() {
  return {.name = "l2_quotient", .plugins = {"l2-slices", "data-cache"}, .smoke_cases = 2, .draw = draw_case};
}

}  // namespace tomograph::bench::l2_quotient_family
