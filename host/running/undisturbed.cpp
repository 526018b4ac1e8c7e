#include "running/undisturbed.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tomograph::host {
namespace {

/// Relative difference up to which two sums of times are the same. Repetitions on an idle H200 differ by less in all
/// experiments but short walks through memory, which more repetitions settle; the intervals of facts are wider.
constexpr double tolerance = 0.02;
/// Executions of an experiment in all. A turn of 2 ms ends all of them early only in experiments that take longer than
/// a turn, which more executions do not help.
constexpr int most_executions = 8;
/// Answers that are compared at least. One experiment in ten is disturbed if it takes a tenth of a turn; three at once
/// by the same amount are one in a thousand.
constexpr std::size_t least_answers = 3;

bool is_time(const ArrayView& array) { return array.element() != TOMOGRAPH_I64; }

double sum(const ArrayView& array) {
  return array.visit([](auto numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), 0.0,
                           [](double all, auto one) { return all + static_cast<double>(one); });
  });
}

/// Grows with each of the times in an answer.
double length(const Answer& answer) {
  double all = 0;
  for (const ArrayView& array : answer.arrays) {
    if (is_time(array)) all += std::log1p(std::abs(sum(array)));
  }
  return all;
}

/// An experiment whose answer is not settled.
struct Pending {
  std::size_t position = 0;
  std::vector<Answer> answers = {};  ///< that may be right
  /// Why it was refused last, or that another program disturbed it.
  Answer refusal = {{}, TOMOGRAPH_DISTURBED, "another program used the device while it was measured"};

  /// Takes a further answer. Returns whether the experiment is settled.
  bool take(Answer further, Answer& settled) {
    if (further.status == TOMOGRAPH_FAILED) {
      refusal = std::move(further);
      return false;
    }
    if (further.disturbance == TOMOGRAPH_TIMES_DISTURBED) return false;
    if (further.status != TOMOGRAPH_OK || further.disturbance == TOMOGRAPH_UNDISTURBED) {
      settled = std::move(further);
      return true;
    }
    answers.push_back(std::move(further));
    const int chosen = reliable(answers);
    if (chosen >= 0) settled = std::move(answers[static_cast<std::size_t>(chosen)]);
    return chosen >= 0;
  }
};

}  // namespace

bool agree(const Answer& a, const Answer& b) {
  if (a.arrays.size() != b.arrays.size()) return false;
  for (std::size_t i = 0; i < a.arrays.size(); ++i) {
    if (!is_time(a.arrays[i])) continue;
    const double one = sum(a.arrays[i]);
    const double other = sum(b.arrays[i]);
    if (std::abs(one - other) > tolerance * std::min(std::abs(one), std::abs(other))) return false;
  }
  return true;
}

int reliable(std::span<const Answer> answers) {
  if (answers.size() < least_answers) return -1;
  std::vector<int> order(answers.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::partial_sort(order, order.begin() + 2, {},
                            [&](int i) { return length(answers[static_cast<std::size_t>(i)]); });
  const auto at = [&](std::size_t i) -> const Answer& { return answers[static_cast<std::size_t>(order[i])]; };
  return agree(at(0), at(1)) ? order[0] : -1;
}

std::vector<Answer> undisturbed(std::size_t count, const Execution& execution, TimeBeside& time,
                                Disturbances& disturbances) {
  std::vector<Pending> pending(count);
  for (std::size_t i = 0; i < count; ++i) pending[i].position = i;
  std::vector<Answer> settled(count);
  const bool is_over = time.all.is_spent() && execution.in_use();
  for (int i = 0; i < most_executions && !pending.empty() && !is_over; ++i) {
    if (i > 0 && (time.repetitions.is_spent() || time.all.is_spent())) break;
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::size_t> positions;
    for (const Pending& one : pending) positions.push_back(one.position);
    std::vector<Answer> answers = execution.execute(positions);
    if (!execution.in_use() && i == 0) return answers;
    std::vector<Pending> left;
    for (std::size_t j = 0; j < pending.size(); ++j) {
      if (!pending[j].take(std::move(answers[j]), settled[positions[j]])) left.push_back(std::move(pending[j]));
    }
    pending = std::move(left);
    const auto took = std::chrono::steady_clock::now() - begin;
    time.all.spend(took);
    if (i > 0) time.repetitions.spend(took);
    if (i == 0) disturbances.repeated += pending.size();
  }
  disturbances.given_up += pending.size();
  for (Pending& one : pending) settled[one.position] = std::move(one.refusal);
  return settled;
}

}  // namespace tomograph::host
