#ifndef TOMOGRAPH_DSMEM_ACCESSES_HPP
#define TOMOGRAPH_DSMEM_ACCESSES_HPP

#include <cstdint>

/// The kinds of accesses that experiments and kernels know. The values of enumerators are those of the experiments'
/// parameters.
namespace tomograph::dsmem {

enum class Space : std::int64_t { cluster, global };
enum class Operation : std::int64_t { load, store, atomic };
/// Whose memory a CTA accesses: its own; that of a CTA that accesses nothing; that of the next CTA; that of all other
/// CTAs in turn; or that of the first CTA, which all others access.
enum class Partner : std::int64_t { own, other_half, next, spread, first };

}  // namespace tomograph::dsmem

#endif
