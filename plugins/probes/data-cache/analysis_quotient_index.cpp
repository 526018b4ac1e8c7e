#include "analysis_quotient_index.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>
#include <random>

#include "analysis_l2_index.hpp"
#include "analysis_page_states.hpp"
#include "tomograph/analysis/linear_index.hpp"

namespace tomograph::data_cache {

namespace {

/// What pages do that lie side by side: each adds `step` more than the one before. `base` is what page 0 adds.
struct Neighbours {
  std::int64_t base = 0;
  States states = {};
};

std::optional<Neighbours> side_by_side(const States& states, std::int64_t step, std::int64_t factor) {
  for (std::int64_t base = 0; base < factor; ++base) {
    Neighbours found{base, {}};
    for (const auto& [page, all] : states) {
      const std::int64_t start = (base + step * (page % factor)) % factor;
      for (const PageState& state : all) {
        if (state.start == start || state.start == PageState::unknown) found.states[page].push_back(state);
      }
    }
    const std::size_t lost = states.size() - found.states.size();
    if (lost * pages_for_each_lost <= states.size()) return found;
  }
  return std::nullopt;
}

using SurePages = std::map<std::int64_t, PageState>;

/// Pages whose inversion is certain.
SurePages certain(const States& states) {
  SurePages sure;
  for (const auto& [page, all] : states) {
    const PageState& first = all.front();
    const auto differs = [&](const PageState& one) { return one.inverted != first.inverted; };
    if (std::ranges::none_of(all, differs)) sure.emplace(page, first);
  }
  return sure;
}

/// Bits of the pages' numbers that are looked for: a few hundred pages vary no more.
constexpr unsigned page_number_bits = 10;

/// Whether inversions are an affine function of the lowest bits of the pages' numbers, of which the first one is
/// `first`.
bool are_affine(const SurePages& pages, std::int64_t first) {
  std::map<int, std::pair<Bits, Bits>> rows;  // by the highest bit
  for (const auto& [page, state] : pages) {
    constexpr Bits most = Bits{1} << page_number_bits;
    Bits number = most | (static_cast<Bits>(first + page) & (most - 1));
    Bits inverted = state.inverted;
    while (number != 0) {
      const auto [row, is_new] = rows.try_emplace(static_cast<int>(std::bit_width(number)), number, inverted);
      if (is_new) break;
      number ^= row->second.first;
      inverted ^= row->second.second;
    }
    if (number == 0 && inverted != 0) return false;
  }
  return true;
}

/// A line as the sets of a slice see it.
struct PlacedLine {
  std::size_t set = 0;
  std::uint64_t quotient = 0;
  Bits place = 0;  ///< the lowest bits of the quotient, and above them the place of the line in its granule
};

/// Bits of a line that tell it from the others of its granule, which lies in one slice.
Masks places_of(const SliceNumber& number, Bits all) {
  Masks masks = number.classes;
  masks.insert(masks.end(), number.masks.begin(), number.masks.end());
  Masks places;
  for (const Bits one : analysis::orthogonal_complement(analysis::basis(masks), all)) {
    places.push_back(std::bit_floor(one));
  }
  std::ranges::sort(places);
  return places;
}

/// Places lines of pages whose states and numbers are known.
class Placing {
 public:
  Placing(const SliceNumber& number, const Masks& places, std::int64_t first_page)
      : number_(&number), places_(&places), first_page_(first_page) {}

  [[nodiscard]] PlacedLine operator()(std::int64_t page, const PageState& state, const Member& member) const {
    const auto upper = static_cast<std::uint64_t>(first_page_ + page) << number_->masks.size();
    const std::uint64_t quotient =
        (upper | (member.number ^ state.inverted)) / static_cast<std::uint64_t>(number_->factor);
    constexpr std::uint64_t lowest = (std::uint64_t{1} << QuotientIndex::quotient_bits) - 1;
    const Bits place = analysis::parities(member.line, *places_) << QuotientIndex::quotient_bits;
    return {member.set, quotient, (quotient & lowest) | place};
  }

