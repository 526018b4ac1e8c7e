#include <algorithm>
#include <functional>

#include "acquire_finding.hpp"
#include "analysis_grouping.hpp"
#include "publish.hpp"
#include "questions.hpp"

namespace tomograph::cache_sharing {

namespace {

/// Groups by which the error of all comparisons together is larger are compared pair by pair.
constexpr double largest_error_of_groups = 0.01;

}  // namespace

void find_sm_groups(const Session& session, const LoadPath& path) {
  const auto user = known_user(session, path).value();
  const auto sms = session.needed<std::int64_t>("device.sm_count");
  // Half of what it holds, so that no line is evicted, whatever the index.
  const std::int64_t held = std::min(user.size / 2, sms * user.line_bytes);
  const bool is_virtually_tagged = session.fact<bool>(key(path, "virtually_tagged")).value_or(false);
  FindingComparison compare(session, {.path = path.path,
                                      .line_bytes = user.line_bytes,
                                      .held = held,
                                      .threshold = user.subject.threshold.cycles,
                                      .carveout = user.subject.carveout,
                                      .translates_hits = !is_virtually_tagged});
  auto found =
      analysis::all_alone(sms, [&](const analysis::Split& split) { return compare.compare(split.ones, split.others); });
  if (!found || found->error > largest_error_of_groups) found = analysis::group(sms, std::ref(compare));
  const std::string groups_key = key(path, "sm_groups");
  session.evidence(groups_key, compare.columns());
  publish(session,
          {.groups_key = groups_key,
           .size_key = key(path, "sms_per_instance"),
           .method = "finding-between-sms",
           .undecided = "it is undecided whether they find each other's lines",
           .samples = compare.tested()},
          *found);
}

}  // namespace tomograph::cache_sharing
