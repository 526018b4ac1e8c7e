#include "analysis_function.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <random>

#include "analysis_clusters.hpp"

namespace tomograph::l2_slices {

namespace {

using Lines = std::vector<std::int64_t>;

/// Share of lines that may contradict a mask or an XOR that leaves the slice: strays. The test of the function decides
/// whether they were strays; what is none contradicts at least a fifth of the lines of any function that was seen.
constexpr double most_strays = 0.1;
/// Share of tested lines that a function must predict.
constexpr double least_right = 0.999;
/// Fewer lines cannot show it.
constexpr std::size_t least_tested = 1000;
/// So many lines fit one of a million changes by chance once in 1e8 pages, even if there are but eight clusters.
constexpr std::size_t least_of_page = 16;
/// A table with more entries has fewer than three fitted lines for an entry.
constexpr std::size_t lines_per_entry = 4;
/// One in so many lines tests a table. The others leave no entry of eight lines open but one in 65,536.
constexpr std::uint64_t parts = 4;

unsigned width_of(const PageOfLines& page) {
  return static_cast<unsigned>(std::bit_width(std::max<std::size_t>(page.cluster.size(), 1) - 1));
}

/// Lines of each slice or, where no homes are known, of each cluster: few clusters have slices of several classes.
std::vector<Lines> lines_together(const PageOfLines& page) {
  std::map<std::size_t, Lines> lines;
  for (const auto& [line, slice] : page.homes) lines[slice].push_back(line);
  for (std::int64_t line = 0; page.homes.empty() && line < std::ssize(page.cluster); ++line) {
    const int cluster = page.cluster[static_cast<std::size_t>(line)];
    if (cluster != no_cluster) lines[static_cast<std::size_t>(cluster)].push_back(line);
  }
  std::vector<Lines> together;
  for (auto& [number, own] : lines) together.push_back(std::move(own));
  return together;
}

/// Whether the parity of line & mask is the same for all lines of each slice, but for strays.
bool is_constant(std::uint64_t mask, const std::vector<Lines>& slices, std::size_t most) {
  std::size_t contradictions = 0;
  for (const Lines& lines : slices) {
    const auto odd = static_cast<std::size_t>(std::ranges::count_if(
        lines, [&](std::int64_t line) { return analysis::parity(static_cast<std::uint64_t>(line) & mask); }));
    contradictions += std::min(odd, lines.size() - odd);
    if (contradictions > most) return false;
  }
  return true;
}

/// How each line of a slice differs from the next one.
std::vector<std::uint64_t> differences_within(const std::vector<Lines>& slices) {
  std::vector<std::uint64_t> differences;
  for (const Lines& lines : slices) {
    for (std::size_t i = 1; i < lines.size(); ++i) {
      differences.push_back(static_cast<std::uint64_t>(lines[i - 1] ^ lines[i]));
    }
  }
  return differences;
}

analysis::Basis masks_of_slices(const PageOfLines& page) {
  if (page.cluster_of_slice.empty()) return {};
  const auto slices = lines_together(page);
  const std::size_t lines = page.homes.empty() ? page.cluster.size() : page.homes.size();
  const auto most = static_cast<std::size_t>(most_strays * static_cast<double>(lines));
  // A stray makes two differences odd at most. This rules out nearly all masks at once.
  const auto odd = analysis::odd_parities(differences_within(slices), width_of(page));
  std::vector<std::uint64_t> masks;
  for (std::uint64_t mask = 1; mask < odd.size(); ++mask) {
    if (odd[mask] <= 2 * most && is_constant(mask, slices, most)) masks.push_back(mask);
  }
  return analysis::basis(masks);
}

/// The clusters of lines that a function is made from, and of those that test it, by line: `no_cluster` elsewhere.
struct Parts {
  std::vector<int> fitted;
  std::vector<int> others;
};

/// A line whose cluster is known, as the entry of a function that it falls into.
struct Vote {
  std::size_t entry;
  int cluster;
  auto operator<=>(const Vote&) const = default;
};

/// The cluster with the most votes for each of `entries`, the lowest of several; `no_cluster` without votes.
std::vector<int> elected(std::vector<Vote> votes, std::size_t entries) {
  std::vector<int> clusters(entries, no_cluster);
  std::vector<std::ptrdiff_t> most(entries, 0);
  std::ranges::sort(votes);
  for (auto first = votes.begin(); first != votes.end();) {
    const auto [entry, cluster] = *first;
    const auto next = std::upper_bound(first, votes.end(), *first);
    if (next - first > most[entry]) {
      most[entry] = next - first;
      clusters[entry] = cluster;
    }
    first = next;
  }
  return clusters;
}

/// The number of the entry for each line of a page. Parities of a line are sums of those of its bits.
std::vector<std::size_t> entry_by_line(const SliceFunction& function, unsigned width) {
  std::vector<std::size_t> of_bits;
  std::vector<std::uint64_t> number_of_bits;
  for (unsigned bit = 0; bit < width; ++bit) {
    of_bits.push_back(analysis::parities(std::uint64_t{1} << bit, function.masks));
    number_of_bits.push_back(analysis::parities(std::uint64_t{1} << bit, function.number.masks));
  }
  std::vector<std::size_t> entries = analysis::sums(of_bits);
  const auto numbers = analysis::sums(number_of_bits);
  for (std::size_t line = 0; line < entries.size(); ++line) {
    const auto remainder = (numbers[line] ^ function.number.inverted) % static_cast<std::uint64_t>(function.factor);
    entries[line] |= remainder << function.masks.size();
  }
  return entries;
}

/// Makes the entries of a function from lines, and predicts the clusters of others.
void fit(SliceFunction& function, const PageOfLines& page, const Parts& lines) {
  const auto entry = entry_by_line(function, width_of(page));
  std::vector<Vote> votes;
  for (std::size_t line = 0; line < lines.fitted.size(); ++line) {
    if (lines.fitted[line] != no_cluster) votes.push_back({entry[line], lines.fitted[line]});
  }
  function.entries =
      elected(std::move(votes), (std::size_t{1} << function.masks.size()) * static_cast<std::size_t>(function.factor));
  for (std::size_t line = 0; line < lines.others.size(); ++line) {
    if (lines.others[line] == no_cluster) continue;
    ++function.tested;
    if (function.entries[entry[line]] != lines.others[line]) ++function.wrong;
  }
}

double right(const SliceFunction& function) {
  return function.tested == 0 ? 0 : 1 - static_cast<double>(function.wrong) / static_cast<double>(function.tested);
}

/// Lines whose slices are known make a function, and all others test it.
Parts parts_by_homes(const PageOfLines& page) {
  Parts lines{std::vector<int>(page.cluster.size(), no_cluster), page.cluster};
  for (const auto& [line, slice] : page.homes) {
    lines.fitted[static_cast<std::size_t>(line)] = static_cast<int>(page.cluster_of_slice[slice]);
    lines.others[static_cast<std::size_t>(line)] = no_cluster;
  }
  return lines;
}

/// The line number without its lowest bits.
HashedNumber shifted(unsigned shift, unsigned width) {
  HashedNumber number;
  for (unsigned bit = shift; bit < width; ++bit) number.masks.push_back(std::uint64_t{1} << bit);
  return number;
}

/// The masks and, if they leave an odd number of slices to each value, the remainder that predicts best.
SliceFunction of_slices(const PageOfLines& page, const analysis::Basis& masks) {
  const Parts lines = parts_by_homes(page);
  SliceFunction best{.kind = FunctionKind::xor_masks, .masks = masks, .slice_masks = masks};
  fit(best, page, lines);
  const std::size_t slices = page.cluster_of_slice.size();
  const std::size_t values = std::size_t{1} << masks.size();
  if (slices % values != 0 || slices / values % 2 == 0 || slices == values) return best;
  for (unsigned shift = 0; shift < width_of(page); ++shift) {
    SliceFunction function{.kind = FunctionKind::remainder,
                           .masks = masks,
                           .slice_masks = masks,
                           .factor = static_cast<std::int64_t>(slices / values),
                           .number = shifted(shift, width_of(page))};
    fit(function, page, lines);
    if (right(function) > right(best)) best = std::move(function);
  }
  return best;
}

/// Whether lines keep their `clusters` if `difference` is added to their numbers, but for strays. Lines of no cluster
/// do not count.
bool keeps_clusters(const std::vector<int>& clusters, std::uint64_t difference) {
  constexpr std::size_t first_look = 64;  // most differences change nearly all of these
  std::size_t changed = 0;
  std::size_t pairs = 0;
  for (std::size_t line = 0; line < clusters.size(); ++line) {
    const std::size_t other = line ^ difference;
    if (other >= clusters.size() || clusters[line] == no_cluster || clusters[other] == no_cluster) continue;
    ++pairs;
    changed += clusters[line] != clusters[other] ? 1 : 0;
    if (pairs <= first_look && 2 * changed > first_look) return false;
  }
  return pairs >= first_look && static_cast<double>(pairs - changed) >= (1 - most_strays) * static_cast<double>(pairs);
}

/// Three quarters of the lines, at random, make a function, and the last one tests it.
Parts parts_by_chance(const PageOfLines& page) {
  Parts lines{std::vector<int>(page.cluster.size(), no_cluster), std::vector<int>(page.cluster.size(), no_cluster)};
  std::mt19937_64 random;  // seeded alike in every run
  for (std::size_t line = 0; line < page.cluster.size(); ++line) {
    (random() % parts != 0 ? lines.fitted : lines.others)[line] = page.cluster[line];
  }
  return lines;
}

/// A table by the parities of those masks that do not change where lines keep their clusters.
std::optional<SliceFunction> of_clusters(const PageOfLines& page, const Parts& lines,
                                         const analysis::Basis& slice_masks) {
  const std::uint64_t numbers = std::uint64_t{1} << width_of(page);
  std::vector<std::uint64_t> kept;
  for (std::uint64_t difference = 1; difference < numbers; ++difference) {
    if (keeps_clusters(lines.fitted, difference)) kept.push_back(difference);
  }
  SliceFunction function{.kind = FunctionKind::table,
                         .masks = analysis::orthogonal_complement(analysis::basis(kept), numbers - 1),
                         .slice_masks = slice_masks};
  if ((std::size_t{1} << function.masks.size()) > page.cluster.size() / lines_per_entry) return std::nullopt;
  fit(function, page, lines);
  return function;
}

/// The parities of a vector with `basis`, less significant first, as a mask on them, if the basis spans it.
std::optional<std::uint64_t> coordinates(const analysis::Basis& basis, std::uint64_t vector) {
  std::uint64_t sum = 0;
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < basis.size(); ++i) {
    if ((vector & std::bit_floor(basis[i])) == 0) continue;
    sum ^= basis[i];
    result |= std::uint64_t{1} << i;
  }
  return sum == vector ? std::optional(result) : std::nullopt;
}

/// The masks of slices, and the number whose remainder tells the clusters of `table`, if there is one.
std::optional<SliceFunction> of_number(const SliceFunction& table, const PageOfLines& page, const Parts& lines) {
  const std::size_t values = std::size_t{1} << table.slice_masks.size();
  const std::size_t slices = page.cluster_of_slice.size();
  if (slices % values != 0 || slices / values % 2 == 0 || slices == values) return std::nullopt;
  // Where no latency separates slices of two classes, the table does not tell these classes.
  std::vector<std::uint64_t> class_masks;
  for (const std::uint64_t mask : analysis::sums(table.slice_masks)) {
    if (const auto in_table = coordinates(table.masks, mask)) class_masks.push_back(*in_table);
  }
  const auto factor = static_cast<std::int64_t>(slices / values);
  auto number = number_behind(table.entries, analysis::basis(class_masks), factor);
  if (!number) return std::nullopt;
  for (std::uint64_t& mask : number->masks) {
    std::uint64_t of_line = 0;
    for (std::size_t i = 0; i < table.masks.size(); ++i) of_line ^= (mask >> i & 1U) != 0 ? table.masks[i] : 0;
    mask = of_line;
  }
  SliceFunction function{.kind = FunctionKind::remainder,
                         .masks = table.slice_masks,
                         .slice_masks = table.slice_masks,
                         .factor = factor,
                         .number = *std::move(number)};
  fit(function, page, lines);
  return function;
}

bool is_confirmed(const SliceFunction& function) {
  return function.tested >= least_tested && right(function) >= least_right;
}

/// How a page differs from the one for which a function was made.
struct PageChange {
  std::size_t parities = 0;    ///< that are inverted
  std::uint64_t inverted = 0;  ///< bits of the number
  std::uint64_t added = 0;     ///< to the number
};

/// The lines of a page as a function sees them.
struct PlacedLines {
  std::vector<std::size_t> parities;
  std::vector<std::uint64_t> numbers;
  std::vector<int> clusters;
};

PlacedLines placed(const SliceFunction& function, const LinesOfPage& page, std::size_t first, std::size_t step) {
  PlacedLines lines;
  for (std::size_t i = first; i < page.lines.size(); i += step) {
    if (page.clusters[i] == no_cluster) continue;
    const auto line = static_cast<std::uint64_t>(page.lines[i]);
    lines.parities.push_back(analysis::parities(line, function.masks));
    lines.numbers.push_back(function.number.of(line));
    lines.clusters.push_back(page.clusters[i]);
  }
  return lines;
}

/// How many of the first `count` lines lie in other clusters than the function says with this change. Exact up to
/// `most`; counting ends above.
std::size_t wrong_lines(const SliceFunction& function, const PlacedLines& lines, const PageChange& change,
                        std::size_t count, std::size_t most) {
  const auto factor = static_cast<std::uint64_t>(function.factor);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count && wrong <= most; ++i) {
    const std::uint64_t remainder = ((lines.numbers[i] ^ change.inverted) + change.added) % factor;
    const std::size_t entry = remainder << function.masks.size() | (lines.parities[i] ^ change.parities);
    wrong += function.entries[entry] == lines.clusters[i] ? 0 : 1;
  }
  return wrong;
}

