#ifndef TOMOGRAPH_SIM_OPTIONS_HPP
#define TOMOGRAPH_SIM_OPTIONS_HPP

#include <cstdint>

namespace tomograph::sim {

/// How a GPU is simulated, beside what its description says.
struct Options {
  std::uint64_t seed = 1;
  bool noise = true;
};

}  // namespace tomograph::sim

#endif
