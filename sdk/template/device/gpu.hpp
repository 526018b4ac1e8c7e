#ifndef GPU_HPP
#define GPU_HPP

#include <cstdint>
#include <list>
#include <string>
#include <unordered_map>
#include <vector>

#include "tomograph/chase.hpp"

/// A made-up GPU, to be replaced by what runs programs on yours: SMs with an L1 cache each, an L2 cache that all share,
/// and memory. It has no TLBs.
class Gpu {
 public:
  static constexpr std::int64_t sms = 4;
  static constexpr std::int64_t l1_bytes = 16384;
  static constexpr std::int64_t l2_bytes = 1 << 20;
  static constexpr std::int64_t memory_bytes = std::int64_t{1} << 32;
  static constexpr std::int64_t timed_bytes = 49152;  ///< where the latencies of timed loads are kept, 8 B each

  /// Why the GPU cannot run a program that breaks no rule of abi/chase.h, or nothing.
  [[nodiscard]] static std::string obstacle(const tomograph::chase::Program& program);

  /// Runs a program that has no obstacle.
  [[nodiscard]] tomograph::chase::Result run(const tomograph::chase::Program& program);

 private:
  /// A fully associative cache of lines with LRU replacement.
  class Cache {
   public:
    explicit Cache(std::int64_t bytes) : lines_(static_cast<std::size_t>(bytes / line)) {}
    /// Whether it holds the line of the address; it does afterwards.
    bool access(std::int64_t address);
    void clear();

   private:
    static constexpr std::int64_t line = 128;
    std::size_t lines_;
    std::list<std::int64_t> newest_first_ = {};
    std::unordered_map<std::int64_t, std::list<std::int64_t>::iterator> held_ = {};
  };

  double load(std::size_t sm, tomograph::chase::Path path, std::int64_t address);

  std::vector<Cache> l1_ = std::vector<Cache>(sms, Cache(l1_bytes));
  Cache l2_{l2_bytes};
};

#endif