 private:
  const SliceNumber* number_;
  const Masks* places_;
  std::int64_t first_page_;
};

std::vector<PlacedLine> placed(const Pages& pages, const SurePages& states, const Placing& placing) {
  std::vector<PlacedLine> lines;
  for (const auto& [page, state] : states) {
    for (const Member& member : pages.at(page)) {
      if (member.home == state.home) lines.push_back(placing(page, state, member));
    }
  }
  return lines;
}

/// Some lines of the pages, of any set.
std::vector<PlacedLine> any_lines(const SurePages& states, const SliceNumber& number, const Placing& placing,
                                  Bits last_line) {
  constexpr int of_each = 8;  // thousands in all, to tell fewer than thirty bits
  std::mt19937_64 random;     // seeded alike in every run
  std::vector<PlacedLine> lines;
  for (const auto& [page, state] : states) {
    for (int i = 0; i < of_each; ++i) {
      const Bits line = random() & last_line;
      lines.push_back(placing(page, state, {0, line, analysis::parities(line, number.masks), false}));
    }
  }
  return lines;
}

/// Masks with the same parity for all lines of a set.
analysis::Basis shared_masks(const std::vector<PlacedLine>& lines, unsigned bits) {
  std::map<std::size_t, Bits> first;
  Masks differences;
  for (const PlacedLine& line : lines) {
    differences.push_back(line.place ^ first.try_emplace(line.set, line.place).first->second);
  }
  return analysis::orthogonal_complement(analysis::basis(differences), (Bits{1} << bits) - 1);
}

std::int64_t modulo_inverse(std::int64_t value, std::int64_t factor) {
  for (std::int64_t one = 1; one < factor; ++one) {
    if (value * one % factor == 1) return one;
  }
  return 0;
}

/// The smallest number with the lowest bits of `low` and this remainder by `factor`.
std::int64_t with_remainder(std::int64_t low, std::int64_t remainder, std::int64_t factor) {
  std::int64_t number = low;
  while (number % factor != remainder) number += std::int64_t{1} << page_number_bits;
  return number;
}

/// The remainder by an odd factor of the quotient from some bit on, whose two lowest bits are parities of it.
struct Division {
  std::int64_t factor = 1;
  unsigned shift = 0;
  std::uint64_t lowest = 0;
  std::uint64_t second = 0;

  [[nodiscard]] std::uint64_t remainder(std::uint64_t quotient) const {
    const std::uint64_t bits =
        (analysis::parity(quotient & lowest) ? 1U : 0U) | (analysis::parity(quotient & second) ? 2U : 0U);
    return ((quotient >> (shift + 2) << 2U) + bits) % static_cast<std::uint64_t>(factor);
  }
};

/// Finds the division whose remainder is the same for all lines of a set, of a quotient without its `shift` lowest
/// bits.
class DivisionSearch {
 public:
  DivisionSearch(const std::vector<PlacedLine>& lines, std::size_t sets, std::int64_t factor, unsigned shift)
      : lines_(&lines), sets_(sets), factor_(factor), shift_(shift) {}

  /// The remainder of what lies above the two lowest bits, which are worth 0 to 3, tells lines whose remainders are the
  /// same if and only if these bits are worth the same: both parities are, too. By a factor of three, 0 and 3 are the
  /// same, and only the sum of both parities must be.
  [[nodiscard]] std::optional<Division> find() const {
    const Masks even = even_masks();
    const auto with_lowest = [&](Bits pattern) {
      Masks masks;
      for (const Bits mask : even) {
        if ((mask >> shift_ & 3U) == pattern) masks.push_back(mask);
      }
      return masks;
    };
    if (factor_ > 3) return of_pairs(with_lowest(1), [&](Bits) { return with_lowest(2); });
    const Masks sums = with_lowest(3);
    return of_pairs(all_with_lowest(), [&](Bits one) {
      Masks others;
      for (const Bits sum : sums) others.push_back(sum ^ one);
      return others;
    });
  }

 private:
  /// Masks of the bits that are left, with an even parity for all differences of lines that share a set and the
  /// remainder of the upper bits. None if there are many: too few lines tell.
  [[nodiscard]] Masks even_masks() const {
    std::map<std::pair<std::size_t, std::uint64_t>, std::uint64_t> first;
    Masks differences;
    const Division upper{.factor = factor_, .shift = shift_};
    for (const PlacedLine& line : *lines_) {
      const auto group = std::pair(line.set, upper.remainder(line.quotient));
      differences.push_back((line.quotient ^ first.try_emplace(group, line.quotient).first->second) & all_bits());
    }
    const auto space = analysis::orthogonal_complement(analysis::basis(differences), all_bits());
    constexpr std::size_t most = 8;  // 256 masks, of which some thousand pairs are tried; lines of an H200 leave 3
    return space.size() > most ? Masks{} : analysis::sums(space);
  }

  [[nodiscard]] Bits all_bits() const { return ((Bits{1} << QuotientIndex::quotient_bits) - 1) >> shift_ << shift_; }

