#ifndef TOMOGRAPH_BENCH_PAPERS_TABLE_HPP
#define TOMOGRAPH_BENCH_PAPERS_TABLE_HPP

#include <compare>
#include <map>
#include <string>

#include "measurement.hpp"
#include "paper.hpp"

namespace tomograph::bench {

/// A simulated GPU and the method by which it is measured.
struct Setting {
  std::string gpu;
  std::string method;
  auto operator<=>(const Setting&) const = default;
};
[[nodiscard]] Setting setting(const Row& row);

/// Measurements by setting.
using Measurements = std::map<Setting, Measurement>;

/// Number of values by result.
struct Tally {
  int recovered = 0;
  int hidden = 0;
  int disagreeing = 0;
};
Tally& operator+=(Tally& tally, const Tally& more);
/// As a sentence.
[[nodiscard]] std::string text(const Tally& tally);

struct Page {
  std::string markdown;
  Tally tally;
  std::vector<std::string> disagreements;  ///< one line for each row with another result than it declares
};

/// The paper's values next to the recovered ones.
[[nodiscard]] Page page(const Paper& paper, const Measurements& measurements);

}  // namespace tomograph::bench

#endif
