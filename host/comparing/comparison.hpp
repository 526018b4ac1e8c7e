#ifndef TOMOGRAPH_HOST_COMPARING_COMPARISON_HPP
#define TOMOGRAPH_HOST_COMPARING_COMPARISON_HPP

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topology/topology.hpp"

/// What differs between two topologies, judged by the intervals of their facts. Pure functions.
namespace tomograph::host {

/// How a fact of topology B stands to the same fact of topology A.
enum class Verdict { same, higher, lower, different, undecided, only_a, only_b };

/// "SAME", "HIGHER", "LOWER", "DIFFERENT", "UNDECIDED", "ONLY-A" or "ONLY-B".
[[nodiscard]] std::string_view to_string(Verdict verdict);

/// Relative difference up to which numbers with an interval count as the same: repeated runs of an idle GPU agree
/// within it in all but bandwidths of the slowest programs (tests/recordings/beside).
inline constexpr double usual_tolerance = 0.02;
/// The same for each point of a curve.
inline constexpr double usual_curve_tolerance = 0.05;

/// A relative tolerance for the facts that match a pattern.
struct Tolerance {
  std::string pattern;
  double fraction = 0;
};

/// Which facts are compared, and how closely.
struct ComparisonSettings {
  std::vector<std::string> only = {};      ///< patterns of keys; empty: all facts
  std::vector<std::string> ignored = {};   ///< patterns of keys that are left out
  std::vector<Tolerance> tolerances = {};  ///< of several that match, the last counts
};

/// One fact of two topologies.
struct FactDifference {
  std::string key;
  Verdict verdict = Verdict::same;
  /// (B - A) / A for numbers, and of a curve the largest such difference of its points. Empty if A is zero or either is
  /// no number.
  std::optional<double> change = {};
  /// The least and the greatest change that the intervals admit. Empty without intervals.
  std::optional<std::pair<double, double>> possible_change = {};
};

/// Whether a value holds measurements: a table or list with real numbers or a unit. Integers without a unit are names
/// of SMs, counts of ways and the like.
[[nodiscard]] bool is_curve(bool is_table, bool has_reals, std::string_view unit);

/// Compares all facts that either topology has and the settings select, in the order of their keys:
/// - Numbers with an interval, and real numbers, are SAME if they differ by at most the tolerance. Beyond it, they are
///   HIGHER or LOWER if the intervals are apart, and UNDECIDED if these overlap.
/// - Tables of real numbers or with a unit are SAME if each number differs by at most the tolerance, UNDECIDED if the
///   intervals of all other points overlap, else DIFFERENT. What they list in any order (comparing/any_order.hpp) is
///   paired first.
/// - All else is SAME if it is equal, else DIFFERENT. A tolerance that names an integer counts for it.
[[nodiscard]] std::vector<FactDifference> compare(const Topology& a, const Topology& b,
                                                  const ComparisonSettings& settings);

/// Patterns of the facts in which GPUs of one kind differ: the board's identity and place in its machine, its driver
/// and clocks, the conditions of the moment, and all that is listed by SM, since the factory left other SMs on each
/// board.
[[nodiscard]] std::vector<std::string> facts_of_one_board();

}  // namespace tomograph::host

#endif
