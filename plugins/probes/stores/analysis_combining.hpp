#ifndef TOMOGRAPH_STORES_ANALYSIS_COMBINING_HPP
#define TOMOGRAPH_STORES_ANALYSIS_COMBINING_HPP

#include <cstdint>
#include <string>

#include "tomograph/analysis/interval.hpp"

/// What rates of stores say about stores to one sector. Pure functions.
namespace tomograph::stores {

/// Writes per second, each of a sector or a part of one.
struct WriteRates {
  analysis::Interval sectors;          ///< all SMs write whole sectors
  analysis::Interval consecutive;      ///< all SMs write the words of a sector one after the other
  analysis::Interval scattered;        ///< all SMs write words of other sectors in between
  analysis::Interval scattered_alone;  ///< one SM does
};

enum class Combining : std::uint8_t { yes, no, unknown };

struct Verdict {
  Combining combining = Combining::unknown;
  std::string reason;  ///< why it is unknown
};

/// Stores to a sector are combined if they are clearly faster than the same ones in an order in which they do not
/// follow each other. They are not if both orders are equally fast, and what limits both lies behind the SMs: all SMs
/// together are clearly slower than as many single ones.
[[nodiscard]] Verdict verdict_on(const WriteRates& rates, std::int64_t sms);

}  // namespace tomograph::stores

#endif
