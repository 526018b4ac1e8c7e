#ifndef TOMOGRAPH_ANALYSIS_INTERVAL_HPP
#define TOMOGRAPH_ANALYSIS_INTERVAL_HPP

namespace tomograph::analysis {

/// A closed interval, in the unit of the quantity that it bounds.
struct Interval {
  double low = 0;
  double high = 0;

  bool operator==(const Interval&) const = default;
};

}  // namespace tomograph::analysis

#endif
