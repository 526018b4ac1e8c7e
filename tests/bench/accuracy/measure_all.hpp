#ifndef TOMOGRAPH_BENCH_ACCURACY_MEASURE_ALL_HPP
#define TOMOGRAPH_BENCH_ACCURACY_MEASURE_ALL_HPP

#include <cstdint>
#include <functional>
#include <vector>

#include "family.hpp"
#include "measurement.hpp"

namespace tomograph::bench {

/// A case and the measurements of its GPU.
struct Measured {
  Case drawn;
  Measurement said;
};

/// Measures `count` cases from number `first` on, `jobs` at a time, and returns them in the order of their numbers.
/// `change`, if given, is applied to each GPU first. @throws what drawing or measuring throws.
[[nodiscard]] std::vector<Measured> measure_all(const Family& family, std::uint64_t first, std::uint64_t count,
                                                unsigned jobs, const std::function<void(sim::Gpu&)>& change = {});

}  // namespace tomograph::bench

#endif
