#include <algorithm>

#include "average_latency.hpp"
#include "methods.hpp"

namespace tomograph::classical_methods {
namespace {

using analysis::CacheParameters;
using analysis::SizeCurve;
using analysis::StrideCurve;

/// The next of the sizes 2^k and 1.5 * 2^k.
std::int64_t next_size(std::int64_t bytes) { return (bytes & (bytes - 1)) == 0 ? bytes / 2 * 3 : bytes / 3 * 4; }

/// Publishes what a method found, and that it cannot say the rest.
void publish(const Session& session, const cache::Level& level, const char* method, std::uint64_t samples,
             const std::optional<CacheParameters>& found) {
  const auto publish_one = [&](const char* name, std::optional<std::int64_t> value) {
    const std::string key = cache::key(level, name);
    Fact fact{.key = key,
              .value = value ? Value(*value) : Value(nullptr),
              .method = method,
              .confidence = unverified,
              .samples = samples,
              .evidence = cache::key(level, method)};
    cache::publish_or(session, value.has_value(), fact, "the averages show no such step");
  };
  publish_one("size", found ? std::optional(found->size) : std::nullopt);
  publish_one("line_size", found ? found->line_size : std::nullopt);
  publish_one("sets", found ? found->sets : std::nullopt);
  publish_one("ways", found ? found->ways : std::nullopt);
}

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

void keep(const Session& session, const std::string& name, std::span<const StrideCurve> curves) {
  std::vector<double> bytes;
  std::vector<double> strides;
  std::vector<double> cycles;
  for (const StrideCurve& curve : curves) {
    bytes.insert(bytes.end(), curve.strides.size(), static_cast<double>(curve.bytes));
    strides.insert(strides.end(), curve.strides.begin(), curve.strides.end());
    cycles.insert(cycles.end(), curve.cycles.begin(), curve.cycles.end());
  }
  session.evidence(name, std::array{cache::column("bytes", bytes), cache::column("stride", strides),
                                    cache::column("cycles", cycles)});
}

/// Whether the largest size shows misses, at whatever stride.
bool rises(std::span<const StrideCurve> curves) {
  const double first = *std::ranges::min_element(curves.front().cycles);
  return *std::ranges::max_element(curves.back().cycles) > 1.5 * first;
}

/// The sizes at which the average has risen by a share of its whole rise, within one stride: bisection.
class Rise {
 public:
  Rise(const cache::Executor& execute, const cache::Subject& subject, std::int64_t stride, std::int64_t limit)
      : execute_(execute), subject_(subject), stride_(stride), low_(std::max(smallest, 2 * stride)), high_(low_) {
    hit_ = average(low_);
    while (high_ < limit && !found()) miss_ = average(high_ *= 2);
    if (found()) miss_ = average(high_ *= 2);
  }

  /// A short stride loads a line many times, so that even misses of all lines raise the average by little.
  [[nodiscard]] bool found() const { return miss_ > 1.1 * hit_; }

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
  static constexpr std::int64_t smallest = 64;  // a cache that does not hold that passes for the one behind it

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
  constexpr std::int64_t most_sizes = 512;
  const std::int64_t first = rise.below(0.01);
  const std::int64_t last = rise.below(0.99);
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
  for (std::int64_t bytes = 1024; bytes <= range.limit && (curves.empty() || !rises(curves));
       bytes = next_size(bytes)) {
    curves.push_back(stride_curve(execute, subject, bytes));
  }
  // The curve that tells the rest is of four times the last size that fits.
  if (curves.size() > 1 && rises(curves)) {
    curves.push_back(stride_curve(execute, subject, 4 * std::prev(curves.end(), 2)->bytes));
  }
  keep(session, cache::key(level, "saavedra1992"), curves);
  publish(session, level, "saavedra1992", curves.size(), analysis::saavedra(curves));
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
  publish(session, level, "wong2010", curve.bytes.size(), analysis::wong(curve));
}

}  // namespace tomograph::classical_methods
