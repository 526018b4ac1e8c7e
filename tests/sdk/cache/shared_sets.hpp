#ifndef TOMOGRAPH_TESTS_SHARED_SETS_HPP
#define TOMOGRAPH_TESTS_SHARED_SETS_HPP

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "tomograph/cache/subject.hpp"

namespace tomograph::testing {

/// Lines of a set, of either kind the one used longest ago first.
struct SharedSet {
  std::vector<std::int64_t> unprotected = {};
  std::vector<std::int64_t> protected_lines = {};
};

/// Loads a line and says whether it hit.
using Load = std::function<bool(SharedSet& set, std::int64_t line)>;

inline Load random_replacement(std::size_t ways) {
  return [ways, random = std::mt19937_64(1)](SharedSet& set, std::int64_t line) mutable {
    auto& lines = set.unprotected;
    if (std::ranges::find(lines, line) != lines.end()) return true;
    if (lines.size() < ways) {
      lines.push_back(line);
    } else {
      lines[random() % ways] = line;
    }
    return false;
  };
}

/// As Karedla, Love & Wherry 1994 describe it.
inline Load segmented_lru(std::size_t ways, std::size_t most_protected) {
  return [=](SharedSet& set, std::int64_t line) {
    auto& [unprotected, kept] = set;
    const bool held = std::erase(unprotected, line) + std::erase(kept, line) > 0;
    if (!held) {
      if (unprotected.size() + kept.size() == ways) unprotected.erase(unprotected.begin());
      unprotected.push_back(line);
      return false;
    }
    kept.push_back(line);
    if (kept.size() > most_protected) {
      unprotected.push_back(kept.front());
      kept.erase(kept.begin());
    }
    return true;
  };
}

/// A cache that keeps its lines from program to program: `sets` sets, chosen by the remainder of the line's number.
class SharedSets {
 public:
  SharedSets(std::int64_t sets, std::int64_t line_bytes, Load load)
      : sets_(static_cast<std::size_t>(sets)), line_bytes_(line_bytes), load_(std::move(load)) {}

  [[nodiscard]] std::vector<chase::Result> execute(std::span<const chase::Program> programs) {
    std::vector<chase::Result> results;
    for (const chase::Program& program : programs) results.push_back(run(program));
    return results;
  }

  /// Loads of all programs.
  [[nodiscard]] std::int64_t loads() const { return loads_; }

 private:
  [[nodiscard]] chase::Result run(const chase::Program& program) {
    chase::Result result;
    for (const chase::Phase& phase : program.phases) {
      loads_ += phase.loads;
      const bool timed = phase.timing == chase::Timing::each;
      if (timed) result.traces.emplace_back();
      const auto nodes = chase::node_offsets(program.rings[static_cast<std::size_t>(phase.ring)]);
      for (std::int64_t i = 0; i < phase.loads; ++i) {
        const auto node = static_cast<std::size_t>(phase.first + i) % nodes.size();
        const std::int64_t line = nodes[node] / line_bytes_;
        const bool hit = load_(sets_[static_cast<std::size_t>(line) % sets_.size()], line);
        if (!timed) continue;
        result.traces.back().latency.push_back(hit ? 200 : 600);
        result.traces.back().node.push_back(static_cast<std::uint32_t>(node));
      }
    }
    return result;
  }

  std::vector<SharedSet> sets_;
  std::int64_t line_bytes_;
  Load load_;
  std::int64_t loads_ = 0;
};

}  // namespace tomograph::testing

#endif
