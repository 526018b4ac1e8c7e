#ifndef TOMOGRAPH_CONSTANT_CACHE_ANALYSIS_L15_HPP
#define TOMOGRAPH_CONSTANT_CACHE_ANALYSIS_L15_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis_footprint.hpp"
#include "tomograph/cache/sets.hpp"

/// Line, capacity, sets and index of the second level of constant caches, from walks through parts of a footprint that
/// it does not hold.
namespace tomograph::constant_cache {

/// What the level is known to hold, and the smallest footprint that it does not, or 0 if none was found. In blocks.
struct Bound {
  std::int64_t held = 0;
  std::int64_t beyond = 0;
  std::int64_t held_at_once = 0;  ///< blocks of `held` that this level served itself, in one walk
  std::vector<double> latencies;  ///< of what is held
};

/// The constants as lines of an assumed length: twice as many as the level holds, or as many as there are, since an
/// array that is no power of two has fewer lines of some sets than of others. At least all lines of one array, since
/// any bit of an offset may be part of the index, but no more than 16 times as many as the level holds.
class CandidateLines {
 public:
  CandidateLines(const ConstantSpace& space, std::int64_t blocks_per_line, std::int64_t held_blocks);

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t blocks_per_line() const { return blocks_per_line_; }
  [[nodiscard]] std::int64_t bytes() const { return blocks_per_line_ * space_.block_bytes; }
  /// Bytes of one array in which there are lines.
  [[nodiscard]] std::int64_t bytes_of_array() const;
  [[nodiscard]] bool loaded_whole() const { return blocks_loaded() == blocks_per_line_; }
  /// Whether there are enough lines to overflow every set now and then.
  [[nodiscard]] bool suffice() const;
  /// The line of a block.
  [[nodiscard]] std::size_t number_of(std::int64_t block) const;
  [[nodiscard]] std::uint64_t array_of(std::size_t line) const;
  /// Bytes from the start of the array to the line.
  [[nodiscard]] std::uint64_t offset_of(std::size_t line) const;

  /// Footprints with about as many lines as the level holds, and of each line one place at random. If the true lines
  /// are longer, the places of one set differ from footprint to footprint. There are so many that any two lines are
  /// in 40 footprints together.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> parts(std::uint64_t seed) const;

  /// One line of each pair of neighbours, chosen at random. If the true lines have this length, these are too few to
  /// overflow the level; if they are twice as long or longer, they are as many as all lines.
  [[nodiscard]] std::vector<std::int64_t> one_of_each_pair(std::uint64_t seed) const;

 private:
  /// Blocks of a line that are loaded: one; half the line or all of it where the level before might hold them.
  [[nodiscard]] std::int64_t blocks_loaded() const;
  void add(std::vector<std::int64_t>& blocks, std::int64_t line, std::int64_t loaded, std::uint64_t place) const;

  ConstantSpace space_;
  std::int64_t blocks_per_line_;
  std::int64_t per_array_;
  std::int64_t count_ = 0;
  std::int64_t overflowing_ = 0;  ///< half as many again as the level holds, if there are so many
  double keep_ = 1;               ///< share of the lines in a part
};

/// Whether so few blocks miss in a walk over one_of_each_pair that the level holds them.
[[nodiscard]] bool mostly_held(const FootprintWalk& walk);

/// What the walks with one length of a line showed.
struct Attempt {
  CandidateLines lines;
  std::optional<SetMap> map;
  double missing = 1;     ///< share of the lines walked
  bool doubtful = false;  ///< lines of half the length were not ruled out

  [[nodiscard]] double contradictions() const { return map ? map->contradictions : 1; }
  /// Whether the number of a set's lines explains what missed, as far as loads are not misread.
  [[nodiscard]] bool explained() const;
  /// Whether it explains enough to doubt a longer line that explains all.
  [[nodiscard]] bool half_explained() const;
};

/// `walks` are those over `parts` of the lines.
[[nodiscard]] Attempt attempt_of(const CandidateLines& lines, std::span<const std::vector<std::int64_t>> parts,
                                 std::span<const FootprintWalk> walks);

/// Ways of the sets. Sets that hold instructions of the kernel have fewer ways left. They are few: the ways of most
/// sets are those of all, if what the others lack is no more than code can be.
struct Ways {
  std::vector<std::int64_t> of_set;
  std::int64_t disturbed = 0;  ///< sets with fewer ways than most
  bool overflow_seen = true;   ///< in every set with the usual ways

  [[nodiscard]] std::int64_t lines() const;
};

[[nodiscard]] Ways ways_of(const SetMap& map);

/// The index on offsets within an array, from pairs of lines of one array and one set. Nothing if it makes other sets
/// than were seen. Requires found.map.
[[nodiscard]] std::optional<cache::Sets> index_of(const Attempt& found, const Ways& ways);

}  // namespace tomograph::constant_cache

#endif
