#ifndef TOMOGRAPH_HOST_RUNNING_CHECKED_FACT_HPP
#define TOMOGRAPH_HOST_RUNNING_CHECKED_FACT_HPP

#include <string>

#include "running/caller.hpp"
#include "tomograph/abi/fact.h"
#include "topology/fact_record.hpp"

namespace tomograph::host {

/// A text that a plugin passed. `what` names it for errors. @throws std::invalid_argument if it is null,
/// nlohmann::json::exception unless it is UTF-8.
std::string required(const char* text, const char* what);

/// A fact as a record, if it keeps the rules of abi/fact.h and abi/host.h and is what the caller declares.
/// @throws std::exception with the rule that it breaks.
[[nodiscard]] FactRecord checked_fact(const std::string& key, const tomograph_fact& fact, const Caller& caller);

}  // namespace tomograph::host

#endif
