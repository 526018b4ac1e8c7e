#ifndef TOMOGRAPH_DSMEM_ACCESSES_HPP
#define TOMOGRAPH_DSMEM_ACCESSES_HPP

#include <cstdint>

/// The kinds of accesses, as experiments and kernels know them. Values are those of the experiments' parameters.
namespace tomograph::dsmem {

enum class Space : std::int64_t { cluster, global };
enum class Operation : std::int64_t { load, store, atomic };
/// Whose memory a CTA uses: its own, that of a partner which does nothing, that of the next, that of all others in
/// turns, or that of the first, which all others use as well.
enum class Partner : std::int64_t { own, other_half, next, spread, first };

}  // namespace tomograph::dsmem

#endif
