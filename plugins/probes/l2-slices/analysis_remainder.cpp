#include "analysis_remainder.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "analysis_clusters.hpp"

namespace tomograph::l2_slices {

namespace {

using Vector = std::uint64_t;

/// Share of entries that may be wrong, since they follow from few lines.
constexpr double most_wrong = 0.05;

/// By the bits that are flipped: the share of all numbers that keep their remainder by `factor`. A flipped bit adds its
/// value or subtracts it.
std::vector<double> shares_of_flips(unsigned bits, std::int64_t factor) {
  const auto remainders = static_cast<std::size_t>(factor);
  std::vector<double> shares;
  for (Vector flipped = 0; flipped < Vector{1} << bits; ++flipped) {
    std::vector<double> share(remainders, 0);
    share[0] = 1;
    for (unsigned bit = 0; bit < bits; ++bit) {
      if ((flipped >> bit & 1U) == 0) continue;
      const std::size_t value = (std::size_t{1} << bit) % remainders;
      std::vector<double> next(remainders, 0);
      for (std::size_t sum = 0; sum < remainders; ++sum) {
        next[(sum + value) % remainders] += share[sum] / 2;
        next[(sum + remainders - value) % remainders] += share[sum] / 2;
      }
      share = std::move(next);
    }
    shares.push_back(share[0]);
  }
  return shares;
}

/// The share of the entries that a difference leaves as they are, by difference; 0 outside `differences`.
std::vector<double> shares_of_differences(std::span<const int> entries, std::span<const Vector> differences) {
  std::vector<double> shares(entries.size(), 0);
  for (const Vector difference : differences) {
    std::size_t same = 0;
    std::size_t known = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i] == no_cluster || entries[i ^ difference] == no_cluster) continue;
      ++known;
      same += entries[i] == entries[i ^ difference] ? 1 : 0;
    }
    shares[difference] = known == 0 ? 0 : static_cast<double>(same) / static_cast<double>(known);
  }
  return shares;
}

/// Vectors dual to `vectors`, which are a basis of all: masks[i] & vectors[k] has odd parity if and only if i is k.
std::vector<Vector> dual(std::vector<Vector> vectors) {
  const std::size_t size = vectors.size();
  std::vector<Vector> combined(size);  // of the given ones
  for (std::size_t i = 0; i < size; ++i) combined[i] = Vector{1} << i;
  for (std::size_t column = 0; column < size; ++column) {
    std::size_t pivot = column;
    while ((vectors[pivot] >> column & 1U) == 0) ++pivot;
    std::swap(vectors[column], vectors[pivot]);
    std::swap(combined[column], combined[pivot]);
    for (std::size_t row = 0; row < size; ++row) {
      if (row == column || (vectors[row] >> column & 1U) == 0) continue;
      vectors[row] ^= vectors[column];
      combined[row] ^= combined[column];
    }
  }
  std::vector<Vector> masks(size, 0);
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t i = 0; i < size; ++i) masks[i] |= (combined[row] >> i & 1U) << row;
  }
  return masks;
}

/// Finds for each bit of a number a vector that flips it alone.
class Flips {
 public:
  Flips(std::span<const int> entries, const std::vector<Vector>& differences, std::int64_t factor)
      : bits_(static_cast<unsigned>(std::bit_width(differences.size()) - 1)),
        expected_(shares_of_flips(bits_, factor)),
        differences_(differences),
        seen_(shares_of_differences(entries, differences)) {}

  /// Vectors by bit of the number. `accept` tells whether they will do.
  template <typename Accept>
  [[nodiscard]] bool find(const Accept& accept) {
    const std::vector<Vector> roles = roles_to_find();
    if (roles.size() < bits_) return false;
    const std::vector<Vector> solution = dual(roles);
    std::vector<Vector> found;
    const auto complete = [&] {
      std::vector<Vector> flips(bits_, 0);
      // Solves: the flips of each role's bits sum up to the vector found for it.
      for (unsigned bit = 0; bit < bits_; ++bit) {
        for (unsigned role = 0; role < bits_; ++role) {
          if ((solution[role] >> bit & 1U) != 0) flips[bit] ^= found[role];
        }
      }
      return accept(flips);
    };
    return search(roles, {0}, {0}, found, complete);
  }

