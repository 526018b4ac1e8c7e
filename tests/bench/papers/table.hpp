#ifndef TOMOGRAPH_BENCH_PAPERS_TABLE_HPP
#define TOMOGRAPH_BENCH_PAPERS_TABLE_HPP

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

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

/// Where a row's value comes from.
enum class Origin : std::uint8_t {
  chased,     ///< from loads that the simulator executed one by one
  read_back,  ///< from an experiment that the simulator answers by a formula on the described value
  api,        ///< from the vendor's interface
  inferred,   ///< calculated from facts
  repeated    ///< the same facts of the same GPU were compared with the same value before
};

/// Number of values by result.
struct Tally {
  int recovered = 0;
  int disputed = 0;  ///< paper and measurement disagree, and the row says why
  int hidden = 0;
  int failing = 0;               ///< another result than the row declares
  std::array<int, 5> origins{};  ///< of what was recovered or disputed, by Origin
};
Tally& operator+=(Tally& tally, const Tally& more);
/// As a sentence.
[[nodiscard]] std::string text(const Tally& tally);
/// How the values of a tally were come by, as a sentence; empty if there are none.
[[nodiscard]] std::string origins(const Tally& tally);

struct Page {
  std::string markdown;
  Tally tally;
  std::vector<std::string> failures;  ///< one line for each row with another result than it declares
};

/// What rows were compared before.
using Compared = std::set<std::string>;

/// Adds the rows of a paper without a page.
void remember(const Paper& paper, Compared& compared);

/// The paper's values next to the recovered ones. Adds its rows to `compared`.
[[nodiscard]] Page page(const Paper& paper, const Measurements& measurements, Compared& compared);

}  // namespace tomograph::bench

#endif
