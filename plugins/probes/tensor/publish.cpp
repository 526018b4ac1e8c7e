#include "publish.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/column.hpp"

namespace tomograph::tensor {

namespace {

/// The definition of saturation: the share of the highest rate that warps must reach, as in the occupancy roofline of
/// Lemeire, Cornelis, Segers 2016, section III.
constexpr double saturated = 0.95;

std::string shape(const Form& form) {
  return "m" + std::to_string(form.m) + "n" + std::to_string(form.n) + "k" + std::to_string(form.k);
}

std::vector<Point> points_where(std::span<const Point> points, const auto& is_wanted) {
  std::vector<Point> wanted;
  std::ranges::copy_if(points, std::back_inserter(wanted), is_wanted);
  return wanted;
}

void keep_curve(const Session& session, const std::string& name, std::span<const Point> points) {
  session.evidence(name, std::vector{column("k", points, [](const Point& one) { return one.form.k; }),
                                     column("sparse", points, [](const Point& one) { return one.form.sparse; }),
                                     column("warps", points, &Point::warps), column("ilp", points, &Point::ilp),
                                     column("cycles", points, &Point::cycles), column("rate", points, &Point::rate)});
}

class Publisher {
 public:
  Publisher(const Session& session, std::string prefix, std::string evidence)
      : session_(session), prefix_(std::move(prefix)), evidence_(std::move(evidence)) {}

  void throughput(const std::string& name, std::span<const Point> points) const {
    const Point* best = fastest(points);
    if (!is_saturated(points)) return session_.inconclusive(prefix_ + name, not_saturated);
    Fact fact = fact_of(name, best->rate());
    fact.interval = best->rate_interval();
    fact.conditions = {{"shape", shape(best->form)}, {"warps", best->warps}, {"ilp", best->ilp}};
    session_.publish(fact);
  }

  /// Of the largest form, whose points come last.
  void latency(std::span<const Point> points) const {
    const std::string largest = shape(points.back().form);
    const auto alone = std::ranges::find_if(
        points, [&](const Point& one) { return shape(one.form) == largest && one.warps == 1 && one.ilp == 1; });
    latency(*alone);
  }

  void latency(const Point& alone) const {
    Fact fact = fact_of("latency", alone.cycles);
    fact.interval = alone.interval;
    fact.conditions = {{"shape", shape(alone.form)}, {"result", "the sum of the next product"}};
    session_.publish(fact);
  }

  void throughput_by_shape(std::span<const Point> points) const {
    std::map<std::string, double> highest;
    for (const Point& one : points) highest[shape(one.form)] = std::max(highest[shape(one.form)], one.rate());
    Value rows = Value::list();
    for (const auto& [form, rate] : highest) rows.push_back(Value::list(form, rate));
    session_.publish(fact_of("throughput_by_shape", rows));
  }

  void saturating_warps(std::span<const Point> points) const {
    if (!is_saturated(points)) return session_.inconclusive(prefix_ + "saturating_warps_by_ilp", not_saturated);
    const std::string form = shape(fastest(points)->form);
    const auto same_form = points_where(points, [&](const Point& one) { return shape(one.form) == form; });
    Value rows = Value::list();
    for (const auto& [ilp, warps] : tensor::saturating_warps(same_form, saturated)) {
      rows.push_back(Value::list(ilp, warps));
    }
    Fact fact = fact_of("saturating_warps_by_ilp", rows);
    fact.confidence = confidence::tensor::compared;
    fact.conditions = {{"shape", form}, {"reaches", saturated}};
    session_.publish(fact);
  }

 private:
  static constexpr const char* not_saturated = "the rate still rises with the warps of an SM";

  [[nodiscard]] Fact fact_of(const std::string& name, Value value) const {
    return {.key = prefix_ + name,
            .value = std::move(value),
            .method = "best-of-surface",
            .confidence = confidence::tensor::measured,
            .evidence = evidence_};
  }

  const Session& session_;
  std::string prefix_;
  std::string evidence_;
};

}  // namespace

void publish(const Session& session, const std::string& prefix, std::span<const Point> points) {
  const std::string evidence = prefix + "products";
  keep_curve(session, evidence, points);
  const Publisher publisher(session, prefix, evidence);
  const auto dense = points_where(points, [](const Point& one) { return !one.form.sparse; });
  publisher.throughput("throughput", dense);
  publisher.latency(dense);
  publisher.throughput_by_shape(dense);
  publisher.saturating_warps(dense);
  const auto sparse = points_where(points, [](const Point& one) { return one.form.sparse; });
  if (sparse.empty())
    return session.absent(prefix + "sparse.throughput", "no mma.sync has a sparse factor of this type");
  publisher.throughput("sparse.throughput", sparse);
}

void publish_warpgroups(const Session& session, const std::string& prefix, std::span<const Point> points,
                        const Point& one_by_one) {
  const std::string evidence = prefix + "products";
  keep_curve(session, evidence, points);
  const Publisher publisher(session, prefix, evidence);
  publisher.throughput("throughput", points);
  publisher.latency(one_by_one);
  publisher.throughput_by_shape(points);
}

}  // namespace tomograph::tensor