/// The change that explains most of the lines, if it explains all but strays.
std::optional<PageChange> change_of(const SliceFunction& function, const PlacedLines& lines) {
  const std::size_t count = lines.clusters.size();
  const std::size_t few = std::min<std::size_t>(count, 32);  // a wrong change contradicts most of them
  const auto strays = [](std::size_t all) { return static_cast<std::size_t>(most_strays * static_cast<double>(all)); };
  const std::size_t bits = function.factor > 1 ? function.number.masks.size() : 0;
  std::optional<PageChange> best;
  std::size_t least = strays(count) + 1;
  for (PageChange one; one.parities < std::size_t{1} << function.masks.size(); ++one.parities) {
    for (one.added = 0; one.added < static_cast<std::uint64_t>(function.factor); ++one.added) {
      for (one.inverted = 0; one.inverted < std::uint64_t{1} << bits && least > 0; ++one.inverted) {
        if (wrong_lines(function, lines, one, few, strays(few)) > strays(few)) continue;
        const std::size_t wrong = wrong_lines(function, lines, one, count, least);
        if (wrong >= least) continue;
        least = wrong;
        best = one;
      }
    }
  }
  return best;
}

/// Whether the lines of other pages follow the function. Counts the pages, and the lines that were predicted.
bool is_followed(SliceFunction& function, const PageOfLines& page) {
  for (const LinesOfPage& other : page.others) {
    const PlacedLines fitted = placed(function, other, 0, 2);
    if (fitted.clusters.size() < least_of_page) continue;
    const auto change = change_of(function, fitted);
    if (!change) return false;
    const PlacedLines lines = placed(function, other, 1, 2);
    const std::size_t count = lines.clusters.size();
    function.tested += count;
    function.wrong += wrong_lines(function, lines, *change, count, count);
    ++function.pages;
  }
  return is_confirmed(function);
}

