#ifndef TOMOGRAPH_INSTRUCTION_THROUGHPUT_QUESTIONS_HPP
#define TOMOGRAPH_INSTRUCTION_THROUGHPUT_QUESTIONS_HPP

#include "tomograph/instruction.hpp"
#include "tomograph/session.hpp"

namespace tomograph::instruction_throughput {

/// Repetitions of a probe by default (Lemeire, Cornelis, Segers 2016, section III).
inline constexpr const char* default_repetitions = "25";

/// How fast an SM executes instructions of one type, by occupancy and ILP. Publishes instruction.<type>.*.
void find_roofline(const Session& session, instruction::Type type);

}  // namespace tomograph::instruction_throughput

#endif
