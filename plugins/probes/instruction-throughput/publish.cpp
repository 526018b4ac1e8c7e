#include "publish.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string>

#include "tomograph/analysis/confidence.hpp"

namespace tomograph::instruction_throughput {

namespace {

constexpr const char* ridge_method = "five-percent-rule";

/// The columns of the evidence.
class Curves {
 public:
  void add(std::int64_t ilp, const analysis::OccupancyPoint& point, double model) {
    const analysis::Repeated cpi = analysis::repeated(point.cpi);
    ilp_.push_back(ilp);
    warps_.push_back(point.warps);
    mean_.push_back(cpi.mean);
    low_.push_back(cpi.interval().low);
    high_.push_back(cpi.interval().high);
    model_.push_back(model);
  }

  [[nodiscard]] std::vector<NamedArray> columns() const {
    return {{"ilp", ilp_},    {"warps", warps_},  {"cycles_per_instruction", mean_},
            {"low_95", low_}, {"high_95", high_}, {"model", model_}};
  }

 private:
  std::vector<std::int64_t> ilp_;
  std::vector<std::int64_t> warps_;
  std::vector<double> mean_;
  std::vector<double> low_;
  std::vector<double> high_;
  std::vector<double> model_;
};

class Publisher {
 public:
  Publisher(const Session& session, instruction::Type type, const std::vector<Level>& levels)
      : session_(session),
        prefix_(std::string("instruction.") + instruction::name(type)),
        repetitions_(session.parameter<std::int64_t>("repetitions")),
        warp_size_(session.needed<std::int64_t>("device.warp_size")),
        levels_(levels) {}

  void publish() const {
    keep_evidence();
    publish_completion();
    publish_issue();
    publish_ridge();
  }

 private:
  [[nodiscard]] std::string key(const char* name) const { return prefix_ + "." + name; }

  void keep_evidence() const {
    Curves curves;
    for (const Level& level : levels_) {
      for (const auto* points : {&level.grid, &level.refined}) {
        for (const analysis::OccupancyPoint& point : *points) {
          curves.add(level.ilp, point,
                     roofline_cpi(levels_.front().roofline.completion.mean, level.roofline.issue.mean, point.warps,
                                  level.ilp));
        }
      }
    }
    session_.evidence(prefix_, curves.columns());
  }

  [[nodiscard]] Fact fact(const char* name, const char* method, Value value) const {
    return {.key = key(name),
            .value = std::move(value),
            .method = method,
            .samples = static_cast<std::uint64_t>(repetitions_),
            .evidence = prefix_};
  }

  /// Pairs of ILP level and `value` of it, with the intervals as a condition.
  void publish_list(const char* name, const char* method, const std::vector<Level>& levels, const auto& value,
                    const auto& interval, analysis::Repeated analysis::Roofline::*latency) const {
    Value pairs = Value::list();
    Value intervals = Value::list();
    std::vector<analysis::Repeated> latencies;
    for (const Level& level : levels) {
      const Interval range = interval(level);
      pairs.push_back(Value::list(level.ilp, value(level)));
      intervals.push_back(Value::list(range.low, range.high));
      latencies.push_back(level.roofline.*latency);
    }
    Fact list = fact(name, method, std::move(pairs));
    list.conditions = {{"intervals", std::move(intervals)}};
    publish_known(std::move(list), latencies);
  }

  /// With the probability that the intervals of all `latencies` cover them, unless one is too wide.
  void publish_known(Fact fact, std::span<const analysis::Repeated> latencies) const {
    fact.confidence = confidence::from_error(0);
    for (const analysis::Repeated& latency : latencies) {
      if (latency.relative_ci() > useful_ci) {
        return session_.inconclusive(fact.key, "repetitions scatter so much that " + std::to_string(latency.count) +
                                                   " of them determine it only to " +
                                                   std::to_string(std::lround(100 * latency.relative_ci())) + " %");
      }
      fact.samples = std::max<std::uint64_t>(fact.samples, latency.count);
      fact.confidence -= latency.error();
    }
    session_.publish(fact);
  }

  [[nodiscard]] static Interval widened(const analysis::Repeated& cycles, double resolution) {
    const analysis::Interval interval = cycles.interval();
    return {interval.low - resolution, interval.high + resolution};
  }

  [[nodiscard]] static Interval completion_interval(const Level& level) {
    return widened(level.roofline.completion, level.roofline.slowest.resolution);
  }
  [[nodiscard]] static Interval issue_interval(const Level& level) {
    return widened(level.roofline.issue, level.roofline.fastest.resolution);
  }

