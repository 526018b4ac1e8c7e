#include "analysis_quotient_index.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "analysis_l2_index.hpp"
#include "tomograph/analysis/linear_index.hpp"

namespace tomograph::data_cache {

namespace {

using Bits = std::uint64_t;
using Masks = std::vector<Bits>;

bool parity(Bits vector) { return (std::popcount(vector) & 1) != 0; }

Bits number_of(Bits line, const Masks& masks) {
  Bits number = 0;
  for (std::size_t bit = 0; bit < masks.size(); ++bit) {
    number |= static_cast<Bits>(parity(line & masks[bit])) << bit;
  }
  return number;
}

/// The number with its bits in their order, of which the lowest ones are hashed.
struct OrderedNumber {
  SliceNumber number;
  unsigned hashed = 0;
};

/// Weight of a bit of a number that is divided, up to its sign.
std::int64_t weight(std::size_t bit, std::int64_t factor) {
  std::int64_t value = 1;
  for (std::size_t i = 0; i < bit; ++i) value = value * 2 % factor;
  return std::min(value, factor - value);
}

/// The class mask that makes a mask an address bit, and that bit.
struct RawBit {
  unsigned bit = 0;
  Bits added = 0;
};

std::optional<RawBit> raw_bit(Bits mask, const Masks& sums_of_classes) {
  for (const Bits sum : sums_of_classes) {
    if (std::has_single_bit(mask ^ sum)) return RawBit{static_cast<unsigned>(std::countr_zero(mask ^ sum)), sum};
  }
  return std::nullopt;
}

Masks sums(const Masks& vectors) {
  Masks all{0};
  for (const Bits vector : vectors) {
    const std::size_t count = all.size();
    for (std::size_t i = 0; i < count; ++i) all.push_back(all[i] ^ vector);
  }
  return all;
}

/// The orders of the number's bits that leave the same remainders, up to signs. Upper bits are those of the address, in
/// its order. A class mask that is part of each of them only inverts the number.
std::vector<OrderedNumber> orders_of(const SliceNumber& number, unsigned line_bits) {
  const Masks classes = sums(number.classes);
  std::map<unsigned, Bits> raw;  // what was added to an address bit
  std::vector<std::pair<Bits, std::int64_t>> hashed;
  for (std::size_t i = 0; i < number.masks.size(); ++i) {
    const auto found = raw_bit(number.masks[i], classes);
    if (found) raw[found->bit] = found->added;
    if (!found) hashed.emplace_back(number.masks[i], weight(i, number.factor));
  }
  if (raw.empty() || raw.rbegin()->first + 1 != line_bits || raw.begin()->first + raw.size() != line_bits) return {};
  constexpr std::size_t most_hashed = 8;  // of 40,320 orders; an H200 has six hashed bits
  if (hashed.size() > most_hashed) return {};
  const Bits added = raw.begin()->second;
  if (std::ranges::any_of(raw, [&](const auto& one) { return one.second != added; })) return {};
  std::vector<OrderedNumber> orders;
  std::ranges::sort(hashed);
  do {
    // Multiplied by a constant, the weights must be those of the bits' new places.
    for (std::int64_t scale = 1; scale < number.factor; ++scale) {
      const auto fits = [&](std::size_t bit) {
        const std::int64_t scaled = weight(bit, number.factor) * scale % number.factor;
        return std::min(scaled, number.factor - scaled) == hashed[bit].second;
      };
      std::vector<std::size_t> places(hashed.size());
      std::iota(places.begin(), places.end(), std::size_t{0});
      if (!std::ranges::all_of(places, fits)) continue;
      OrderedNumber one{{number.classes, {}, number.factor}, static_cast<unsigned>(hashed.size())};
      for (const auto& [mask, own] : hashed) one.number.masks.push_back(mask ^ added);
      for (const auto& [bit, of_bit] : raw) one.number.masks.push_back(Bits{1} << bit);
      orders.push_back(std::move(one));
      break;
    }
  } while (std::ranges::next_permutation(hashed).found);
  return orders;
}

/// Of so many pages, one may have a line that was counted to a wrong set.
constexpr std::size_t pages_for_each_lost = 50;

/// A line of a set, in its page.
struct Member {
  std::size_t set = 0;
  Bits line = 0;
  Bits number = 0;
  bool home = false;  ///< which of the two partitions holds it, up to an inversion by the page
};

using Pages = std::map<std::int64_t, std::vector<Member>>;

/// The class parity in which lines of a set and a page differ, as copies of lines of another partition do.
std::size_t parity_of_homes(std::span<const std::vector<std::int64_t>> sets, std::int64_t lines_per_page,
                            const Masks& classes) {
  Bits differing = 0;
  for (const auto& lines : sets) {
    for (std::size_t i = 1; i < lines.size(); ++i) {
      if (lines[i] / lines_per_page != lines[i - 1] / lines_per_page) continue;
      differing |= number_of(static_cast<Bits>(lines[i] ^ lines[i - 1]), classes);
    }
  }
  return differing == 0 ? classes.size() : static_cast<std::size_t>(std::countr_zero(differing));
}

/// The lines of a page of which each set has as many of one home as of the other.
std::vector<Member> with_twins(const std::vector<Member>& members) {
  std::map<std::size_t, int> balance;
  for (const Member& member : members) balance[member.set] += member.home ? 1 : -1;
  std::vector<Member> kept;
  for (const Member& member : members) {
    if (balance.at(member.set) == 0) kept.push_back(member);
  }
  return kept;
}

/// Leaves out lines without a twin, if nearly all have one: these few were misread.
Pages without_singles(const Pages& pages) {
  constexpr std::size_t lines_for_each_single = 50;  // many more than a measurement misreads
  Pages twins;
  std::size_t all = 0;
  std::size_t kept = 0;
  for (const auto& [page, members] : pages) {
    twins[page] = with_twins(members);
    all += members.size();
    kept += twins[page].size();
  }
  return (all - kept) * lines_for_each_single > all ? pages : twins;
}

Pages pages_of(std::span<const std::vector<std::int64_t>> sets, std::int64_t lines_per_page,
               const SliceNumber& number) {
  const std::size_t homes = parity_of_homes(sets, lines_per_page, number.classes);
  Pages pages;
  for (std::size_t set = 0; set < sets.size(); ++set) {
    for (const std::int64_t line : sets[set]) {
      const auto offset = static_cast<Bits>(line % lines_per_page);
      const bool home = homes < number.classes.size() && parity(offset & number.classes[homes]);
      pages[line / lines_per_page].push_back({set, offset, number_of(offset, number.masks), home});
    }
  }
  return without_singles(pages);
}

/// What a page may do to the lines of one home: it inverts bits of their numbers and adds to them.
struct PageState {
  bool home = false;
  Bits inverted = 0;
  std::int64_t start = unknown;  ///< remainder of what is added

