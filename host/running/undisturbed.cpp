#include "running/undisturbed.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace tomograph::host {
namespace {

/// Relative difference up to which two sums of times are the same. Repetitions on an idle H200 differ by less in all
/// experiments but short walks through memory, which more repetitions settle; the intervals of facts are wider.
constexpr double tolerance = 0.02;
/// Executions of an experiment in all. The later ones are executed alone; what takes longer than a turn needs luck.
constexpr int most_executions = 20;
/// Standard deviations by which sums differ by chance once in 400 times.
constexpr double most_deviations = 3;
/// Each execution divides what is left into so many times more parts as the one before: all, fours, sixteens, ...
constexpr std::size_t division = 4;
/// A batch may spend this part of the time that is left for repetitions, so that no probe spends the time of all.
constexpr double share_of_a_batch = 0.25;
/// Answers that are compared at least. One experiment in ten is disturbed if it takes a tenth of a turn; three at once
/// by the same amount are one in a thousand.
constexpr std::size_t least_answers = 3;
/// The same of experiments of which the device tells nothing. They may take as long as a turn, and then each execution
/// in a batch contains one. The last two of these executions are nearly alone.
constexpr std::size_t least_unseen_answers = 5;

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

Answer disturbed() { return {{}, TOMOGRAPH_DISTURBED, "another program used the device while it was measured"}; }

/// An experiment until its answer is settled.
struct Pending {
  bool is_settled = false;
  std::vector<Answer> answers = {};  ///< that may be right
  Answer refusal = disturbed();      ///< why it was refused last, or that another program disturbed it

  /// Takes a further answer, which may settle the experiment.
  void take(Answer further, Answer& settled) {
    if (further.disturbance == TOMOGRAPH_TIMES_DISTURBED) return;
    if (further.status == TOMOGRAPH_FAILED) {
      refusal = std::move(further);
    } else if (further.status != TOMOGRAPH_OK || further.disturbance == TOMOGRAPH_UNDISTURBED) {
      settled = std::move(further);
      is_settled = true;
    } else {
      compare(std::move(further), settled);
    }
  }

 private:
  void compare(Answer further, Answer& settled) {
    answers.push_back(std::move(further));
    const int chosen = reliable(answers);
    if (chosen < 0) return;
    settled = std::move(answers[static_cast<std::size_t>(chosen)]);
    is_settled = true;
  }
};

/// Variance of the sum of single times, 0 for one sum.
double variance_of_sum(const ArrayView& array) {
  const auto count = static_cast<double>(array.size());
  const double mean = sum(array) / count;
  return array.visit([&](auto numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), 0.0, [&](double all, auto one) {
      const double difference = static_cast<double>(one) - mean;
      return all + difference * difference;
    });
  });
}

/// What two sums of times may differ by. If time was taken without a disturbance, single times vary by chance alone.
double allowed_difference(const Answer& a, const Answer& b, std::size_t i) {
  const double smaller = std::min(std::abs(sum(a.arrays[i])), std::abs(sum(b.arrays[i])));
  const bool timed_alone = a.disturbance == TOMOGRAPH_WARM_UP_DISTURBED && b.disturbance == TOMOGRAPH_WARM_UP_DISTURBED;
  if (!timed_alone) return tolerance * smaller;
  const double variance = variance_of_sum(a.arrays[i]) + variance_of_sum(b.arrays[i]);
  return std::max(tolerance * smaller, most_deviations * std::sqrt(variance));
}

std::vector<double> times_of(const ArrayView& array) {
  return array.visit([](auto numbers) { return std::vector<double>(numbers.begin(), numbers.end()); });
}

/// Whether nearly all single times are those of the same levels of memory, each of which takes at least 1.5 times as
/// long as the one before. After warm-ups that were interrupted, caches hold as much by chance, but not the same.
/// Delays of other causes are rarer than the 5 % that may differ.
bool same_levels(const ArrayView& a, const ArrayView& b) {
  constexpr double next_level = 1.5;
  constexpr double most_differing = 0.05;
  const std::vector<double> ones = times_of(a);
  const std::vector<double> others = times_of(b);
  if (ones.size() != others.size()) return false;
  std::size_t differing = 0;
  for (std::size_t i = 0; i < ones.size(); ++i) {
    if (std::max(ones[i], others[i]) > next_level * std::min(ones[i], others[i])) ++differing;
  }
  return static_cast<double>(differing) <= std::max(1.0, most_differing * static_cast<double>(ones.size()));
}

}  // namespace

bool agree(const Answer& a, const Answer& b) {
  if (a.arrays.size() != b.arrays.size()) return false;
  const bool were_interrupted =
      a.disturbance == TOMOGRAPH_WARM_UP_DISTURBED || b.disturbance == TOMOGRAPH_WARM_UP_DISTURBED;
  for (std::size_t i = 0; i < a.arrays.size(); ++i) {
    if (!is_time(a.arrays[i])) continue;
    if (were_interrupted && !same_levels(a.arrays[i], b.arrays[i])) return false;
    const double one = sum(a.arrays[i]);
    const double other = sum(b.arrays[i]);
    if (std::abs(one - other) > allowed_difference(a, b, i)) return false;
  }
  return true;
}