  void publish_completion() const {
    constexpr const char* method = "one-warp";
    const Level& dependent = levels_.front();
    Fact one = fact("completion_latency", method, dependent.roofline.completion.mean);
    one.interval = completion_interval(dependent);
    one.conditions = {{"ilp", dependent.ilp}, {"statistic", "mean, 95 % interval of single runs"}};
    publish_known(one, std::span(&dependent.roofline.completion, 1));
    publish_list(
        "completion_latency_by_ilp", method, levels_, [](const Level& level) { return level.roofline.completion.mean; },
        completion_interval, &analysis::Roofline::completion);
  }

  void publish_issue() const {
    constexpr const char* method = "full-pipelines";
    std::vector<Level> converged;
    std::ranges::copy_if(levels_, std::back_inserter(converged), &Level::converged);
    if (converged.empty()) {
      for (const char* name : {"issue_latency", "issue_latency_by_ilp", "throughput", "throughput_by_ilp"}) {
        session_.inconclusive(key(name), still_rising());
      }
      return;
    }
    const auto cycles = [](const Level& level) { return level.roofline.issue.mean; };
    const auto rate = [this](double cycles_per_warp) { return static_cast<double>(warp_size_) / cycles_per_warp; };
    const auto rate_interval = [&](const Level& level) {
      const Interval interval = issue_interval(level);
      return Interval{rate(interval.high), rate(interval.low)};
    };
    const Level& best = *std::ranges::min_element(converged, {}, cycles);
    Fact issue = fact("issue_latency", method, cycles(best));
    issue.interval = issue_interval(best);
    issue.conditions = {{"ilp", best.ilp}};
    publish_known(issue, std::span(&best.roofline.issue, 1));
    Fact throughput = fact("throughput", method, rate(cycles(best)));
    throughput.interval = rate_interval(best);
    throughput.conditions = {{"ilp", best.ilp}};
    publish_known(throughput, std::span(&best.roofline.issue, 1));
    constexpr auto latency = &analysis::Roofline::issue;
    publish_list("issue_latency_by_ilp", method, converged, cycles, issue_interval, latency);
    publish_list(
        "throughput_by_ilp", method, converged, [&](const Level& level) { return rate(cycles(level)); }, rate_interval,
        latency);
  }

  /// The fewest warps that surely suffice. Where fewer may suffice, the interval has all possible ridges.
  [[nodiscard]] Fact ridge_fact(const Level& level) const {
    Fact ridge = fact("ridge_warps", ridge_method, level.ridge.sure);
    ridge.confidence = level.ridge.confidence;
    ridge.conditions = {{"ilp", level.ilp}};
    if (level.ridge.first == level.ridge.sure) return ridge;
    ridge.confidence = std::min(ridge.confidence, confidence::instructions::ridge_undecided);
    ridge.interval = Interval{static_cast<double>(level.ridge.first), static_cast<double>(level.ridge.sure)};
    return ridge;
  }

  void publish_ridge() const {
    const Level& dependent = levels_.front();
    if (dependent.converged) {
      session_.publish(ridge_fact(dependent));
    } else {
      session_.inconclusive(key("ridge_warps"), still_rising());
    }
    Value pairs = Value::list();
    Value intervals = Value::list();
    double confidence = confidence::empty_list;
    for (const Level& level : levels_) {
      if (!level.converged) continue;
      pairs.push_back(Value::list(level.ilp, level.ridge.sure));
      intervals.push_back(Value::list(level.ridge.first, level.ridge.sure));
      confidence *= ridge_fact(level).confidence;
    }
    if (pairs.elements().empty()) return session_.inconclusive(key("ridge_warps_by_ilp"), still_rising());
    Fact list = fact("ridge_warps_by_ilp", ridge_method, std::move(pairs));
    list.confidence = confidence;
    list.conditions = {{"intervals", std::move(intervals)}};
    session_.publish(list);
  }

  [[nodiscard]] std::string still_rising() const {
    return "the performance still rises with " + std::to_string(levels_.front().full()) +
           " warps, the most that could be measured";
  }

  const Session& session_;
  std::string prefix_;
  std::int64_t repetitions_;
  std::int64_t warp_size_;
  const std::vector<Level>& levels_;
};

}  // namespace

void publish(const Session& session, instruction::Type type, const std::vector<Level>& levels) {
  Publisher(session, type, levels).publish();
}

}  // namespace tomograph::instruction_throughput
