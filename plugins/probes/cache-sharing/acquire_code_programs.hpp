#ifndef TOMOGRAPH_CACHE_SHARING_ACQUIRE_CODE_PROGRAMS_HPP
#define TOMOGRAPH_CACHE_SHARING_ACQUIRE_CODE_PROGRAMS_HPP

#include <cstdint>
#include <vector>

#include "analysis_code.hpp"
#include "tomograph/chase.hpp"

/// Programs that load constants and execute code.
namespace tomograph::cache_sharing {

/// A level of constant caches.
struct ConstantLevel {
  std::int64_t size = 0;
  std::int64_t line_bytes = 0;
  double threshold = 0;          ///< net cycles above which neither this level nor the one before served a load
  double before = 0;             ///< net cycles up to which the level before served it, 0 if there is none
  std::int64_t size_before = 0;  ///< bytes that the level before holds
};

/// Code to be tested: `bytes` of it, executed in steps of `stride`.
struct TestedCode {
  std::int64_t stride = 0;
  std::int64_t bytes = 0;
};

/// Makes the programs for one level. SMs may share a level behind the first one: programs run alone there.
class CodePrograms {
 public:
  CodePrograms(const ConstantLevel& level, std::int64_t arrays, std::int64_t array_bytes);

  /// The owner loads constants, and the rival executes code.
  [[nodiscard]] chase::Program constants_tested(Between between, std::int64_t trial) const;

  /// What is executed to be tested: half of the level. If that is little, neighbouring blocks are executed, of which
  /// prefetched ones hide evictions. A first level may be no cache of instructions, so more code, apart, is tested,
  /// too.
  [[nodiscard]] std::vector<TestedCode> codes() const;

  /// The owner executes code, and the rival loads constants. Behind a level before, the half of the code that was
  /// executed first is tested.
  [[nodiscard]] chase::Program code_tested(const TestedCode& mine, Between between, std::int64_t trial) const;

  /// Whether no level is before this one.
  [[nodiscard]] bool is_first() const { return level_.size_before == 0; }

 private:
  [[nodiscard]] std::int64_t line() const { return level_.line_bytes; }
  [[nodiscard]] std::int64_t room() const { return arrays_ * array_bytes_ - level_.line_bytes; }

  ConstantLevel level_;
  std::int64_t arrays_;
  std::int64_t array_bytes_;
};

}  // namespace tomograph::cache_sharing

#endif
