#ifndef TOMOGRAPH_TLB_QUESTIONS_HPP
#define TOMOGRAPH_TLB_QUESTIONS_HPP

#include "tomograph/session.hpp"

namespace tomograph::tlb {

/// Which levels of TLB the device has, how they are built, and how large the page-table window is. Publishes tlb.* and
/// page_window.*.
void find_tlbs(const Session& session);

}  // namespace tomograph::tlb

#endif
