#ifndef TOMOGRAPH_ANALYSIS_QUEUE_POLICIES_HPP
#define TOMOGRAPH_ANALYSIS_QUEUE_POLICIES_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Policies under which the lines of a set wait in a queue for their replacement.
namespace tomograph::analysis {

/// Simulates a set under LRU and returns whether each access hits. `lines` identifies the line of each access. The set
/// holds none of them at first.
[[nodiscard]] std::vector<bool> lru_hits(std::span<const std::int64_t> lines, std::size_t ways);

/// The same under FIFO, where a hit does not renew a line's place in the queue.
[[nodiscard]] std::vector<bool> fifo_hits(std::span<const std::int64_t> lines, std::size_t ways);

/// The same under segmented LRU (Karedla, Love & Wherry 1994). A hit makes a line one of `most_protected`, which are
/// not replaced; the one of these used longest ago goes back to the end of the queue. None protected: LRU.
[[nodiscard]] std::vector<bool> segmented_lru_hits(std::span<const std::int64_t> lines, std::size_t ways,
                                                   std::size_t most_protected);

}  // namespace tomograph::analysis

#endif
