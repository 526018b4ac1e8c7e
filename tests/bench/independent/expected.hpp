#ifndef TOMOGRAPH_BENCH_INDEPENDENT_EXPECTED_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_EXPECTED_HPP

#include <nlohmann/json.hpp>
#include <string>

namespace independent {

using Json = nlohmann::json;

/// How a published value is compared with the truth.
enum class Match {
  equal,
  any_of,      ///< `value` lists the words that are true
  close,       ///< numbers, within the tolerance
  close_list,  ///< lists of numbers, each within the tolerance
  sorted,      ///< lists of numbers in any order, each within the tolerance
  words,       ///< lists of words in any order
  groups,      ///< lists of lists of SMs, in any order
  index,       ///< masks that number the same sets
  capacities,  ///< pairs of carve-out and capacity; the truth has a pair for each carve-out at which it changes
  absent       ///< there is no such fact: whatever is published is wrong
};

/// The truth of one fact.
struct Expected {
  std::string key;
  Match match = Match::equal;
  Json value = {};
  double relative = 0;  ///< tolerance
  double absolute = 0;
  double spread = 0;       ///< the truth differs by so much between SMs or addresses: all values in between are true
  bool observable = true;  ///< whether experiments can show it
};

/// Whether `published` is true.
[[nodiscard]] bool is_right(const Expected& expected, const Json& published);

/// Whether a fact's claim holds: its interval, if it has one, covers the truth, or each interval of a list; otherwise
/// its value is right.
[[nodiscard]] bool claim_holds(const Expected& expected, const Json& record);

}  // namespace independent

#endif
