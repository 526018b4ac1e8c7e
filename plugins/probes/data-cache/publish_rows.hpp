#ifndef TOMOGRAPH_DATA_CACHE_PUBLISH_ROWS_HPP
#define TOMOGRAPH_DATA_CACHE_PUBLISH_ROWS_HPP

#include <string>

#include "acquire_banks.hpp"

/// The facts "dram.row.*": the rows of the memory's banks.
namespace tomograph::data_cache {

/// Publishes them, or says why they are not known.
void find_rows(const Session& session, const EvictionSetting& setting, const MeasuredBanks& banks);
/// Says why none is known.
void leave_rows_open(const Session& session, const std::string& reason);

}  // namespace tomograph::data_cache

#endif
