#include "analysis_page_states.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include "tomograph/analysis/linear_index.hpp"

namespace tomograph::data_cache {

namespace {

/// Weight of a bit of a number that is divided, up to its sign.
std::int64_t weight(std::size_t bit, std::int64_t factor) {
  const std::int64_t value = power_of_two_modulo(bit, factor);
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

/// The class parity in which lines of a set and a page differ, as copies of lines of another partition do.
std::size_t parity_of_homes(std::span<const std::vector<std::int64_t>> sets, std::int64_t lines_per_page,
                            const Masks& classes) {
  Bits differing = 0;
  for (const auto& lines : sets) {
    for (std::size_t i = 1; i < lines.size(); ++i) {
      if (lines[i] / lines_per_page != lines[i - 1] / lines_per_page) continue;
      differing |= analysis::parities(static_cast<Bits>(lines[i] ^ lines[i - 1]), classes);
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

/// The homes that lines have.
std::set<bool> homes_of(const Pages& pages) {
  std::set<bool> homes;
  for (const auto& [page, members] : pages) {
    for (const Member& member : members) homes.insert(member.home);
  }
  return homes;
}

/// Finds the remainder of each set, and what each page does, from the lines of all sets. The remainder of the first set
/// is called 0.
class Remainders {
 public:
  Remainders(const Pages& pages, const OrderedNumber& number, std::size_t sets)
      : page_count_(pages.size()), factor_(number.number.factor), members_(sets) {
    const auto homes = homes_of(pages);
    for (const auto& [page, members] : pages) {
      for (const Member& member : members) members_[member.set][page].push_back(member);
      for (const bool home : homes) {
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
    for (const std::size_t may_lose : {std::size_t{0}, page_count_ / pages_for_each_lost}) {
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
    std::size_t lost = page_count_ - states.size();
    for (const auto& [page, all] : states) {
      looks_left_ -= std::ssize(all);
      const auto members = members_[set].find(page);
      std::vector<PageState> kept = members == members_[set].end() ? all : allowed(all, members->second, remainder);
      if (kept.empty()) ++lost;
      if (lost > may_lose_) return std::nullopt;
      if (!kept.empty()) left.emplace_hint(left.end(), page, std::move(kept));
    }
    return left;
  }

  /// The states that give these lines, which share a set, this remainder.
  [[nodiscard]] std::vector<PageState> allowed(const std::vector<PageState>& states, const std::vector<Member>& members,
                                               std::int64_t remainder) const {
    std::vector<PageState> kept;
    for (PageState state : states) {
      if (allows(state, members, remainder)) kept.push_back(state);
    }
    return kept;
  }

  [[nodiscard]] bool allows(PageState& state, const std::vector<Member>& members, std::int64_t remainder) const {
    for (const Member& member : members) {
      if (member.home != state.home) continue;
      const auto number = static_cast<std::int64_t>(member.number ^ state.inverted);
      const std::int64_t start = ((remainder - number) % factor_ + factor_) % factor_;
      if (state.start == PageState::unknown) state.start = start;
      if (state.start != start) return false;
    }
    return true;
  }

  [[nodiscard]] std::optional<States> search(const States& states, std::size_t set) {
    if (set == members_.size()) return states;
    for (std::int64_t remainder = 0; remainder < factor_ && looks_left_ > 0; ++remainder) {
      const auto left = with_set(states, set, remainder);
      if (!left) continue;
      if (auto found = search(*left, set + 1)) return found;
    }
    return std::nullopt;
  }

  std::size_t page_count_;
  std::int64_t factor_;
  std::vector<Pages> members_;  ///< by set
  States states_;
  std::size_t may_lose_ = 0;              ///< pages
  std::int64_t looks_left_ = 50'000'000;  ///< at states: a second or two
};

/// Where bits of numbers go if these are ordered otherwise.
struct Reordering {
  std::vector<std::size_t> from;  ///< by new place of a hashed bit
  Bits inverted = 0;              ///< new places of bits whose weights change their signs

  [[nodiscard]] Bits operator()(Bits before) const {
    Bits after = 0;
    for (std::size_t bit = 0; bit < from.size(); ++bit) after |= (before >> from[bit] & 1U) << bit;
    return after ^ inverted;
  }
};

std::optional<Reordering> reordering(const OrderedNumber& from, const OrderedNumber& to) {
  Reordering found;
  for (std::size_t bit = 0; bit < to.hashed; ++bit) {
    const auto same = std::ranges::find(from.number.masks, to.number.masks[bit]);
    found.from.push_back(static_cast<std::size_t>(same - from.number.masks.begin()));
    const std::int64_t before = power_of_two_modulo(found.from.back(), from.number.factor);
    const std::int64_t after = power_of_two_modulo(bit, to.number.factor);
    if (before != after && before + after != to.number.factor) return std::nullopt;
    if (before != after) found.inverted |= Bits{1} << bit;
  }
  return found;
}

}  // namespace

std::int64_t power_of_two_modulo(std::size_t exponent, std::int64_t factor) {
  std::int64_t power = 1;
  for (std::size_t i = 0; i < exponent; ++i) power = power * 2 % factor;
  return power;
}

std::vector<OrderedNumber> orders_of(const SliceNumber& number, unsigned line_bits) {
  const Masks classes = analysis::sums(number.classes);
  std::map<unsigned, RawBit> raw;  // by bit
  for (const Bits mask : number.masks) {
    if (const auto found = raw_bit(mask, classes)) raw.emplace(found->bit, *found);
  }
  if (!raw.contains(line_bits - 1)) return {};
  // Below those that reach the end of the page, single bits are what it shows of hashed ones.
  unsigned lowest = line_bits - 1;
  const Bits added = raw.at(lowest).added;
  while (lowest > 0 && raw.contains(lowest - 1) && raw.at(lowest - 1).added == added) --lowest;
  std::vector<std::pair<Bits, std::int64_t>> hashed;
  for (std::size_t i = 0; i < number.masks.size(); ++i) {
    const auto found = raw_bit(number.masks[i], classes);
    if (!found || found->bit < lowest) hashed.emplace_back(number.masks[i], weight(i, number.factor));
  }
  constexpr std::size_t most_hashed = 8;  // of 40,320 orders; an H200 has six hashed bits
  if (hashed.size() > most_hashed) return {};
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
      for (unsigned bit = lowest; bit < line_bits; ++bit) one.number.masks.push_back(Bits{1} << bit);
      orders.push_back(std::move(one));
      break;
    }
  } while (std::ranges::next_permutation(hashed).found);
  return orders;
}

Pages pages_of(std::span<const std::vector<std::int64_t>> sets, std::int64_t lines_per_page,
               const SliceNumber& number) {
  const std::size_t homes = parity_of_homes(sets, lines_per_page, number.classes);
  Pages pages;
  for (std::size_t set = 0; set < sets.size(); ++set) {
    for (const std::int64_t line : sets[set]) {
      const auto offset = static_cast<Bits>(line % lines_per_page);
      const bool home = homes < number.classes.size() && analysis::parity(offset & number.classes[homes]);
      pages[line / lines_per_page].push_back({set, offset, analysis::parities(offset, number.masks), home});
    }
  }
  return without_singles(pages);
}

StatesByHome states_of(const Pages& pages, const OrderedNumber& number, std::size_t sets) {
  StatesByHome found;
  for (const bool home : homes_of(pages)) {
    if (auto states = Remainders(pages, number, sets).find(home)) found.emplace(home, *std::move(states));
  }
  return found;
}

std::optional<StatesByHome> reordered(const StatesByHome& states, const OrderedNumber& from, const OrderedNumber& to) {
  const auto move = reordering(from, to);
  if (!move) return std::nullopt;
  StatesByHome moved = states;
  for (auto& [home, pages] : moved) {
    for (auto& [page, all] : pages) {
      for (PageState& state : all) state.inverted = (*move)(state.inverted);
    }
  }
  return moved;
}

}  // namespace tomograph::data_cache
