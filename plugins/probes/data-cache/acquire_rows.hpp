#ifndef TOMOGRAPH_DATA_CACHE_ACQUIRE_ROWS_HPP
#define TOMOGRAPH_DATA_CACHE_ACQUIRE_ROWS_HPP

#include <cstddef>
#include <optional>

#include "acquire_banks.hpp"
#include "analysis_rows.hpp"

/// Lines that share a bank, and their rows. All functions throw as Session::ask.
namespace tomograph::data_cache {

/// Lines near each other that may share a channel: hits and misses of all take as long.
[[nodiscard]] TimedLines lines_of_channel(const Session& session, const EvictionSetting& setting);

/// The lines of the bank of one of `channel`, its line number `which`, and which of them conflict. Nothing if hardly
/// any others conflict with it.
[[nodiscard]] std::optional<BankLines> lines_of_bank(const Session& session, const EvictionSetting& setting,
                                                     const TimedLines& channel, std::size_t which);

}  // namespace tomograph::data_cache

#endif
