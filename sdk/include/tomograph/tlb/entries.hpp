#ifndef TOMOGRAPH_TLB_ENTRIES_HPP
#define TOMOGRAPH_TLB_ENTRIES_HPP

#include <cstdint>

#include "tomograph/session.hpp"

namespace tomograph::tlb {

/// The confidence of a claim that rests on the entries of the first `levels` levels. It is no higher than theirs where
/// no second method confirmed them: they may then be several times off. Confirmed entries are a few off at most, which
/// walks over many more or far fewer pages allow for. The session's probe needs tlb.l1.entries and so on.
[[nodiscard]] double resting_on_entries(const Session& session, std::int64_t levels, double confidence);

}  // namespace tomograph::tlb

#endif
