#ifndef TOMOGRAPH_MEMORY_SPECTRUM_SPECTRUM_HPP
#define TOMOGRAPH_MEMORY_SPECTRUM_SPECTRUM_HPP

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tomograph/session.hpp"

/// The latency spectrum of global memory (Mei & Chu 2017, section 5.2): one chase of non-uniform strides that meets
/// each combination of hits and misses of the data cache and the TLBs.
namespace tomograph::memory_spectrum {

/// Table 3 of Mei et al. 2014. The data cache is the one that `global.cg` looks into, L2.
struct Pattern {
  const char* name;
  const char* data_cache;
  const char* first_tlb;
  const char* other_tlbs;
};
inline constexpr std::array<Pattern, 6> patterns{{{"p1", "hit", "hit", "-"},
                                                  {"p2", "hit", "miss", "hit"},
                                                  {"p3", "hit", "miss", "miss"},
                                                  {"p4", "miss", "hit", "-"},
                                                  {"p5", "miss", "miss", "miss"},
                                                  {"p6", "miss", "miss", "miss, page window too"}}};

/// One level of TLB, as known.
struct Tlb {
  std::int64_t entries = 0;
  std::int64_t span = 0;
};

/// What the chase is built from.
struct Known {
  std::int64_t line = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t memory = 0;  ///< bytes that may be taken
  std::optional<Tlb> first;
  std::optional<Tlb> last;  ///< the level of largest reach, if there is more than one
  std::optional<std::int64_t> window;
};

/// Which ring of the program each pattern is timed on, and the program.
struct Chase {
  chase::Program program;
  std::array<std::optional<std::size_t>, 6> trace = {};  ///< by pattern
};

/// A program that meets, one after the other, every pattern that this memory can show.
[[nodiscard]] Chase build(const Known& known, std::int64_t trial);

/// Net latencies by pattern, of all trials.
using Samples = std::array<std::vector<double>, 6>;

void publish(const Session& session, const Known& known, const Samples& samples);
void find_spectrum(const Session& session);

}  // namespace tomograph::memory_spectrum

#endif
