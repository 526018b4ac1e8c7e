#ifndef TOMOGRAPH_SIM_OPTIONS_HPP
#define TOMOGRAPH_SIM_OPTIONS_HPP

#include <cstdint>

namespace tomograph::sim {

/// Choices of a run that the description of the GPU does not make.
struct Options {
  std::uint64_t seed = 1;
  bool noise = true;
};

}  // namespace tomograph::sim

#endif
