#ifndef TOMOGRAPH_LINKS_QUESTIONS_HPP
#define TOMOGRAPH_LINKS_QUESTIONS_HPP

#include "tomograph/session.hpp"

namespace tomograph::links {

/// How long a load from the host's memory takes. Publishes host.latency.
void find_host_latency(const Session& session);

/// How fast the host's memory is read, written and copied. Publishes host.bandwidth.* and host.half_peak_size.
void find_host_bandwidth(const Session& session);

/// What a page fault costs. Publishes host.page_fault.
void find_page_fault(const Session& session);

/// How long an access to the memory of another GPU takes. Publishes link.latency and link.atomic_latency.
void find_link_latency(const Session& session);

/// How fast the memories of other GPUs are read, written and copied. Publishes link.bandwidth.* and
/// link.half_peak_size.
void find_link_bandwidth(const Session& session);

}  // namespace tomograph::links

#endif
