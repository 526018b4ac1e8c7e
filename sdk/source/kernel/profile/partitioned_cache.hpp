#ifndef TOMOGRAPH_KERNEL_PROFILE_PARTITIONED_CACHE_HPP
#define TOMOGRAPH_KERNEL_PROFILE_PARTITIONED_CACHE_HPP

#include <cstdint>
#include <vector>

#include "cache_contents.hpp"

namespace tomograph::kernel {

/// The contents of the last level cache. Each line has a home, one of the partitions. Partitions that keep copies hold,
/// beside the lines at home there, all lines that their SMs load: on an H200, whose two hold 30 MB each, single sectors
/// of 64 MB missed every other time. Writes take place at home and leave no copy: of 50 MB, hardly any missed.
class PartitionedCache {
 public:
  explicit PartitionedCache(const ProfiledMachine& machine);

  struct Outcome {
    bool hit = false;
    bool far = false;               ///< the data come from another partition than that of the SM
    std::int64_t written_back = 0;  ///< modified units of evicted lines
    double ready = 0;               ///< when the data of a hit are there
  };
  enum class Use { load, write, write_through };
  /// An SM of `partition` reads or writes unit number `unit`, and allocates it.
  Outcome use(std::uint64_t unit, Use use, std::size_t partition);
  /// Notes when the data of the last use arrive.
  void arrive(double ready);
  /// An SM of `partition` reads the first `units` units of line number `line`.
  void read_line(std::uint64_t line, std::uint64_t units, std::size_t partition);
  /// Lines that it holds, copies included.
  [[nodiscard]] std::uint64_t lines() const;
  /// Those of them that have modified units.
  [[nodiscard]] std::uint64_t modified_lines() const;
  /// A partition that the number alone decides: of a line, its home.
  [[nodiscard]] std::size_t any_partition(std::uint64_t number) const;

 private:
  Outcome use_in(CacheContents& cache, std::uint64_t unit, Use use, bool is_far);
  /// A load of a line that is at home in another partition.
  Outcome load_copy(std::uint64_t unit, std::size_t partition, std::size_t home);

  std::uint64_t units_per_line_;
  std::uint64_t partitions_;
  std::vector<CacheContents> contents_;  ///< of each partition that keeps copies, else of all together
  double* ready_ = nullptr;              ///< of the line that was used last
  double* ready_at_home_ = nullptr;      ///< of its home, if that is another line
};

}  // namespace tomograph::kernel

#endif
