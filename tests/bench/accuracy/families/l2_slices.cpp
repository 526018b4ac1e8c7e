// Slices of the L2: powers of two or times 3, 5 and more, of line numbers or hashed ones, pairs that no latency
// separates, one slice disabled, partitions.
#include <optional>
#include <sstream>
#include <string>

#include "draw.hpp"
#include "family.hpp"
#include "random_cache.hpp"
#include "slice_truth.hpp"

namespace tomograph::bench::l2_slices_family {

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t line = 128;
constexpr std::int64_t sets = 8192;
constexpr int above_index = 20;  // sets * line
constexpr int lowest_bit = 7;
constexpr int highest_bit = 25;

/// Kinds, one case after the other.
enum Kind { plain, times_three, times_five, hashed, twins, disabled, copies, far_homes, kinds };

/// Masks of random bits above those within a line, which are independent: each has the only one of its lowest bits.
std::vector<std::uint64_t> draw_masks(Draw& draw, std::int64_t count) {
  std::vector<std::uint64_t> masks;
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint64_t mask = std::uint64_t{1} << (lowest_bit + i);
    for (std::int64_t bit = lowest_bit + count; bit <= highest_bit; ++bit) {
      if (draw.one_in(2)) mask |= std::uint64_t{1} << bit;
    }
    masks.push_back(mask);
  }
  return masks;
}

/// Masks of the lowest bits of a number that a factor divides: each has the address bit, and random other ones.
std::vector<std::uint64_t> draw_number_masks(Draw& draw, std::int64_t shift) {
  constexpr std::int64_t hashed_bits = 5;
  std::vector<std::uint64_t> masks;
  for (std::int64_t i = 0; i < hashed_bits; ++i) {
    std::uint64_t mask = std::uint64_t{1} << (shift + i);
    for (std::int64_t bit = shift + hashed_bits; bit <= highest_bit; ++bit) {
      if (draw.one_in(2)) mask |= std::uint64_t{1} << bit;
    }
    masks.push_back(mask);
  }
  return masks;
}

/// The partition of each SM: SMs of a group, which reach the network at the same place, are in the same one.
std::vector<std::int64_t> halves_of_groups(std::int64_t sms, std::int64_t group) {
  std::vector<std::int64_t> partitions;
  for (std::int64_t sm = 0; sm < sms; ++sm) partitions.push_back(sm / group * group * 2 / sms);
  return partitions;
}

sim::Gpu draw_gpu(Draw& draw, Kind kind) {
  sim::Gpu gpu;
  gpu.name = "random";
  gpu.sm_count = draw.between(24, 64);
  gpu.l2.latency = gpu.l2.far_latency = draw.between(200, 300);
  gpu.l2.cache = plain_cache(line, 32, sets, 16);
  gpu.l2.sm_latency_spread = draw.between(15, 40);
  sim::SliceFunction function{.masks = draw_masks(draw, draw.between(2, 4)), .rate_sigma = 0.01};
  function.factor_shift = draw.between(9, 12);
  function.equal_sms = draw.between(1, 2);
  function.parallel_sms = function.equal_sms * draw.between(1, 3);
  if (kind == times_three) function.factor = 3;
  if (kind == times_five) function.factor = 5;
  if (kind == hashed) {
    function.factor = std::vector<std::int64_t>{3, 5, 7, 11, 23}[static_cast<std::size_t>(draw.between(0, 4))];
    if (function.factor > 7) function.masks.resize(2);  // a hundred slices are many
    function.factor_shift = 13;                         // so that a table of a page is smaller than the page
    function.number_masks = draw_number_masks(draw, function.factor_shift);
  }
  if (kind == twins) function.twins = 2;
  if (kind == disabled) function.disabled = {draw.between(0, function.numbers() - 1)};
  if (kind == copies || kind == far_homes) {
    gpu.l2.partitions = 2;
    // A bit above the index bits, so that every set has lines of both homes, and one that varies within a page.
    gpu.l2.home_masks = {(std::uint64_t{1} << above_index) | (std::uint64_t{1} << draw.between(14, 19))};
    gpu.l2.replicate = kind == copies;
    gpu.l2.far_latency = gpu.l2.latency + draw.between(60, 200);
    const std::int64_t copy_cycles = draw.between(8, 20);
    if (kind == copies) function.copy_cycles = copy_cycles;
    gpu.l2.sm_partition = halves_of_groups(gpu.sm_count, function.parallel_sms);
  }
  gpu.l2.slices = function.slices();
  gpu.l2.slice_function = function;
  gpu.dram.latency = gpu.dram.far_latency = 600;
  gpu.dram.size = 16384 * mebibyte;
  gpu.noise = usual_noise();
  gpu.api = {{"l2.nominal_size", gpu.l2.partitions * gpu.l2.cache.lines() * line}};
  return gpu;
}

