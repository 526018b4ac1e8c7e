#ifndef TOMOGRAPH_CACHE_SHARING_ACQUIRE_FINDING_HPP
#define TOMOGRAPH_CACHE_SHARING_ACQUIRE_FINDING_HPP

#include <algorithm>
#include <span>
#include <vector>

#include "analysis_effect.hpp"
#include "tomograph/chase.hpp"
#include "tomograph/session.hpp"

namespace tomograph::cache_sharing {

/// A cache that several SMs may share.
struct SharedLevel {
  chase::Path path = chase::Path::constant;
  std::int64_t line_bytes = 0;
  std::int64_t held = 0;  ///< bytes of lines that it holds whatever the index
  double threshold = 0;   ///< latency above which it did not serve a load, nor did a level before it
  std::int64_t carveout = chase::default_carveout;
  /// Hits wait for a translation, too: a reader that has not loaded from the page would take a hit for a miss.
  bool translates_hits = false;
};

/// Compares SMs by whether they find lines that other SMs have loaded. Loaders load lines; each of the readers then
/// tests lines that only it and the loaders have loaded, so that one program compares the loaders with as many readers
/// as there are lines.
class FindingComparison {
 public:
  FindingComparison(const Session& session, const SharedLevel& level) : session_(&session), level_(level) {}

  /// Odds that each reader shares the cache with a loader.
  std::vector<analysis::EffectOdds> compare(std::span<const std::int64_t> loaders,
                                            std::span<const std::int64_t> readers);

  /// The same for one loader, as analysis::group asks.
  std::vector<analysis::EffectOdds> operator()(std::int64_t base, std::span<const std::int64_t> others) {
    return compare({&base, 1}, others);
  }

  /// The evidence, by the first loader and the reader.
  [[nodiscard]] std::vector<NamedArray> columns() const;
  [[nodiscard]] std::uint64_t tested() const;

 private:
  /// Batches end when every comparison is wrong with less than this probability, or after the last one. The error of
  /// the groups is the sum of those of the comparisons. 16 trials bound the time; what is then undecided is not
  /// published.
  static constexpr double sure = 1e-5;
  static constexpr std::int64_t most_batches = 4;
  static constexpr std::int64_t trials_per_batch = 4;
  /// Lines that the first loader tests again itself.
  static constexpr std::int64_t own_tests = 8;

  /// Hits in lines that nobody has loaded; in lines that the first loader has loaded, by itself and by each reader.
  struct Counts {
    explicit Counts(std::size_t count) : readers(count), cycles(count) {}

    analysis::EventCount nobody;
    analysis::EventCount own;
    std::vector<analysis::EventCount> readers;
    std::vector<double> cycles;  ///< sums over the tests of each reader
  };

  /// The lines of a program, and so the SMs that one program can test. Any cache holds one.
  [[nodiscard]] std::size_t lines() const {
    return std::max<std::size_t>(1, static_cast<std::size_t>(level_.held / distance()));
  }
  /// From one tested line to the next. Where hits are translated, a line between them brings the translation.
  [[nodiscard]] std::int64_t distance() const { return (level_.translates_hits ? 2 : 1) * level_.line_bytes; }
  /// Of a loader. Constants of different addresses are read one after the other anyway.
  [[nodiscard]] std::int64_t threads() const { return level_.path == chase::Path::constant ? 1 : 32; }
  [[nodiscard]] chase::Program program(std::span<const std::int64_t> loaders, std::span<const std::int64_t> readers,
                                       bool loaded, std::int64_t trial) const;
  void count(const chase::Result& result, std::size_t trace, analysis::EventCount& into) const;
  void measure(std::span<const std::int64_t> loaders, std::span<const std::int64_t> readers, std::int64_t batch,
               Counts& counts) const;

  const Session* session_;
  SharedLevel level_;
  std::vector<double> loader_;
  std::vector<double> reader_;
  std::vector<double> tested_;
  std::vector<double> found_;
  std::vector<double> cycles_;
};

}  // namespace tomograph::cache_sharing

#endif
