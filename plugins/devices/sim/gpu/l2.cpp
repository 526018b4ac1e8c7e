#include "sim/gpu/l2.hpp"

#include <algorithm>
#include <set>

#include "sim/gpu/section.hpp"
#include "tomograph/analysis/linear_index.hpp"

namespace tomograph::sim {

namespace {

/// Whether every set of every partition is home to some line. The home numbers of the lines of one set form a coset of
/// those of set 0, which follow from the kernel of the index.
bool every_set_has_all_homes(const L2& l2) {
  const auto number = [&](std::uint64_t address) { return analysis::parities(address, l2.home_masks); };
  std::vector<std::uint64_t> of_any;
  for (int bit = 0; bit < address_bits; ++bit) of_any.push_back(number(std::uint64_t{1} << bit));
  constexpr std::uint64_t all_bits = (std::uint64_t{1} << address_bits) - 1;
  analysis::Basis of_set_0 = analysis::orthogonal_complement(analysis::basis(index_masks(l2.cache.index)), all_bits);
  for (std::uint64_t& vector : of_set_0) vector = number(vector);
  of_set_0 = analysis::basis(of_set_0);
  const auto partitions = static_cast<std::uint64_t>(l2.partitions);
  const auto numbers_of_set_0 = analysis::sums(of_set_0);
  return std::ranges::all_of(analysis::sums(analysis::quotient(analysis::basis(of_any), of_set_0)),
                             [&](std::uint64_t set) {
                               std::set<std::uint64_t> homes;
                               for (const std::uint64_t one : numbers_of_set_0) homes.insert((one ^ set) % partitions);
                               return homes.size() == partitions;
                             });
}

Broken home_violation(const L2& l2) {
  const std::string key = "l2.home_masks";
  if (auto broken = mask_range_violation(l2.home_masks, l2.cache.line_size, key)) return broken;
  const std::size_t masks = l2.home_masks.size();
  const std::int64_t numbers = std::int64_t{1} << masks;
  if (numbers < l2.partitions || (is_power_of_two(l2.partitions) && numbers != l2.partitions)) {
    return Violation{
        key, "has " + std::to_string(masks) + " masks, which does not fit " + text(l2.partitions) + " partitions"};
  }
  if (!every_set_has_all_homes(l2)) {
    return Violation{key, "depends on the set index, so some sets of a partition could never be home to a line"};
  }
  return std::nullopt;
}

Broken partition_violation(const L2& l2, std::int64_t sm_count) {
  if (auto broken = home_violation(l2)) return broken;
  if (l2.sm_partition.empty()) return std::nullopt;
  if (l2.sm_partition.size() != static_cast<std::size_t>(sm_count)) {
    return Violation{"l2.sm_partition", "has " + std::to_string(l2.sm_partition.size()) + " entries, but there are " +
                                            text(sm_count) + " SMs"};
  }
  for (const std::int64_t partition : l2.sm_partition) {
    if (partition >= l2.partitions) {
      return Violation{"l2.sm_partition", "names partition " + text(partition) + ", there are " + text(l2.partitions)};
    }
  }
  return std::nullopt;
}

Broken copy_violation(const L2& l2) {
  if (l2.replicate && l2.partitions == 1) return Violation{"l2.replicate", "is true, but there is one partition"};
  if (l2.replicate || !l2.slice_function || l2.slice_function->copy_cycles == 0) return std::nullopt;
  return Violation{"l2.slice_function.copy_cycles", "is given, but l2.replicate is false"};
}

Broken prefetch_violation(const L2& l2) {
  if (l2.prefetch_size == 0) return std::nullopt;
  if (auto broken = at_least("l2.prefetch.size", l2.prefetch_size, 2 * l2.cache.line_size)) return broken;
  return at_most("l2.prefetch.size", l2.prefetch_size, l2.cache.lines() * l2.cache.line_size * l2.partitions);
}

Broken quotient_violation(const L2& l2) {
  if (!l2.quotient_index) return std::nullopt;
  if (!l2.slice_function) return Violation{"l2.index.kind", "is \"quotient\", but there is no l2.slice_function"};
  const std::int64_t numbers = l2.slice_function->numbers();
  return violation(*l2.quotient_index, numbers, std::ssize(l2.cache.set_ways), l2.cache.line_size);
}

}  // namespace

Broken violation(const L2& l2, std::int64_t sm_count) {
  if (auto broken = cache_violation(l2.cache, "l2")) return broken;
  if (auto broken = partition_violation(l2, sm_count)) return broken;
  if (auto broken = copy_violation(l2)) return broken;
  if (auto broken = prefetch_violation(l2)) return broken;
  if (l2.slice_function) {
    if (auto broken = violation(*l2.slice_function, l2.slices, l2.cache.line_size)) return broken;
    if (auto broken = sms_violation(*l2.slice_function, sm_count)) return broken;
  }
  if (auto broken = at_most("l2.slices", l2.slices, "the number of lines of a partition", l2.cache.lines())) {
    return broken;
  }
  if (auto broken = quotient_violation(l2)) return broken;
  if (l2.sm_latency_spread >= l2.latency) return Violation{"l2.sm_latency_spread", "is not smaller than the latency"};
  return std::nullopt;
}

L2 read_l2(const Section& section) {
  L2 l2;
  l2.latency = section.integer("latency");
  l2.partitions = section.integer("partitions", 1);
  if (l2.partitions > 1 && !section.has("far_latency")) {
    section.refuse("far_latency", "is missing, but there are " + text(l2.partitions) + " partitions");
  }
  if (l2.partitions == 1 && section.has("far_latency")) {
    section.refuse("far_latency", "is given, but there is one partition");
  }
  l2.far_latency = l2.partitions > 1 ? section.integer("far_latency") : l2.latency;
  if (section.has("home_masks")) l2.home_masks = read_masks(section, "home_masks");
  if (section.has("sm_partition")) l2.sm_partition = section.integers("sm_partition");
  l2.replicate = section.boolean("replicate", false);
  if (const auto prefetch = section.optional_section("prefetch")) {
    l2.prefetch_size = prefetch->integer("size");
  }
  l2.slices = section.integer("slices", 1);
  if (const auto function = section.optional_section("slice_function")) {
    l2.slice_function = read_slice_function(*function);
  }
  l2.sm_latency_spread = section.integer("sm_latency_spread", 0);
  l2.board = section.integer("board", 0);
  read_line(section, l2.cache);
  l2.cache.set_ways = read_set_ways(section, l2.cache.line_size * l2.partitions);
  const auto index = section.optional_section("index");
  if (index && index->text("kind") == "quotient") {
    l2.quotient_index = read_quotient_index(*index);
    l2.cache.index = {.kind = Index::Kind::modulo, .bits = {}, .masks = {}};
  } else {
    l2.cache.index = read_index(section, l2.cache.line_size, l2.cache.set_ways.size());
  }
  l2.cache.replacement = read_replacement(section);
  return l2;
}

}  // namespace tomograph::sim
