#ifndef TOMOGRAPH_DATA_CACHE_PUBLISH_BANKS_HPP
#define TOMOGRAPH_DATA_CACHE_PUBLISH_BANKS_HPP

#include <string>

#include "acquire_banks.hpp"

/// The facts about the memory behind L2.
namespace tomograph::data_cache {

/// "dram.channel.banks", "dram.bank_conflict_penalty", "dram.refresh.*" and "dram.row.*".
void find_banks(const Session& session, const EvictionSetting& setting, const SetMembers& members);
/// Says why none of these is known.
void leave_banks_open(const Session& session, const std::string& reason);

}  // namespace tomograph::data_cache

#endif