  /// All masks of the lowest bit and bits above the second one.
  [[nodiscard]] Masks all_with_lowest() const {
    Masks masks;
    for (Bits upper = 0; upper <= all_bits(); upper += Bits{4} << shift_) masks.push_back(upper | Bits{1} << shift_);
    return masks;
  }

  template <typename Others>
  [[nodiscard]] std::optional<Division> of_pairs(const Masks& lowest, const Others& seconds) const {
    for (const Bits one : lowest) {
      for (const Bits two : seconds(one)) {
        const Division division{.factor = factor_, .shift = shift_, .lowest = one, .second = two};
        if (explains_all(division)) return division;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool explains_all(const Division& division) const {
    constexpr std::uint64_t none = ~std::uint64_t{0};
    std::vector<std::uint64_t> of_set(sets_, none);
    return std::ranges::all_of(*lines_, [&](const PlacedLine& line) {
      const std::uint64_t remainder = division.remainder(line.quotient);
      std::uint64_t& expected = of_set[line.set];
      if (expected == none) expected = remainder;
      return expected == remainder;
    });
  }

  const std::vector<PlacedLine>* lines_;
  std::size_t sets_;
  std::int64_t factor_;
  unsigned shift_;
};

std::optional<Division> division_of(const std::vector<PlacedLine>& lines, std::size_t sets, std::int64_t factor) {
  constexpr unsigned most_shift = 6;  // of 14 bits, so that others are left for parities to replace
  for (unsigned shift = 0; shift <= most_shift; ++shift) {
    if (const auto found = DivisionSearch(lines, sets, factor, shift).find()) return found;
  }
  return std::nullopt;
}

/// What chooses the set in a slice.
struct Law {
  analysis::Basis parities = {};
  analysis::Basis undetermined = {};
  Division division = {};

  [[nodiscard]] std::uint64_t set_of(const PlacedLine& line) const {
    return division.remainder(line.quotient) << parities.size() | analysis::parities(line.place, parities);
  }
};

/// What masks span beside the parities that are not determined.
analysis::Basis beside(Masks masks, const analysis::Basis& undetermined) {
  masks.insert(masks.end(), undetermined.begin(), undetermined.end());
  return analysis::quotient(analysis::basis(masks), undetermined);
}

analysis::Basis both(Masks one, const analysis::Basis& other) {
  one.insert(one.end(), other.begin(), other.end());
  return analysis::basis(one);
}

/// Whether laws are the same beside what is undetermined.
bool agree(const Law& one, const Law& other, const analysis::Basis& undetermined) {
  const Masks of_divisions{one.division.lowest ^ other.division.lowest, one.division.second ^ other.division.second};
  const auto parities = beside(one.parities, undetermined);
  return one.division.factor == other.division.factor && one.division.shift == other.division.shift &&
         beside(of_divisions, undetermined).empty() && parities.size() == one.parities.size() &&
         parities == beside(other.parities, undetermined);
}

/// How often a law was right about lines from which it was not made.
struct Tested {
  std::size_t lines = 0;
  std::size_t wrong = 0;
};

/// `fitted` tell which set of the law each set is. Other sets are not tested.
Tested test(const Law& law, const std::vector<PlacedLine>& fitted, const std::vector<PlacedLine>& others) {
  std::map<std::size_t, std::map<std::uint64_t, std::size_t>> votes;
  for (const PlacedLine& line : fitted) ++votes[line.set][law.set_of(line)];
  std::map<std::size_t, std::uint64_t> usual;
  for (const auto& [set, counts] : votes) {
    usual[set] = std::ranges::max_element(counts, {}, [](const auto& vote) { return vote.second; })->first;
  }
  Tested tested;
  for (const PlacedLine& line : others) {
    const auto expected = usual.find(line.set);
    if (expected == usual.end()) continue;
    ++tested.lines;
    tested.wrong += law.set_of(line) == expected->second ? 0 : 1;
  }
  return tested;
}

/// The largest odd factor of a number of sets. A choice: GPUs have three or five parts of something.
constexpr std::int64_t most_factor = 15;
/// By how much the number of sets may differ from what lines of a hundred pages tell, since they fall into sets
/// unevenly. A choice: a divisor of the right factor is at most a third of it, and lines contradict all others.
constexpr double about = 1.35;

/// The odd factors that make about as many sets of `groups` groups as `sets`, the nearest first.
std::vector<std::int64_t> factors_of(double sets, std::size_t groups) {
  std::vector<std::int64_t> factors;
  const auto distance = [&](std::int64_t factor) {
    return std::abs(std::log(sets / static_cast<double>(groups) / static_cast<double>(factor)));
  };
  for (std::int64_t factor = 1; factor <= most_factor; factor += 2) {
    if (distance(factor) < std::log(about)) factors.push_back(factor);
  }
  std::ranges::sort(factors, {}, distance);
  return factors;
}

/// Half of the pages each, at random, so that all bits of their numbers vary in both.
std::array<SurePages, 2> halves_of(const SurePages& pages) {
  std::mt19937_64 random;  // seeded alike in every run
  std::array<SurePages, 2> halves;
  for (const auto& [page, state] : pages) halves[random() % 2].emplace(page, state);
  return halves;
}

/// A law, and how lines test it.
struct Fit {
  Law law = {};
  Tested tested = {};
};

/// What lines of both homes show. Those that contradict the others' law are all wrong.
Fit together(Fit one, const Fit& other) {
  const auto undetermined = both(one.law.undetermined, other.law.undetermined);
  one.tested.wrong += agree(one.law, other.law, undetermined) ? other.tested.wrong : other.tested.lines;
  one.tested.lines += other.tested.lines;
  one.law.undetermined = undetermined;
  one.law.parities = beside(one.law.parities, undetermined);
  return one;
}

/// The law of all that fit best, wherever each says that memory begins. What one of them does not determine is
/// undetermined. Nothing if they differ otherwise.
std::optional<Fit> all_in_one(const std::vector<Fit>& fitting) {
  const auto wrong = [](const Fit& fit) { return fit.tested.wrong; };
  const auto best = std::ranges::min_element(fitting, {}, wrong);
  if (best == fitting.end()) return std::nullopt;
  Fit fit = *best;
  for (const Fit& one : fitting) {
    if (wrong(one) > wrong(*best)) continue;
    fit.law.undetermined = both(fit.law.undetermined, one.law.undetermined);
    if (!agree(one.law, best->law, fit.law.undetermined)) return std::nullopt;
  }
  fit.law.parities = beside(best->law.parities, fit.law.undetermined);
  return fit.law.parities.size() == best->law.parities.size() ? std::optional(fit) : std::nullopt;
}

/// The index by lines whose place in memory is known, up to where memory begins.
class QuotientSearch {
 public:
  QuotientSearch(const Pages& pages, const OrderedNumber& ordered, std::size_t sets, Bits last_line)
      : pages_(&pages),
        number_(&ordered.number),
        sets_(sets),
        last_line_(last_line),
        step_(power_of_two_modulo(ordered.number.masks.size(), ordered.number.factor)),
        places_(places_of(ordered.number, last_line)) {}

  /// From lines of one home. `states` are those of all pages.
  [[nodiscard]] std::optional<Fit> find(const States& states, double sets_of_slice) const {
    const auto neighbours = side_by_side(states, step_, number_->factor);
    if (!neighbours) return std::nullopt;
    const auto sure = certain(neighbours->states);
    const auto halves = halves_of(sure);
    std::vector<Fit> fitting;
    int tries = 4096;  // a second; an H200 allows 8 low numbers of 47 remainders
    for (std::int64_t low = 0; low < std::int64_t{1} << low_bits(); ++low) {
      if (!are_affine(sure, low)) continue;
      for (std::int64_t start = 0; start < number_->factor && tries > 0; ++start, --tries) {
        const std::int64_t remainder =
            (neighbours->base + start) * modulo_inverse(step_, number_->factor) % number_->factor;
        const Placing placing(*number_, places_, with_remainder(low, remainder, number_->factor));
        if (auto fit = from(placing, halves, sets_of_slice)) fitting.push_back(*std::move(fit));
      }
    }
    auto fit = all_in_one(fitting);
    if (fit) fit->tested.wrong += pages_->size() - neighbours->states.size();
    return fit;
  }

  [[nodiscard]] QuotientIndex index_of(const Fit& fit) const {
    return {.number = *number_,
            .place_masks = places_,
            .parities = fit.law.parities,
            .undetermined = fit.law.undetermined,
            .factor = fit.law.division.factor,
            .shift = fit.law.division.shift,
            .lowest = fit.law.division.lowest,
            .second = fit.law.division.second,
            .lines = fit.tested.lines,
            .wrong = fit.tested.wrong};
  }

 private:
  /// Bits of the first page's number that matter: the next one changes what the pages' higher bits add, which is the
  /// same for all pages or for those after some page, and bits of the quotient that do not take part.
  [[nodiscard]] unsigned low_bits() const {
    const auto pages = static_cast<std::uint64_t>(pages_->rbegin()->first - pages_->begin()->first);
    const auto in_page = std::min<unsigned>(static_cast<unsigned>(number_->masks.size()), QuotientIndex::quotient_bits);
    return std::min<unsigned>(page_number_bits, std::max<unsigned>(static_cast<unsigned>(std::bit_width(pages)),
                                                                   QuotientIndex::quotient_bits - in_page));
  }

  /// Either half of the pages must show the same law, and tests that of the other.
  [[nodiscard]] std::optional<Fit> from(const Placing& placing, const std::array<SurePages, 2>& halves,
                                        double sets_of_slice) const {
    if (!may_share(placing, halves[0], sets_of_slice)) return std::nullopt;
    const std::array lines{placed(*pages_, halves[0], placing), placed(*pages_, halves[1], placing)};
    const auto one = law_of(lines[0], halves[0], placing, sets_of_slice);
    const auto other = one ? law_of(lines[1], halves[1], placing, sets_of_slice) : std::nullopt;
    if (!other || !agree(*one, *other, both(one->undetermined, other->undetermined))) return std::nullopt;
    const Law& law = one->undetermined.size() <= other->undetermined.size() ? *one : *other;
    const Tested first = test(law, lines[1], lines[0]);
    const Tested second = test(law, lines[0], lines[1]);
    // One line of each page tells what the page does.
    const std::size_t telling = halves[0].size() + halves[1].size();
    const std::size_t tested = first.lines + second.lines;
    return Fit{law, {tested - std::min(tested, telling), first.wrong + second.wrong}};
  }

  /// Whether lines of a few pages leave enough parities: others leave no more.
  [[nodiscard]] bool may_share(const Placing& placing, const SurePages& pages, double sets_of_slice) const {
    constexpr std::ptrdiff_t few = 16;
    SurePages some;
    for (auto page = pages.begin(); page != pages.end() && std::ssize(some) < few; ++page) some.insert(*page);
    const auto parities = shared_masks(placed(*pages_, some, placing), vector_bits()).size();
    return std::exp2(static_cast<double>(parities)) * most_factor * about >= sets_of_slice;
  }

  [[nodiscard]] unsigned vector_bits() const {
    return static_cast<unsigned>(QuotientIndex::quotient_bits + places_.size());
  }

  [[nodiscard]] std::optional<Law> law_of(const std::vector<PlacedLine>& lines, const SurePages& pages,
                                          const Placing& placing, double sets_of_slice) const {
    if (lines.empty()) return std::nullopt;
    const auto shared = shared_masks(lines, vector_bits());
    Law law{.undetermined = shared_masks(any_lines(pages, *number_, placing, last_line_), vector_bits())};
    law.parities = analysis::quotient(shared, law.undetermined);
    for (const std::int64_t factor : factors_of(sets_of_slice, std::size_t{1} << law.parities.size())) {
      if (factor == 1) return law;
      const auto division = division_of(lines, sets_, factor);
      if (!division) continue;
      law.division = *division;
      return law;
    }
    return std::nullopt;
  }

  const Pages* pages_;
  const SliceNumber* number_;
  std::size_t sets_;
  Bits last_line_;
  std::int64_t step_;
  Masks places_;
};

/// States of pages, which take long to find, for many orders of the number's bits.
class KnownStates {
 public:
  [[nodiscard]] StatesByHome of(const OrderedNumber& number, const Pages& pages, std::size_t sets) {
    for (const auto& [other, states] : known_) {
      if (auto moved = reordered(states, other, number)) return *std::move(moved);
    }
    return known_.emplace_back(number, states_of(pages, number, sets)).second;
  }

 private:
  std::vector<std::pair<OrderedNumber, StatesByHome>> known_;
};

}  // namespace

std::optional<QuotientIndex> index_of_quotient(std::span<const std::vector<std::int64_t>> sets,
                                               std::int64_t lines_per_page, const SliceNumber& number,
                                               double sets_of_slice) {
  const Bits last_line = static_cast<Bits>(lines_per_page) - 1;
  KnownStates known;
  for (const OrderedNumber& ordered : orders_of(number, static_cast<unsigned>(std::bit_width(last_line)))) {
    const Pages pages = pages_of(sets, lines_per_page, ordered.number);
    if (pages.empty()) return std::nullopt;
    const QuotientSearch search(pages, ordered, sets.size(), last_line);
    std::optional<Fit> fit;
    for (const auto& [home, states] : known.of(ordered, pages, sets.size())) {
      const auto of_home = search.find(states, sets_of_slice);
      if (of_home) fit = fit ? together(*fit, *of_home) : *of_home;
    }
    if (fit && fit->tested.wrong * right_for_each_wrong <= fit->tested.lines) return search.index_of(*fit);
  }
  return std::nullopt;
}

}  // namespace tomograph::data_cache
