#ifndef TOMOGRAPH_BENCH_INDEPENDENT_DRAW_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_DRAW_HPP

#include <array>
#include <cstdint>
#include <string>

#include "description.hpp"

namespace independent {

inline constexpr std::array families{"known", "strange", "extreme"};

/// The GPU with this seed of one of the families. @throws std::runtime_error for another family.
[[nodiscard]] Gpu draw(const std::string& family, std::uint64_t seed);

}  // namespace independent

#endif
