#include "analysis_l2_index.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>

namespace tomograph::data_cache {

namespace {

/// Offsets of a set's lines in a page, in lines, by the page's number.
using Offsets = std::map<std::int64_t, std::vector<std::uint64_t>>;

std::vector<Offsets> offsets_of(std::span<const std::vector<std::int64_t>> sets, std::int64_t lines_per_page) {
  std::vector<Offsets> all(sets.size());
  for (std::size_t set = 0; set < sets.size(); ++set) {
    for (const std::int64_t line : sets[set]) {
      all[set][line / lines_per_page].push_back(static_cast<std::uint64_t>(line % lines_per_page));
    }
  }
  return all;
}

/// Lines beside the first of their page, but for one of each set, which tells where the set lies from the others.
std::size_t predicted_lines(const std::vector<Offsets>& sets) {
  std::map<std::int64_t, std::size_t> in_page;
  for (const Offsets& set : sets) {
    for (const auto& [page, offsets] : set) in_page[page] += offsets.size();
  }
  std::size_t lines = 0;
  for (const auto& [page, count] : in_page) lines += count - 1;
  return lines - std::min(lines, sets.size());
}

using Difference = std::function<std::uint64_t(std::uint64_t, std::uint64_t)>;

/// The differences of two sets' first offsets, in each page that holds lines of both.
std::vector<std::uint64_t> differences(const Offsets& one, const Offsets& other, const Difference& difference) {
  std::vector<std::uint64_t> all;
  for (const auto& [page, offsets] : one) {
    const auto there = other.find(page);
    if (there != other.end()) all.push_back(difference(offsets.front(), there->second.front()));
  }
  return all;
}

std::uint64_t most_frequent(std::span<const std::uint64_t> values) {
  std::map<std::uint64_t, std::size_t> times;
  for (const std::uint64_t value : values) ++times[value];
  return std::ranges::max_element(times, {}, [](const auto& entry) { return entry.second; })->first;
}

/// By how much lines miss the offset that another line of their page predicts: 0 where they share a set with it, and
/// where two sets are as far apart as in most pages.
std::vector<std::uint64_t> deviations(const std::vector<Offsets>& sets, const Difference& difference) {
  std::vector<std::uint64_t> all;
  for (std::size_t set = 0; set < sets.size(); ++set) {
    for (const auto& [page, offsets] : sets[set]) {
      for (std::size_t i = 1; i < offsets.size(); ++i) all.push_back(difference(offsets[i], offsets.front()));
    }
    for (std::size_t other = 0; other < set; ++other) {
      const auto apart = differences(sets[set], sets[other], difference);
      if (apart.size() < 2) continue;
      const std::uint64_t usual = most_frequent(apart);
      for (const std::uint64_t one : apart) all.push_back(difference(one, usual));
    }
  }
  return all;
}

/// Masks that give nearly all deviations an even parity.
analysis::Basis even_masks(std::span<const std::uint64_t> deviations, std::int64_t lines_per_page) {
  const auto odd = analysis::odd_parities(
      deviations, static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(lines_per_page))));
  std::vector<std::uint64_t> masks;
  for (std::uint64_t mask = 1; mask < odd.size(); ++mask) {
    if (odd[mask] * right_for_each_wrong <= deviations.size()) masks.push_back(mask);
  }
  return analysis::basis(masks);
}

/// Whether pages that hold lines of a set hold about as many as the index says.
bool explain_all(const std::vector<Offsets>& sets, std::int64_t lines_of_set) {
  constexpr double nearly_all =
      0.9;  // a choice: random victims let few lines escape; an index that halves them is another
  std::size_t lines = 0;
  std::size_t pages = 0;
  for (const Offsets& set : sets) {
    pages += set.size();
    for (const auto& [page, offsets] : set) lines += offsets.size();
  }
  return static_cast<double>(lines) >= nearly_all * static_cast<double>(pages) * static_cast<double>(lines_of_set);
}

/// Every second set, from `first` on.
std::vector<Offsets> half_of(const std::vector<Offsets>& sets, std::size_t first) {
  std::vector<Offsets> half;
  for (std::size_t set = first; set < sets.size(); set += 2) half.push_back(sets[set]);
  return half;
}

/// Parities that lines of a few sets share by chance are not shared by those of others: either half of the sets must
/// tell the same.
std::optional<PageIndex> by_parities(const std::vector<Offsets>& sets, std::int64_t lines_per_page) {
  const auto masks_of = [&](const std::vector<Offsets>& some) {
    return even_masks(deviations(some, std::bit_xor<>()), lines_per_page);
  };
  PageIndex index{.masks = masks_of(half_of(sets, 0))};
  if (index.masks.empty() || index.masks != masks_of(half_of(sets, 1))) return std::nullopt;
  const auto deviating = deviations(sets, std::bit_xor<>());
  index.comparisons = deviating.size();
  index.wrong = static_cast<std::size_t>(std::ranges::count_if(deviating, [&](std::uint64_t deviation) {
    return std::ranges::any_of(index.masks, [&](std::uint64_t mask) { return analysis::parity(mask & deviation); });
  }));
  if (!explain_all(sets, lines_per_page >> index.masks.size())) index.kind = PageIndex::Kind::partly_parities;
  return index;
}

std::optional<PageIndex> by_remainder(const std::vector<Offsets>& sets, std::int64_t lines_per_page,
                                      std::int64_t modulus) {
  if (modulus < 2 || !explain_all(sets, std::max<std::int64_t>(lines_per_page / modulus, 1))) return std::nullopt;
  const auto by = static_cast<std::uint64_t>(modulus);
  const auto deviating =
      deviations(sets, [by](std::uint64_t one, std::uint64_t other) { return (one % by + by - other % by) % by; });
  const auto right = std::ranges::count(deviating, std::uint64_t{0});
  return PageIndex{.kind = PageIndex::Kind::remainder,
                   .modulus = modulus,
                   .comparisons = deviating.size(),
                   .wrong = deviating.size() - static_cast<std::size_t>(right)};
}

}  // namespace

bool enough_lines(std::span<const std::vector<std::int64_t>> sets, std::int64_t lines_per_page) {
  return predicted_lines(offsets_of(sets, lines_per_page)) >= right_for_each_wrong;
}

std::optional<PageIndex> index_in_page(std::span<const std::vector<std::int64_t>> sets, std::int64_t lines_per_page,
                                       std::int64_t modulus) {
  const auto offsets = offsets_of(sets, lines_per_page);
  const std::size_t lines = predicted_lines(offsets);
  if (lines < right_for_each_wrong) return std::nullopt;
  const auto predicts = [](const std::optional<PageIndex>& index) {
    return index && index->comparisons >= right_for_each_wrong &&
           index->wrong * right_for_each_wrong <= index->comparisons;
  };
  auto index = by_parities(offsets, lines_per_page);
  if (!predicts(index) || index->kind == PageIndex::Kind::partly_parities) {
    const auto remainder = by_remainder(offsets, lines_per_page, modulus);
    if (predicts(remainder)) index = remainder;
  }
  if (!predicts(index)) return std::nullopt;
  index->lines = lines;
  return index;
}

}  // namespace tomograph::data_cache