 private:
  /// Independent sets of flipped bits, those first that leave most remainders.
  [[nodiscard]] std::vector<Vector> roles_to_find() const {
    std::vector<Vector> order(expected_.size() - 1);
    std::iota(order.begin(), order.end(), Vector{1});
    std::ranges::stable_sort(order, std::greater{}, [&](Vector flipped) { return expected_[flipped]; });
    std::vector<Vector> roles;
    for (const Vector flipped : order) {
      if (roles.size() == bits_ || expected_[flipped] == 0) break;
      roles.push_back(flipped);
      if (!analysis::independent(roles)) roles.pop_back();
    }
    return roles;
  }

  /// Remainders that share an entry only add to what is expected. One that is wrong spoils two comparisons.
  [[nodiscard]] bool is_possible(Vector flipped, Vector difference) const {
    return seen_[difference] >= expected_[flipped] * (1 - 2 * most_wrong);
  }

  /// Whether each sum of what was found before and the new one leaves at least as many entries as expected.
  [[nodiscard]] bool fits(const std::vector<Vector>& flipped, const std::vector<Vector>& sums, Vector role,
                          Vector difference) const {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (!is_possible(flipped[i] ^ role, sums[i] ^ difference)) return false;
    }
    return std::ranges::find(sums, difference) == sums.end();
  }

  /// `flipped` and `sums`: all sums of the roles that have a vector, and of their vectors.
  template <typename Complete>
  bool search(const std::vector<Vector>& roles, const std::vector<Vector>& flipped, const std::vector<Vector>& sums,
              std::vector<Vector>& found, const Complete& complete) {
    if (found.size() == roles.size()) return --tries_left_ >= 0 && complete();
    const Vector role = roles[found.size()];
    std::vector<Vector> candidates;
    for (const Vector difference : differences_) {
      if (difference != 0 && is_possible(role, difference)) candidates.push_back(difference);
    }
    std::ranges::stable_sort(candidates, {}, [&](Vector difference) { return seen_[difference]; });
    for (const Vector difference : candidates) {
      if (looks_left_ == 0 || tries_left_ == 0) return false;
      if (!fits(flipped, sums, role, difference)) continue;
      --looks_left_;
      std::vector<Vector> more_flipped = flipped;
      std::vector<Vector> more_sums = sums;
      for (std::size_t i = 0; i < sums.size(); ++i) {
        more_flipped.push_back(flipped[i] ^ role);
        more_sums.push_back(sums[i] ^ difference);
      }
      found.push_back(difference);
      if (search(roles, more_flipped, more_sums, found, complete)) return true;
      found.pop_back();
    }
    return false;
  }

  unsigned bits_;
  std::vector<double> expected_;
  std::vector<Vector> differences_;
  std::vector<double> seen_;
  int looks_left_ = 10'000;  ///< at vectors that fit; a number of ten bits is found after some tens
  int tries_left_ = 16;      ///< of all vectors together; the first one succeeds unless strays mislead it
};

/// Whether the vectors of `members` for which the number has the same remainder have the same entry, but for a few.
bool tells_entries(std::span<const int> entries, std::span<const Vector> members, const HashedNumber& number,
                   std::int64_t factor) {
  std::vector<std::map<int, std::size_t>> votes(static_cast<std::size_t>(factor));
  std::size_t known = 0;
  for (const Vector member : members) {
    if (entries[member] == no_cluster) continue;
    ++votes[number.of(member) % static_cast<std::uint64_t>(factor)][entries[member]];
    ++known;
  }
  std::size_t right = 0;
  for (const auto& counts : votes) {
    const auto most = std::ranges::max_element(counts, {}, [](const auto& vote) { return vote.second; });
    if (most != counts.end()) right += most->second;
  }
  return static_cast<double>(right) >= (1 - most_wrong) * static_cast<double>(known);
}

