#ifndef TOMOGRAPH_INSTRUCTION_THROUGHPUT_ACQUIRE_POINTS_HPP
#define TOMOGRAPH_INSTRUCTION_THROUGHPUT_ACQUIRE_POINTS_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "tomograph/analysis/occupancy_roofline.hpp"
#include "tomograph/instruction.hpp"
#include "tomograph/session.hpp"

namespace tomograph::instruction_throughput {

/// Warps on an SM, in CTAs of the same size.
struct Occupancy {
  std::int64_t ctas = 1;
  std::int64_t warps_per_cta = 1;
};

/// The fewest CTAs that hold so many warps, or nothing if they cannot be of the same size.
[[nodiscard]] std::optional<Occupancy> occupancy_of(std::int64_t warps);

/// 1, 2, 3, 4, 6, 8, 12, 16, ... up to `most`, which is always the last.
[[nodiscard]] std::vector<std::int64_t> coarse_grid(std::int64_t most);

/// One point to measure.
struct Question {
  std::int64_t ilp = 1;
  std::int64_t warps = 1;
  std::int64_t repetitions = 1;
  std::int64_t trial = 0;  ///< distinguishes these repetitions from others of the same point
};

struct Answered {
  Question question;
  analysis::OccupancyPoint point;
};

/// Measures points, all in one batch. Points that no SM has room for, and those at which an SM held other CTAs than
/// asked for, are left out. @throws Skip if the device does not execute instructions of `type`, Refused.
[[nodiscard]] std::vector<Answered> measure(const Session& session, instruction::Type type,
                                            const std::vector<Question>& questions);

}  // namespace tomograph::instruction_throughput

#endif
