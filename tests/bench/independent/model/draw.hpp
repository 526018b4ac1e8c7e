#ifndef TOMOGRAPH_BENCH_INDEPENDENT_DRAW_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_DRAW_HPP

#include <cstdint>
#include <string>

#include "description.hpp"

namespace independent {

/// The GPU with this seed of the family "known" or "strange". @throws std::runtime_error for another family.
[[nodiscard]] Gpu draw(const std::string& family, std::uint64_t seed);

}  // namespace independent

#endif
