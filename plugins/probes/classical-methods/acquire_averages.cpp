#include <algorithm>

#include "acquire_walks.hpp"
#include "analysis_average_latency.hpp"
#include "publish.hpp"
#include "questions.hpp"

namespace tomograph::classical_methods {
namespace {

/// All powers of two from a node to half of the bytes.
StrideCurve stride_curve(const cache::Executor& execute, const cache::Subject& subject, std::int64_t bytes) {
  std::vector<Walk> walks;
  StrideCurve curve{bytes, {}, {}};
  for (std::int64_t stride = chase::node_bytes; stride <= bytes / 2; stride *= 2) {
    walks.push_back({bytes, stride});
    curve.strides.push_back(stride);
  }
  curve.cycles = averages(execute, subject, walks);
  return curve;
}

/// The sizes at which the average has risen by a share of its whole rise, to one stride, by bisection.
class Rise {
 public:
  Rise(const cache::Executor& execute, const cache::Subject& subject, std::int64_t stride, std::int64_t limit)
      : execute_(execute), subject_(subject), stride_(stride), low_(std::max(smallest, 2 * stride)), high_(low_) {
    hit_ = average(low_);
    while (high_ < limit && !found()) miss_ = average(high_ *= 2);
    if (found()) miss_ = average(high_ *= 2);
  }

  [[nodiscard]] bool found() const {
    // A short stride loads a line many times, so that misses of all lines raise the average by little: by an eighth
    // with 16 loads of a line and a miss that takes three times as long as a hit.
    constexpr double least_rise = 1.1;
    return miss_ > least_rise * hit_;
  }

  /// The largest size whose average has risen by less than `share`.
  [[nodiscard]] std::int64_t below(double share) const {
    std::int64_t low = low_;
    std::int64_t high = high_;
    while (high - low > stride_) {
      const std::int64_t middle = low + (high - low) / 2 / stride_ * stride_;
      (average(middle) - hit_ < share * (miss_ - hit_) ? low : high) = middle;
    }
    return low;
  }

 private:
  static constexpr std::int64_t smallest = 64;  // a cache that does not hold so much is taken for the one behind it

  [[nodiscard]] double average(std::int64_t bytes) const {
    return averages(execute_, subject_, std::array{Walk{bytes, stride_}}).front();
  }

  const cache::Executor& execute_;
  const cache::Subject& subject_;
  std::int64_t stride_;
  std::int64_t low_;
  std::int64_t high_;
  double hit_ = 0;
  double miss_ = 0;
};

/// Sizes from before the first rise to after the last one, at most about 512 of them.
SizeCurve size_curve(const cache::Executor& execute, const cache::Subject& subject, const Rise& rise,
                     std::int64_t stride) {
  // Their averages take ten million loads: five walks of 4096 loads each.
  constexpr std::int64_t most_sizes = 512;
  // 1 % of the rise is more than the noise of a median of averages over 4096 loads. Chosen by hand.
  constexpr double begun = 0.01;
  constexpr double complete = 0.99;
  const std::int64_t first = rise.below(begun);
  const std::int64_t last = rise.below(complete);
  const std::int64_t step = stride * ((last - first) / (stride * most_sizes) + 1);
  std::vector<Walk> walks;
  SizeCurve curve;
  for (std::int64_t bytes = std::max(first - 4 * step, step); bytes <= last + 4 * step; bytes += step) {
    walks.push_back({bytes, stride});
    curve.bytes.push_back(bytes);
  }
  curve.cycles = averages(execute, subject, walks);
  return curve;
}

}  // namespace

void follow_saavedra(const Session& session, const cache::Level& level) {
  const cache::Executor execute = cache::executor(session);
  const cache::Subject subject = cache::subject_of(level);
  const cache::SearchRange range = cache::search_range(session, level);
  std::vector<StrideCurve> curves;
  for (std::int64_t bytes = 1024; bytes <= range.limit && (curves.empty() || !shows_misses(curves));
       bytes = next_size(bytes)) {
    curves.push_back(stride_curve(execute, subject, bytes));
  }
  // Four times the last size that fits gives the curve from which line, sets and ways follow.
  if (curves.size() > 1 && shows_misses(curves)) {
    curves.push_back(stride_curve(execute, subject, 4 * std::prev(curves.end(), 2)->bytes));
  }
  keep(session, cache::key(level, "saavedra1992"), curves);
  publish(session, level, "saavedra1992", curves.size(), saavedra(curves));
}

void follow_wong(const Session& session, const cache::Level& level) {
  const cache::Executor execute = cache::executor(session);
  const cache::Subject subject = cache::subject_of(level);
  const auto stride = session.parameter<std::int64_t>("stride");
  const Rise rise(execute, subject, stride, cache::search_range(session, level).limit);
  if (!rise.found()) return publish(session, level, "wong2010", 0, std::nullopt);
  const SizeCurve curve = size_curve(execute, subject, rise, stride);
  session.evidence(cache::key(level, "wong2010"),
                   std::array{cache::column("bytes", {curve.bytes.begin(), curve.bytes.end()}),
                              cache::column("cycles", curve.cycles)});
  publish(session, level, "wong2010", curve.bytes.size(), wong(curve));
}

}  // namespace tomograph::classical_methods
