#ifndef TOMOGRAPH_THROUGHPUT_QUESTIONS_HPP
#define TOMOGRAPH_THROUGHPUT_QUESTIONS_HPP

#include "tomograph/session.hpp"

namespace tomograph::throughput {

/// How many bytes per cycle the L1 data cache delivers to its SM. Publishes l1_data.bandwidth.read.
void find_l1(const Session& session);

/// How many bytes per cycle one SM writes where its L1 could hold them. Publishes l1_data.bandwidth.write.
void find_l1_writes(const Session& session);

/// How many bytes per cycle the read-only, texture and constant L1 caches deliver to their SM. Each publishes
/// *.bandwidth.read of its cache.
void find_read_only(const Session& session);
void find_texture(const Session& session);
void find_constant(const Session& session);

/// How fast all SMs together, and one alone, read, write and copy in L2. Publishes l2.bandwidth.* and
/// l2.saturating_bytes_in_flight.
void find_l2(const Session& session);

/// How much the interconnect between SMs and L2 transfers. Publishes noc.bandwidth*.
void find_noc(const Session& session);

/// How fast the SMs of a TPC, CPC, GPC or partition read from L2 together. Publishes noc.bandwidth_per_*.
void find_noc_levels(const Session& session);

/// How fast global memory is read, written and copied. Publishes dram.bandwidth.* and dram.saturating_bytes_in_flight.
void find_dram(const Session& session);

/// How fast global memory is copied by elements of 1 to 16 bytes. Publishes dram.bandwidth_by_element.
void find_dram_by_element(const Session& session);

/// Copies of global memory by CTAs, CTA size and ILP (Mei & Chu 2017, Fig. 12). Publishes dram.copy_throughput.
void follow_mei_copies(const Session& session);

}  // namespace tomograph::throughput

#endif