  static constexpr std::int64_t unknown = -1;  ///< no remainder
};

using States = std::map<std::int64_t, std::vector<PageState>>;

/// Finds the remainder of each set, and what each page does, from the lines of all sets. The remainder of the first set
/// is called 0.
class Remainders {
 public:
  Remainders(const Pages& pages, const OrderedNumber& number, std::size_t sets)
      : pages_(&pages), factor_(number.number.factor), sets_(sets) {
    for (const auto& [page, members] : pages) {
      for (const bool home : {false, true}) {
        for (Bits inverted = 0; inverted < Bits{1} << number.hashed; ++inverted) {
          states_[page].push_back({home, inverted});
        }
      }
    }
  }

  /// `home`: that of the lines that are looked at, in the first page. No page is lost if that is possible.
  [[nodiscard]] std::optional<States> find(bool home) {
    States states = states_;
    std::erase_if(states.begin()->second, [&](const PageState& state) { return state.home != home; });
    for (const std::size_t may_lose : {std::size_t{0}, pages_->size() / pages_for_each_lost}) {
      may_lose_ = may_lose;
      const auto first = with_set(states, 0, 0);
      if (!first) continue;
      if (auto found = search(*first, 1)) return found;
    }
    return std::nullopt;
  }

 private:
  /// The states that are left if a set has this remainder, or nothing if more than a few pages have none.
  [[nodiscard]] std::optional<States> with_set(const States& states, std::size_t set, std::int64_t remainder) {
    States left;
    std::size_t lost = pages_->size() - states.size();
    for (const auto& [page, all] : states) {
      std::vector<PageState> kept;
      looks_left_ -= std::ssize(all);
      for (PageState state : all) {
        if (allows(state, pages_->at(page), set, remainder)) kept.push_back(state);
      }
      if (!kept.empty()) left.emplace(page, std::move(kept));
      if (left.empty() || left.rbegin()->first != page) ++lost;
      if (lost > may_lose_) return std::nullopt;
    }
    return left;
  }

