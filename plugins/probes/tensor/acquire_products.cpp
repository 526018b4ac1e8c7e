#include "analysis_surface.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "runs.hpp"
#include "tomograph/compute_capability.hpp"

namespace tomograph::tensor {

namespace {

/// Indices of the forms of a type that the GPU has. @throws Skip if there are none.
std::vector<std::size_t> forms_of(const Session& session, Type type) {
  constexpr int unknown = 1000;  // more than that of any GPU
  const int capability = compute_capability(session).value_or(unknown);
  std::vector<std::size_t> found;
  for (std::size_t form = 0; form < forms.size(); ++form) {
    if (forms[form].type == type && has_instruction(forms[form], capability)) found.push_back(form);
  }
  if (!found.empty()) return found;
  throw Skip("device", "no mma.sync of this GPU multiplies elements of this type");
}

/// Few and many laps in turn, of each trial.
std::vector<ProductsRequest> requests_of(std::size_t form) {
  std::vector<ProductsRequest> all;
  for (const std::int64_t warps : warp_counts) {
    for (const std::int64_t ilp : ilps) {
      for (const std::int64_t laps : {few_laps, many_laps}) {
        for (std::int64_t trial = 0; trial < trials; ++trial) all.push_back({form, warps, ilp, laps, trial});
      }
    }
  }
  return all;
}

/// Other warps, and other products of a warp, fill the pipeline during a branch.
double branch_of(const ProductsRequest& one) {
  return one.warps == 1 && one.ilp == 1 ? branch_cycles / static_cast<double>(products_of_lap) : 0;
}

}  // namespace

void find_products(const Session& session, Type type, const std::string& prefix) {
  std::vector<ProductsRequest> asked;
  for (const std::size_t form : forms_of(session, type)) {
    const auto more = requests_of(form);
    asked.insert(asked.end(), more.begin(), more.end());
  }
  const std::vector<ProductsAnswer> answers = session.ask(asked);
  const std::span<const ProductsAnswer> all(answers);
  std::vector<Point> points;
  for (std::size_t i = 0; i < asked.size(); i += 2 * trials) {
    const ProductsRequest& one = asked[i];
    const auto products = static_cast<double>((many_laps - few_laps) * products_of_lap * one.warps);
    points.push_back(point_of({.form = forms[one.form], .warps = one.warps, .ilp = one.ilp, .branch = branch_of(one)},
                              products, all.subspan(i, trials), all.subspan(i + trials, trials)));
  }
  publish(session, prefix, points);
}

}  // namespace tomograph::tensor
