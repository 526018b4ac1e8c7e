#ifndef TOMOGRAPH_INSTRUCTION_THROUGHPUT_ROOFLINE_HPP
#define TOMOGRAPH_INSTRUCTION_THROUGHPUT_ROOFLINE_HPP

#include "tomograph/experiment/instruction.hpp"
#include "tomograph/session/session.hpp"

namespace tomograph::instruction_throughput {

/// How many repetitions a probe takes by default (Lemeire, Cornelis, Segers 2016, section III).
inline constexpr const char* default_repetitions = "25";

/// Publishes all facts instruction.<type>.*.
void find_roofline(const Session& session, instruction::Type type);

}  // namespace tomograph::instruction_throughput

#endif
