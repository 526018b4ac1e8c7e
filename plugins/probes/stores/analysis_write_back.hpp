#ifndef TOMOGRAPH_STORES_ANALYSIS_WRITE_BACK_HPP
#define TOMOGRAPH_STORES_ANALYSIS_WRITE_BACK_HPP

#include <optional>
#include <vector>

/// What loads that replace stored lines take. Pure functions.
namespace tomograph::stores {

/// Seconds in which L2 is filled again, by trial.
struct RefillTimes {
  std::vector<double> after_loads;
  std::vector<double> after_stores;
};

/// Whether L2 had to write lines to memory when they were replaced: it takes longer to replace lines that were stored
/// to, up to twice as long. Nothing if times differ by more than they could by chance, but too little to say so.
[[nodiscard]] std::optional<bool> is_write_back(const RefillTimes& times);

}  // namespace tomograph::stores

#endif
