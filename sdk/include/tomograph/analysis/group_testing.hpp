#ifndef TOMOGRAPH_ANALYSIS_GROUP_TESTING_HPP
#define TOMOGRAPH_ANALYSIS_GROUP_TESTING_HPP

#include <cstdint>
#include <span>
#include <vector>

namespace tomograph::analysis {

/// Consecutive elements of a pool.
struct ElementRun {
  std::int64_t first = 0;
  std::int64_t count = 0;

  bool operator==(const ElementRun&) const = default;
};

/// Which elements of a pool together evict a target, found by group testing, for any replacement policy (the idea of
/// Vila, Köpf & Morales 2019). Starts from a random pool that evicts the target and removes chunks of it while the rest
/// still evicts it. Knows neither lines nor loads: the caller draws pools, tests them, and tells what evicted.
///
/// A pool is only replaced by one that was seen to evict the target. That may have happened by chance: a misread load,
/// or a cache that holds fewer lines than it has tags and evicts a line of any set. So each step tests the pool itself
/// along with its parts, and if it no longer evicts the target, the larger pool before it takes its place again.
class GroupTesting {
 public:
  struct Setup {
    std::int64_t most = 0;    ///< elements of the largest pool, and one more for the target
    std::int64_t wanted = 0;  ///< the same of the pool to start with; doubled while it does not evict the target
    std::int64_t budget = 0;  ///< most loads of the search
    /// Rounds of walks in a test. A step that shows nothing is repeated with more of them, since a random victim may
    /// escape: one in 16 ways escapes 32 rounds with a probability of 0.13.
    std::int64_t first_rounds = 2;
    std::int64_t most_rounds = 32;
    std::uint64_t seed = 0;  ///< of the first pool, below 1000: other searches begin with others
  };
  explicit GroupTesting(const Setup& setup);

  /// Tests to make.
  struct Step {
    std::vector<std::vector<ElementRun>> pools;  ///< each is tested by walks over it after a load of the target
    std::int64_t rounds = 0;                     ///< times that each is tested; one eviction counts
    std::int64_t trial = 0;                      ///< distinguishes repetitions
    bool repeats = false;                        ///< the pools are the same, and their trials follow each other
  };
  /// The next tests. Not to be called when done.
  [[nodiscard]] Step step();
  /// Takes for each pool of the last step whether it evicted the target.
  void advance(const std::vector<bool>& evicted);

  /// The pool and the target that the next step is about are those drawn with this seed.
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  /// Elements of that pool before any was removed.
  [[nodiscard]] std::int64_t elements() const { return elements_; }

  [[nodiscard]] bool done() const { return stage_ == Stage::found || stage_ == Stage::failed; }
  [[nodiscard]] bool found() const { return stage_ == Stage::found; }
  /// The elements that are left, in ascending order.
  [[nodiscard]] std::vector<std::int64_t> group() const;

 private:
  /// What the next step tests: the whole pool, several times; the pool without each chunk in turn, and the pool itself;
  /// the pool without several chunks that it can spare one by one.
  enum class Stage { whole, chunks, together, found, failed };
  using Pool = std::vector<ElementRun>;

  void draw();
  [[nodiscard]] std::int64_t chunks() const;
  [[nodiscard]] std::int64_t cost() const;
  [[nodiscard]] Pool without(std::span<const std::int64_t> spared) const;
  [[nodiscard]] std::vector<Pool> candidates() const;
  void begin(const std::vector<bool>& evicted);
  void take_chunk(const std::vector<bool>& evicted);
  void take_together(const std::vector<bool>& evicted);
  void keep(Pool smaller);
  void refine();
  void take_back();
  void draw_again();

  std::int64_t most_;
  std::int64_t budget_;
  std::int64_t first_rounds_;
  std::int64_t most_rounds_;
  std::uint64_t seed_;
  std::int64_t wanted_;
  std::int64_t elements_ = 0;
  Pool pool_;
  std::vector<Pool> before_;         ///< larger pools that led to it, the last one at the end
  std::vector<std::int64_t> spare_;  ///< chunks that the pool can spare one by one
  std::int64_t chunks_ = 0;
  std::int64_t rounds_ = 0;
  std::int64_t trial_ = 0;
  std::int64_t spent_ = 0;
  int mistakes_ = 0;
  Stage stage_ = Stage::whole;
};

}  // namespace tomograph::analysis

#endif
