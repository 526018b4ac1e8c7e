#include <algorithm>
#include <array>
#include <stdexcept>

#include "acquire_points.hpp"
#include "analysis_level.hpp"
#include "publish.hpp"
#include "questions.hpp"

namespace tomograph::instruction_throughput {

namespace {

constexpr std::array<std::int64_t, 3> ilp_levels{1, 2, 4};
constexpr std::int64_t threads_of_a_cta = 1024;  // an SM holds one CTA at least, and no known one is larger
/// Further repetitions of what is undecided, for each that was made: their number triples every time.
constexpr std::int64_t more_repetitions = 2;

class Measurement {
 public:
  Measurement(const Session& session, instruction::Type type)
      : session_(session),
        type_(type),
        repetitions_(session.parameter<std::int64_t>("repetitions")),
        warp_size_(session.needed<std::int64_t>("device.warp_size")),
        most_warps_(session.fact<std::int64_t>("device.max_warps_per_sm").value_or(threads_of_a_cta / warp_size_)) {}

  [[nodiscard]] std::vector<Level> levels() {
    measure_grid();
    decide();
    measure_ridges();
    decide();
    for (Level& level : levels_) level.evaluate();
    return std::move(levels_);
  }

 private:
  void measure_grid() {
    std::vector<Question> questions;
    for (const std::int64_t ilp : ilp_levels) {
      levels_.push_back({.ilp = ilp});
      for (const std::int64_t warps : coarse_grid(most_warps_)) {
        if (occupancy_of(warps)) questions.push_back({ilp, warps, repetitions_});
      }
    }
    add(measure(session_, type_, questions), &Level::grid);
    for (const Level& level : levels_) {
      if (level.grid.empty()) throw std::runtime_error("no SM held the CTAs that it should");
    }
  }

  void measure_ridges() {
    std::vector<Question> questions;
    for (const Level& level : levels_) {
      for (const std::int64_t warps : level.about_the_ridge()) {
        if (occupancy_of(warps)) questions.push_back({level.ilp, warps, repetitions_});
      }
    }
    if (!questions.empty()) add(measure(session_, type_, questions), &Level::refined);
  }

  /// Repeats undecided occupancies.
  void decide() {
    for (std::size_t round = 1; round < ridge_rounds; ++round) {
      std::vector<Question> questions;
      for (Level& level : levels_) {
        for (const std::int64_t warps : level.undecided()) {
          const auto done = static_cast<std::int64_t>(level.at(warps)->cpi.size());
          if (done < most_repetitions()) questions.push_back({level.ilp, warps, more_repetitions * done, done});
        }
      }
      if (questions.empty()) return;
      for (const Answered& one : measure(session_, type_, questions)) {
        auto& cpi = std::ranges::find(levels_, one.question.ilp, &Level::ilp)->at(one.question.warps)->cpi;
        cpi.insert(cpi.end(), one.point.cpi.begin(), one.point.cpi.end());
      }
    }
  }

  [[nodiscard]] std::int64_t most_repetitions() const {
    std::int64_t most = repetitions_;
    for (std::size_t round = 1; round < ridge_rounds; ++round) most *= 1 + more_repetitions;
    return most;
  }

  void add(const std::vector<Answered>& answered, std::vector<analysis::OccupancyPoint> Level::*points) {
    for (const Answered& one : answered) {
      Level& level = *std::ranges::find(levels_, one.question.ilp, &Level::ilp);
      (level.*points).push_back(one.point);
    }
  }

  const Session& session_;
  instruction::Type type_;
  std::int64_t repetitions_;
  std::int64_t warp_size_;
  std::int64_t most_warps_;
  std::vector<Level> levels_;
};

}  // namespace

void find_roofline(const Session& session, instruction::Type type) {
  publish(session, type, Measurement(session, type).levels());
}

}  // namespace tomograph::instruction_throughput
