#ifndef TOMOGRAPH_HOST_EXPLAINING_DRAWING_HPP
#define TOMOGRAPH_HOST_EXPLAINING_DRAWING_HPP

#include <optional>
#include <string>
#include <string_view>

#include "explaining/plot.hpp"
#include "topology/evidence.hpp"
#include "topology/fact_record.hpp"

namespace tomograph::host {

/// What to draw of the evidence of a fact, and in which units. Columns are told apart by their names and numbers alone,
/// so that every plugin's evidence can be drawn.
struct Drawing {
  PlotData plot;
  std::string x_unit;
  std::string y_unit;
};

/// The unit that a column's name says: "footprint_B" is "B", "hit_cycles" is "cycle". Empty if it says none.
[[nodiscard]] std::string unit_of_column(std::string_view name);

/// - Columns of single measurements (their unit is "cycle" from the first column on, or there is no other of the same
///   length) become a distribution: those in the fact's unit together, or else those in the first unit in which any
///   varies, or else the first that varies. So do columns whose x below would not vary.
/// - Else y is the share of counted events among the trials ("tested" or "pairs"), or the column in the fact's unit, or
///   the last; x is the column before it that has most distinct values.
/// A number is marked on the axis that has its unit. Nothing if no column varies.
[[nodiscard]] std::optional<Drawing> drawing_of(const std::string& key, const FactRecord& fact, const Curve& curve);

}  // namespace tomograph::host

#endif