int reliable(std::span<const Answer> answers) {
  const bool is_unseen = std::ranges::any_of(answers, [](const Answer& one) { return one.disturbance == unseen; });
  if (answers.size() < (is_unseen ? least_unseen_answers : least_answers)) return -1;
  std::vector<int> order(answers.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::partial_sort(order, order.begin() + 2, {},
                            [&](int i) { return length(answers[static_cast<std::size_t>(i)]); });
  const auto at = [&](std::size_t i) -> const Answer& { return answers[static_cast<std::size_t>(order[i])]; };
  return agree(at(0), at(1)) ? order[0] : -1;
}

std::vector<std::vector<std::size_t>> parts(std::vector<std::size_t> left, int execution) {
  if (left.empty()) return {};
  std::size_t count = 1;
  for (int i = 0; i < execution && count < left.size(); ++i) count *= division;
  const std::size_t size = (left.size() + count - 1) / count;
  // Multiples of the golden ratio spread evenly.
  const double turns = static_cast<double>(execution) / std::numbers::phi;
  const double first = (turns - std::floor(turns)) * static_cast<double>(left.size());
  std::rotate(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(first), left.end());
  std::vector<std::vector<std::size_t>> all;
  for (std::size_t i = 0; i < left.size(); i += size) {
    const auto begin = left.begin() + static_cast<std::ptrdiff_t>(i);
    all.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(std::min(size, left.size() - i)));
  }
  return all;
}

std::vector<std::size_t> with_predecessors(std::span<const std::size_t> part) {
  std::vector<std::size_t> all;
  for (const std::size_t position : part) {
    if (position > 0 && (all.empty() || all.back() != position - 1)) all.push_back(position - 1);
    all.push_back(position);
  }
  return all;
}

namespace {

using Clock = std::chrono::steady_clock;

/// Time after which a batch looks again whether the device is in use.
constexpr std::chrono::milliseconds look_interval{500};

/// A batch that another program has perhaps disturbed.
class Batch {
 public:
  Batch(std::vector<Answer> first, const Execution& execution, TimeBeside& time)
      : execution_(&execution),
        time_(&time),
        own_(time.repetitions.share(share_of_a_batch)),
        pending_(first.size()),
        settled_(first.size()) {
    for (std::size_t i = 0; i < first.size(); ++i) pending_[i].take(std::move(first[i]), settled_[i]);
  }

  /// The positions of what must be executed again.
  [[nodiscard]] std::vector<std::size_t> left() const {
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      if (!pending_[i].is_settled) positions.push_back(i);
    }
    return positions;
  }

  void execute_again(int number) {
    for (const std::vector<std::size_t>& part : parts(left(), number)) {
      if (own_.is_spent() || time_->repetitions.is_spent() || time_->all.is_spent()) return;
      const auto begin = Clock::now();
      execute(part);
      if (begin - looked_ > look_interval) {
        static_cast<void>(execution_->in_use());
        looked_ = begin;
      }
      const auto took = Clock::now() - begin;
      for (Allowance* one : {&own_, &time_->repetitions, &time_->all}) one->spend(took);
    }
  }

  /// The answers. What is not settled is refused, and counted in `given_up`.
  [[nodiscard]] std::vector<Answer> answers(std::uint64_t& given_up) && {
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      if (pending_[i].is_settled) continue;
      settled_[i] = std::move(pending_[i].refusal);
      ++given_up;
    }
    return std::move(settled_);
  }

 private:
  void execute(std::span<const std::size_t> part) {
    const std::vector<std::size_t> positions = with_predecessors(part);
    std::vector<Answer> answers = execution_->execute(positions);
    std::size_t next = 0;
    for (std::size_t i = 0; i < positions.size() && next < part.size(); ++i) {
      if (positions[i] != part[next]) continue;
      pending_[part[next]].take(std::move(answers[i]), settled_[part[next]]);
      ++next;
    }
  }

  const Execution* execution_;
  TimeBeside* time_;
  Allowance own_;
  std::vector<Pending> pending_;
  std::vector<Answer> settled_;
  Clock::time_point looked_ = Clock::now();
};

}  // namespace

std::vector<Answer> undisturbed(std::size_t count, const Execution& execution, TimeBeside& time,
                                Disturbances& disturbances) {
  if (time.all.is_spent() && execution.in_use()) {
    disturbances.given_up += count;
    return std::vector<Answer>(count, disturbed());  // NOLINT(modernize-return-braced-init-list): no list of two
  }
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto begin = Clock::now();
  std::vector<Answer> first = execution.execute(all);
  if (!execution.in_use()) return first;
  time.all.spend(Clock::now() - begin);
  Batch batch(std::move(first), execution, time);
  disturbances.repeated += batch.left().size();
  for (int i = 1; i < most_executions && !batch.left().empty(); ++i) batch.execute_again(i);
  return std::move(batch).answers(disturbances.given_up);
}

}  // namespace tomograph::host