/// Groups of `size` SMs in a row.
Json consecutive_groups(std::int64_t sms, std::int64_t size) {
  Json groups = Json::array();
  for (std::int64_t sm = 0; sm < sms; ++sm) {
    if (sm % size == 0) groups.push_back(Json::array());
    groups.back().push_back(sm);
  }
  return groups;
}

/// How the slice follows from the address, or nothing where a hash spreads the lines of a disabled slice.
std::optional<std::string> kind_of_function(const sim::SliceFunction& function) {
  if (!function.disabled.empty()) return std::nullopt;
  return function.factor > 1 ? "masks-and-remainder" : "xor-masks";
}

std::vector<Expected> expected(const sim::Gpu& gpu) {
  ExpectedFacts facts("l2.");
  const std::int64_t slices = gpu.l2.slices * gpu.l2.partitions;
  facts.exact("slices", slices);
  facts.exact("slices_at_least", slices);
  if (const auto kind = kind_of_function(*gpu.l2.slice_function)) {
    facts.judged("slice_function", *kind, true, [l2 = gpu.l2, kind = *kind](const Json& value) {
      return value.at("kind") == kind && tells_slices(l2, value);
    });
  }
  if (gpu.l2.slice_function->equal_sms > 1) {
    facts.exact("equal_latency.sm_groups", consecutive_groups(gpu.sm_count, gpu.l2.slice_function->equal_sms));
  }
  if (gpu.l2.slice_function->parallel_sms > 1) {
    facts.exact("parallel_latency.sm_groups", consecutive_groups(gpu.sm_count, gpu.l2.slice_function->parallel_sms));
  }
  return facts.take();
}

std::map<std::string, Json> given(const sim::Gpu& gpu) {
  std::map<std::string, Json> facts{{"l2.line_size", {{"value", line}}}};
  if (gpu.l2.partitions == 1) return facts;
  facts["l2.partition.of_sm"] = {{"value", gpu.l2.sm_partition}};
  return facts;
}

Case draw_case(std::uint64_t number) {
  static constexpr const char* names[] = {"power of two",  "times 3",         "times 5",
                                          "hashed number", "equal latencies", "one slice disabled",
                                          "copies",        "two partitions"};
  Draw draw(number);
  const auto kind = static_cast<Kind>(number % kinds);
  sim::Gpu gpu = draw_gpu(draw, kind);
  while (sim::violation(gpu)) gpu = draw_gpu(draw, kind);
  std::ostringstream geometry;
  geometry << gpu.l2.slices << " slices, " << gpu.l2.partitions << " partitions, " << gpu.sm_count << " SMs";
  return {.number = number,
          .kind = names[kind],
          .gpu = gpu,
          .geometry = geometry.str(),
          .expected = expected(gpu),
          .given = given(gpu)};
}

}  // namespace

Family make() { return {.name = "l2_slices", .plugins = {"l2-slices"}, .smoke_cases = kinds, .draw = draw_case}; }

}  // namespace tomograph::bench::l2_slices_family
