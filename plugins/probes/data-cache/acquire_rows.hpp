#ifndef TOMOGRAPH_DATA_CACHE_ACQUIRE_ROWS_HPP
#define TOMOGRAPH_DATA_CACHE_ACQUIRE_ROWS_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "acquire_banks.hpp"
#include "analysis_rows.hpp"

/// Lines that share a bank, and their rows.
namespace tomograph::data_cache {

/// The lines of the bank of `line` that lie near it, and which of them conflict. `witnesses`, at least one, lie in
/// other rows of the bank. Throws as Session::ask.
[[nodiscard]] BankLines lines_of_bank(const Session& session, const EvictionSetting& setting, std::int64_t line,
                                      std::span<const std::int64_t> witnesses);

}  // namespace tomograph::data_cache

#endif
