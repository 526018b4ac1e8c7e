#ifndef TOMOGRAPH_STORES_EXPERIMENTS_HPP
#define TOMOGRAPH_STORES_EXPERIMENTS_HPP

#include <cstdint>
#include <vector>

#include "orders.hpp"
#include "tomograph/experiment.hpp"

/// The experiments of this plugin as values. The arrays of requests and answers have the names of the fields.
namespace tomograph::stores {

inline constexpr const char* accesses_id = "stores.accesses/1";
inline constexpr const char* writes_id = "stores.writes/1";
inline constexpr const char* refills_id = "stores.refills/1";

/// What comes before the timed load of a line.
enum class Before {
  nothing,             ///< the line was never accessed
  load,                ///< a load of the word
  store,               ///< a store to the word
  load_then_store,     ///< a load of the word, then a store to it
  load_then_neighbour  ///< a load of the word, then a store to the next word
};

/// One thread loads a word of each of `lines` lines, `stride` bytes apart, long after what comes before
/// (ld.global.ca, st.global.wb). No line has been in the L1 before.
struct AccessesRequest {
  Before before = Before::nothing;
  std::int64_t lines = 1;
  std::int64_t stride = 128;
  std::int64_t trial = 0;
};
/// Cycles of the timed loads, by line.
struct AccessesAnswer {
  std::vector<std::int64_t> cycles;
};

/// Each of 32 warps of each SM, or of a single one, stores to eight lines of its own (st.global.wb). A lap writes all
/// of them, by eight stores of sectors or 64 of words.
struct WritesRequest {
  Order order = Order::sectors;
  bool alone = false;
  std::int64_t laps = 1;
  std::int64_t trial = 0;
};
/// Writes, each of a sector or a part of one, and the time from the start of the first to the end of the last.
struct WritesAnswer {
  std::int64_t writes = 0;
  double nanoseconds = 0;
};

/// All SMs load `bytes`, or store to them. Then they load other `bytes`, which is timed.
struct RefillsRequest {
  bool stores = false;
  std::int64_t bytes = 1;
  std::int64_t trial = 0;
};
/// The time from the start of the first timed load to the end of the last.
struct RefillsAnswer {
  double nanoseconds = 0;
};

[[nodiscard]] Experiment encode(const AccessesRequest& request);
[[nodiscard]] Experiment encode(const WritesRequest& request);
[[nodiscard]] Experiment encode(const RefillsRequest& request);
/// The request in an experiment. @throws std::invalid_argument naming the parameter that is missing or out of range.
[[nodiscard]] AccessesRequest decode_accesses(const Experiment& experiment);
[[nodiscard]] WritesRequest decode_writes(const Experiment& experiment);
[[nodiscard]] RefillsRequest decode_refills(const Experiment& experiment);
[[nodiscard]] Arrays encode(const AccessesAnswer& answer);
[[nodiscard]] Arrays encode(const WritesAnswer& answer);
[[nodiscard]] Arrays encode(const RefillsAnswer& answer);
/// The answer to a request. @throws std::invalid_argument if an array is missing, of another type or length.
[[nodiscard]] AccessesAnswer decode_result(const AccessesRequest& request, const Answer& answer);
[[nodiscard]] WritesAnswer decode_result(const WritesRequest& request, const Answer& answer);
[[nodiscard]] RefillsAnswer decode_result(const RefillsRequest& request, const Answer& answer);

}  // namespace tomograph::stores

#endif