  [[nodiscard]] bool allows(PageState& state, const std::vector<Member>& members, std::size_t set,
                            std::int64_t remainder) const {
    for (const Member& member : members) {
      if (member.set != set || member.home != state.home) continue;
      const auto number = static_cast<std::int64_t>(member.number ^ state.inverted);
      const std::int64_t start = ((remainder - number) % factor_ + factor_) % factor_;
      if (state.start == PageState::unknown) state.start = start;
      if (state.start != start) return false;
    }
    return true;
  }

  [[nodiscard]] std::optional<States> search(const States& states, std::size_t set) {
    if (set == sets_) return states;
    for (std::int64_t remainder = 0; remainder < factor_ && looks_left_ > 0; ++remainder) {
      const auto left = with_set(states, set, remainder);
      if (!left) continue;
      if (auto found = search(*left, set + 1)) return found;
    }
    return std::nullopt;
  }

  const Pages* pages_;
  std::int64_t factor_;
  std::size_t sets_;
  States states_;
  std::size_t may_lose_ = 0;              ///< pages
  std::int64_t looks_left_ = 50'000'000;  ///< at states: a second or two
};

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

/// Pages whose inversion is certain.
std::map<std::int64_t, PageState> certain(const States& states) {
  std::map<std::int64_t, PageState> sure;
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
bool are_affine(const std::map<std::int64_t, PageState>& pages, std::int64_t first) {
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
    const Bits place = number_of(member.line, *places_) << QuotientIndex::quotient_bits;
    return {member.set, quotient, (quotient & lowest) | place};
  }

 private:
  const SliceNumber* number_;
  const Masks* places_;
  std::int64_t first_page_;
};

std::vector<PlacedLine> placed(const Pages& pages, const std::map<std::int64_t, PageState>& states,
                               const Placing& placing) {
  std::vector<PlacedLine> lines;
  for (const auto& [page, state] : states) {
    for (const Member& member : pages.at(page)) {
      if (member.home == state.home) lines.push_back(placing(page, state, member));
    }
  }
  return lines;
}

/// Some lines of the pages, of any set.
std::vector<PlacedLine> any_lines(const std::map<std::int64_t, PageState>& states, const SliceNumber& number,
                                  const Placing& placing, Bits last_line) {
  constexpr Bits step = 61;  // odd, so that all bits vary
  std::vector<PlacedLine> lines;
  for (const auto& [page, state] : states) {
    for (Bits line = 0; line <= last_line; line += step) {
      lines.push_back(placing(page, state, {0, line, number_of(line, number.masks), false}));
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
  unsigned shift = 0;
  std::uint64_t lowest = 0;
  std::uint64_t second = 0;
  std::size_t wrong = 0;
};

/// Tries masks of the two lowest bits of what is divided.
class DivisionSearch {
 public:
  DivisionSearch(const std::vector<PlacedLine>& lines, std::size_t sets, std::uint64_t factor, unsigned shift)
      : lines_(&lines), sets_(sets), factor_(factor), shift_(shift) {
    for (const PlacedLine& line : lines) upper_.push_back((line.quotient >> (shift + 2) << 2U) % factor);
  }

  /// The best masks, if they contradict few lines.
  [[nodiscard]] std::optional<Division> find() const {
    std::optional<Division> best;
    const unsigned bits = QuotientIndex::quotient_bits - shift_ - 2;
    std::vector<std::vector<std::uint8_t>> parities;
    for (Bits mask = 0; mask < Bits{1} << bits; ++mask) parities.push_back(parities_of(mask << (shift_ + 2)));
    const auto lowest = parities_of(Bits{1} << shift_);
    const auto second = parities_of(Bits{2} << shift_);
    for (Bits one = 0; one < parities.size(); ++one) {
      for (Bits two = 0; two < parities.size(); ++two) {
        const std::size_t wrong = wrong_with(lowest, parities[one], second, parities[two]);
        if (best && best->wrong <= wrong) continue;
        best = {shift_, Bits{1} << shift_ | one << (shift_ + 2), Bits{2} << shift_ | two << (shift_ + 2), wrong};
        if (wrong == 0) return best;
      }
    }
    return best;
  }

 private:
  [[nodiscard]] std::vector<std::uint8_t> parities_of(Bits mask) const {
    std::vector<std::uint8_t> parities;
    for (const PlacedLine& line : *lines_) parities.push_back(parity(line.quotient & mask) ? 1 : 0);
    return parities;
  }

  /// Gives up after a few lines of each set that contradict each other.
  [[nodiscard]] std::size_t wrong_with(const std::vector<std::uint8_t>& lowest, const std::vector<std::uint8_t>& one,
                                       const std::vector<std::uint8_t>& second,
                                       const std::vector<std::uint8_t>& two) const {
    constexpr std::uint64_t none = ~std::uint64_t{0};
    std::vector<std::uint64_t> of_set(sets_, none);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < lines_->size(); ++i) {
      const std::uint64_t value =
          (upper_[i] + (lowest[i] ^ one[i]) + std::uint64_t{2} * (second[i] ^ two[i])) % factor_;
      std::uint64_t& usual = of_set[(*lines_)[i].set];
      if (usual == none) usual = value;
      if (value != usual) ++wrong;
      if (wrong > most_wrong) break;
    }
    return wrong;
  }

  /// Among the first lines of the sets, wrong masks contradict more. One in a thousand of all lines may be wrong.
  static constexpr std::size_t most_wrong = 4;

  const std::vector<PlacedLine>* lines_;
  std::size_t sets_;
  std::uint64_t factor_;
  unsigned shift_;
  std::vector<std::uint64_t> upper_;
};

std::optional<Division> division_of(const std::vector<PlacedLine>& lines, std::size_t sets, std::uint64_t factor) {
  std::optional<Division> best;
  // The more bits are left, the more masks there are.
  constexpr unsigned most_shift = 6;
  for (unsigned shift = most_shift + 1; shift-- > 0;) {
    const auto found = DivisionSearch(lines, sets, factor, shift).find();
    if (found && (!best || found->wrong < best->wrong)) best = found;
    if (best && best->wrong == 0) break;
  }
  return best;
}

std::int64_t power_of_two_modulo(std::size_t exponent, std::int64_t factor) {
  std::int64_t power = 1;
  for (std::size_t i = 0; i < exponent; ++i) power = power * 2 % factor;
  return power;
}

/// Lines whose sets are told by others: all but one of each page, which tells what the page does, and one of each set.
std::size_t told_by_others(const Pages& pages, std::size_t lines, std::size_t sets) {
  return lines - std::min(lines, pages.size() + sets);
}

/// What lines of both homes show. Those that contradict the others' index are all wrong.
QuotientIndex together(QuotientIndex one, const QuotientIndex& other) {
  const bool agree = one.parities == other.parities && one.shift == other.shift && one.lowest == other.lowest &&
                     one.second == other.second;
  one.lines += other.lines;
  one.wrong += agree ? other.wrong : other.lines;
  return one;
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
  [[nodiscard]] std::optional<QuotientIndex> find(const States& states, std::int64_t sets_of_slice) const {
    const auto neighbours = side_by_side(states, step_, number_->factor);
    if (!neighbours) return std::nullopt;
    const auto sure = certain(neighbours->states);
    std::optional<QuotientIndex> best;
    int tries = 4096;  // a second; an H200 allows 8 low numbers of 47 remainders
    for (std::int64_t low = 0; low < std::int64_t{1} << page_number_bits; ++low) {
      if (!are_affine(sure, low)) continue;
      for (std::int64_t start = 0; start < number_->factor; ++start) {
        const std::int64_t remainder =
            (neighbours->base + start) * modulo_inverse(step_, number_->factor) % number_->factor;
        const Placing placing(*number_, places_, with_remainder(low, remainder, number_->factor));
        const auto index = from(placing, sure, sets_of_slice);
        if (index && (!best || index->wrong < best->wrong)) best = index;
        if ((best && best->wrong == 0) || --tries == 0) break;
      }
      if ((best && best->wrong == 0) || tries == 0) break;
    }
    if (best) best->wrong += pages_->size() - neighbours->states.size();
    return best;
  }

 private:
  [[nodiscard]] std::optional<QuotientIndex> from(const Placing& placing,
                                                  const std::map<std::int64_t, PageState>& states,
                                                  std::int64_t sets_of_slice) const {
    const auto even_bits = static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(sets_of_slice)));
    const auto bits = static_cast<unsigned>(QuotientIndex::quotient_bits + places_.size());
    const auto lines = placed(*pages_, states, placing);
    const auto shared = shared_masks(lines, bits);
    if (lines.empty() || shared.size() < even_bits) return std::nullopt;
    // Some bits are the same for all lines of these pages.
    const auto fixed = shared_masks(any_lines(states, *number_, placing, last_line_), bits);
    QuotientIndex index{.number = *number_,
                        .place_masks = places_,
                        .parities = analysis::quotient(shared, fixed),
                        .factor = sets_of_slice >> even_bits,
                        .lines = told_by_others(*pages_, lines.size(), sets_)};
    if (index.parities.size() != even_bits) return std::nullopt;
    if (index.factor == 1) return index;
    const auto division = division_of(lines, sets_, static_cast<std::uint64_t>(index.factor));
    if (!division) return std::nullopt;
    index.shift = division->shift;
    index.lowest = division->lowest;
    index.second = division->second;
    index.wrong = division->wrong;
    return index;
  }

  const Pages* pages_;
  const SliceNumber* number_;
  std::size_t sets_;
  Bits last_line_;
  std::int64_t step_;
  Masks places_;
};

}  // namespace

std::optional<QuotientIndex> index_of_quotient(std::span<const std::vector<std::int64_t>> sets,
                                               std::int64_t lines_per_page, const SliceNumber& number,
                                               std::int64_t sets_of_slice) {
  const Bits last_line = static_cast<Bits>(lines_per_page) - 1;
  for (const OrderedNumber& ordered : orders_of(number, static_cast<unsigned>(std::bit_width(last_line)))) {
    const Pages pages = pages_of(sets, lines_per_page, ordered.number);
    if (pages.empty()) return std::nullopt;
    const QuotientSearch search(pages, ordered, sets.size(), last_line);
    std::optional<QuotientIndex> index;
    for (const bool home : {false, true}) {
      const auto states = Remainders(pages, ordered, sets.size()).find(home);
      const auto of_home = states ? search.find(*states, sets_of_slice) : std::nullopt;
      if (of_home) index = index ? together(*index, *of_home) : *of_home;
    }
    if (index && index->wrong * right_for_each_wrong <= index->lines) return index;
  }
  return std::nullopt;
}

}  // namespace tomograph::data_cache
