#ifndef TOMOGRAPH_CACHE_SHARING_INSTRUCTIONS_HPP
#define TOMOGRAPH_CACHE_SHARING_INSTRUCTIONS_HPP

#include "relation.hpp"
#include "view.hpp"

/// Whether a cache of constants holds instructions as well.
namespace tomograph::cache_sharing {

/// A level of constant caches.
struct ConstantLevel {
  std::int64_t size = 0;
  std::int64_t line_bytes = 0;
  double threshold = 0;          ///< net cycles above which neither this level nor one before it served a load
  double before = 0;             ///< the same of the level before, 0 if there is none
  std::int64_t size_before = 0;  ///< bytes that the level before holds
};

struct CodeSharing {
  Verdict verdict;
  std::uint64_t samples = 0;
  std::vector<NamedArray> evidence;
};

/// Both directions, each against controls: constants are loaded, code is executed, and the constants are tested; code
/// is executed, constants are loaded, and how long the same code takes is tested. `reach` is the largest array of
/// constants.
/// @throws Refused with TOMOGRAPH_UNSUPPORTED if the device does not time instructions.
[[nodiscard]] CodeSharing sharing_with_code(const Session& session, const ConstantLevel& level, std::int64_t reach);

}  // namespace tomograph::cache_sharing

#endif
