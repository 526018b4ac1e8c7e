#include "analysis_combining.hpp"

namespace tomograph::stores {

namespace {

/// Eight words of a sector could make it eight times, and two of them twice.
constexpr double clearly = 1.5;
/// What runs of the same kind differ by at most, as a share.
constexpr double hardly = 0.1;

}  // namespace

Verdict verdict_on(const WriteRates& rates, std::int64_t sms) {
  if (rates.words.low > clearly * rates.sectors.high) return {Combining::yes, {}};
  if (rates.words.high > (1 + hardly) * rates.sectors.low) {
    return {Combining::unknown, "words are stored hardly faster than sectors"};
  }
  if (rates.words_alone.low * static_cast<double>(sms) < clearly * rates.words.high) {
    return {Combining::unknown, "SMs issue the stores so slowly that nothing behind them limits the rate"};
  }
  return {Combining::no, {}};
}

}  // namespace tomograph::stores