/// A few of the members, evenly spread: several for each remainder, so that a wrong number contradicts most of them.
std::vector<Vector> few_of(std::span<const Vector> members, std::int64_t factor) {
  const std::size_t wanted = 4 * static_cast<std::size_t>(factor);
  const std::size_t step = std::max<std::size_t>(members.size() / wanted, 1);
  std::vector<Vector> few;
  for (std::size_t i = 0; i < members.size(); i += step) few.push_back(members[i]);
  return few;
}

/// The bits to invert so that the number tells the entries of `members`.
std::optional<Vector> inversion(std::span<const int> entries, std::span<const Vector> members,
                                const std::vector<Vector>& masks, std::int64_t factor) {
  const std::vector<Vector> few = few_of(members, factor);
  for (Vector inverted = 0; inverted < Vector{1} << masks.size(); ++inverted) {
    const HashedNumber number{masks, inverted};
    if (tells_entries(entries, few, number, factor) && tells_entries(entries, members, number, factor)) return inverted;
  }
  return std::nullopt;
}

/// Completes the masks of a number, which are known but for class masks: whether each of these is part of one follows
/// from the bits that are inverted in the class where it is odd. `changes[i]` leads from class 0 to that class.
std::optional<HashedNumber> completed(std::span<const int> entries, const std::vector<Vector>& class_0,
                                      const analysis::Basis& class_masks, std::span<const Vector> changes,
                                      const std::vector<Vector>& masks, std::int64_t factor) {
  const auto first = inversion(entries, class_0, masks, factor);
  if (!first) return std::nullopt;
  HashedNumber number{masks, *first};
  for (std::size_t i = 0; i < class_masks.size(); ++i) {
    std::vector<Vector> members = class_0;
    for (Vector& member : members) member ^= changes[i];
    const auto other = inversion(entries, members, masks, factor);
    if (!other) return std::nullopt;
    for (std::size_t bit = 0; bit < masks.size(); ++bit) {
      if (((*first ^ *other) >> bit & 1U) != 0) number.masks[bit] ^= class_masks[i];
    }
  }
  return number;
}

}  // namespace

std::uint64_t HashedNumber::of(std::uint64_t vector) const { return analysis::parities(vector, masks) ^ inverted; }

std::optional<HashedNumber> number_behind(std::span<const int> entries, const analysis::Basis& class_masks,
                                          std::int64_t factor) {
  const Vector all = entries.size() - 1;
  const analysis::Basis within = analysis::orthogonal_complement(class_masks, all);
  const std::vector<Vector> class_0 = analysis::sums(within);
  std::optional<HashedNumber> number;
  Flips flips(entries, class_0, factor);
  static_cast<void>(flips.find([&](std::vector<Vector> basis) {
    const std::size_t bits = basis.size();
    // Vectors that lead from class 0 to those in which one class mask is odd.
    for (std::size_t i = 0; i < class_masks.size(); ++i) {
      analysis::Basis others = class_masks;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      const auto candidates = analysis::orthogonal_complement(others, all);
      const auto changes = [&](Vector one) { return analysis::parity(one & class_masks[i]); };
      basis.push_back(*std::find_if(candidates.begin(), candidates.end(), changes));
    }
    const std::vector<Vector> masks = dual(basis);
    number = completed(entries, class_0, class_masks, std::span(basis).subspan(bits),
                       {masks.begin(), masks.begin() + static_cast<std::ptrdiff_t>(bits)}, factor);
    return number.has_value();
  }));
  return number;
}

}  // namespace tomograph::l2_slices
