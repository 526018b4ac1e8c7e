#ifndef TOMOGRAPH_INSTRUCTION_THROUGHPUT_PUBLISH_HPP
#define TOMOGRAPH_INSTRUCTION_THROUGHPUT_PUBLISH_HPP

#include <vector>

#include "analysis_level.hpp"
#include "tomograph/instruction.hpp"
#include "tomograph/session.hpp"

namespace tomograph::instruction_throughput {

/// Publishes the facts of one type of instruction, with the curves as evidence. The first level has dependent
/// instructions.
void publish(const Session& session, instruction::Type type, const std::vector<Level>& levels);

}  // namespace tomograph::instruction_throughput

#endif