/// The function, with the number inverted in those classes where the other pages need it. In the first page, a number
/// and its inverse tell the same slices. In others they do not, since what a page adds counts the other way.
std::optional<SliceFunction> as_followed(const SliceFunction& function, const PageOfLines& page, const Parts& lines) {
  for (const std::uint64_t inverting : analysis::sums(function.masks)) {
    SliceFunction turned = function;
    for (std::uint64_t& mask : turned.number.masks) mask ^= inverting;
    turned.tested = turned.wrong = 0;
    fit(turned, page, lines);
    if (is_followed(turned, page)) return turned;
  }
  return std::nullopt;
}

std::string percent(double share) {
  std::string text = std::to_string(std::floor(share * 1e4) / 1e2);
  return text.substr(0, text.find('.') + 3) + " %";
}

}  // namespace

std::size_t entry_of(const SliceFunction& function, std::int64_t line) {
  const auto number = static_cast<std::uint64_t>(line);
  const std::uint64_t remainder = function.number.of(number) % static_cast<std::uint64_t>(function.factor);
  return remainder << function.masks.size() | analysis::parities(number, function.masks);
}

FoundFunction find_function(const PageOfLines& page) {
  if (page.cluster.size() < 2 * least_tested) return {{}, "too few lines fit a quarter of L2"};
  const analysis::Basis masks = masks_of_slices(page);
  std::string reason = "no XOR of address bits is the same for all lines of a slice";
  if (!page.homes.empty()) {
    SliceFunction function = of_slices(page, masks);
    if (is_confirmed(function) && is_followed(function, page)) return {std::move(function), {}};
    if (!masks.empty()) {
      reason = std::to_string(masks.size()) + " XORs of address bits" +
               (function.factor > 1 ? " and a remainder by " + std::to_string(function.factor) : std::string()) +
               " predict " + percent(right(function)) + " of the other lines";
    }
  }
  const Parts lines = parts_by_chance(page);
  auto table = of_clusters(page, lines, masks);
  if (!table) return {{}, reason + "; no table is smaller than the page"};
  if (const auto number = of_number(*table, page, lines); number && is_confirmed(*number)) {
    if (auto followed = as_followed(*number, page, lines)) return {std::move(followed), {}};
  }
  if (is_confirmed(*table)) return {std::move(table), {}};
  return {{},
          reason + "; a table of " + std::to_string(table->entries.size()) + " entries predicts " +
              percent(right(*table)) + " of the lines from which it was not made"};
}

}  // namespace tomograph::l2_slices
