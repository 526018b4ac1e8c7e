#ifndef TOMOGRAPH_STORES_ANALYSIS_COMBINING_HPP
#define TOMOGRAPH_STORES_ANALYSIS_COMBINING_HPP

#include <cstdint>
#include <string>

#include "tomograph/analysis/interval.hpp"

/// What rates of stores say about stores to one sector. Pure functions.
namespace tomograph::stores {

/// Writes per second, each of a sector or a word.
struct WriteRates {
  analysis::Interval sectors;      ///< all SMs write whole sectors
  analysis::Interval words;        ///< all SMs write the words of a sector one after the other
  analysis::Interval words_alone;  ///< one SM does
};

enum class Combining : std::uint8_t { yes, no, unknown };

struct Verdict {
  Combining combining = Combining::unknown;
  std::string reason;  ///< why it is unknown
};

/// Stores of words are combined if L2 takes in clearly more of them than whole sectors. They are not if it takes in no
/// more, although the SMs send more: together they are clearly slower than as many single ones.
[[nodiscard]] Verdict verdict_on(const WriteRates& rates, std::int64_t sms);

}  // namespace tomograph::stores

#endif
