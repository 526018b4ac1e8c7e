#ifndef TOMOGRAPH_CACHE_SHARING_ACQUIRE_CODE_HPP
#define TOMOGRAPH_CACHE_SHARING_ACQUIRE_CODE_HPP

#include <vector>

#include "acquire_code_programs.hpp"
#include "analysis_relation.hpp"
#include "tomograph/session.hpp"

namespace tomograph::cache_sharing {

/// Whether a level of constant caches holds instructions as well.
struct CodeSharing {
  Verdict verdict;
  std::uint64_t samples = 0;
  std::vector<NamedArray> evidence;
};

/// Compares both directions with controls: constants are loaded, code is executed, and the constants are tested; code
/// is executed, constants are loaded, and the same code is tested. `reach` is the largest array of constants.
/// @throws Refused with TOMOGRAPH_UNSUPPORTED if the device does not time instructions.
[[nodiscard]] CodeSharing sharing_with_code(const Session& session, const ConstantLevel& level, std::int64_t reach);

}  // namespace tomograph::cache_sharing

#endif
