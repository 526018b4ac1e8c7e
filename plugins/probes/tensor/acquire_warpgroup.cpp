#include "analysis_surface.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "runs.hpp"
#include "tomograph/compute_capability.hpp"

namespace tomograph::tensor {

namespace {

/// Few and many laps in turn, of each trial.
void add_runs(std::vector<WarpgroupRequest>& all, WarpgroupRequest request) {
  for (const std::int64_t laps : {few_laps, many_laps}) {
    request.laps = laps;
    for (request.trial = 0; request.trial < trials; ++request.trial) all.push_back(request);
  }
}

/// All shapes of a type with one and two warpgroups, and the products of the largest shape one by one, which come last.
std::vector<WarpgroupRequest> requests_of(Type type) {
  std::vector<WarpgroupRequest> all;
  std::size_t largest = 0;
  for (std::size_t form = 0; form < warpgroup_forms.size(); ++form) {
    if (warpgroup_forms[form].type != type) continue;
    largest = form;
    for (std::int64_t count = 1; count <= most_warpgroups; ++count) {
      add_runs(all, {.form = form, .warpgroups = count});
    }
  }
  add_runs(all, {.form = largest, .one_by_one = true});
  return all;
}

}  // namespace

void find_warpgroup_products(const Session& session, Type type, const std::string& prefix) {
  constexpr std::int64_t warps = 4;  // of a warpgroup
  expect_compute_capability(session, 9);
  const std::vector<WarpgroupRequest> asked = requests_of(type);
  const std::vector<ProductsAnswer> answers = session.ask(asked);
  const std::span<const ProductsAnswer> all(answers);
  std::vector<Point> points;
  for (std::size_t i = 0; i < asked.size(); i += 2 * trials) {
    const WarpgroupRequest& one = asked[i];
    const auto products = static_cast<double>((many_laps - few_laps) * products_of_lap * one.warpgroups);
    const double branch = (one.one_by_one ? waiting_branch_cycles : branch_cycles) / warpgroup_products_of_branch;
    points.push_back(point_of({.form = warpgroup_forms[one.form], .warps = warps * one.warpgroups, .branch = branch},
                              products, all.subspan(i, trials), all.subspan(i + trials, trials)));
  }
  const Point one_by_one = points.back();
  points.pop_back();
  publish_warpgroups(session, prefix, points, one_by_one);
}

}  // namespace tomograph::tensor
