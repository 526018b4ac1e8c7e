#include <algorithm>
#include <functional>

#include "acquire_finding.hpp"
#include "analysis_grouping.hpp"
#include "publish.hpp"
#include "questions.hpp"

namespace tomograph::cache_sharing {

namespace {

constexpr const char* groups_key = "constant_l15.sm_groups";
constexpr const char* size_key = "constant_l15.sms_per_instance";

}  // namespace

void find_constant_groups(const Session& session) {
  const auto line = session.fact<std::int64_t>("constant_l15.line_size");
  const auto threshold = session.needed<double>("constant_l15.hit_threshold");
  constexpr std::int64_t long_line = 256;                           // no known line of a constant cache is longer
  constexpr std::int64_t usual_constants = std::int64_t{60} << 10;  // most of the 64 KiB of a CUDA module
  const std::int64_t reach = session.fact<std::int64_t>("constant_memory.reach").value_or(usual_constants);
  // Half of what it holds, so that no line is evicted, whatever the index.
  const auto bound = session.fact<std::int64_t>("constant_l15.size_at_least");
  const std::int64_t held = session.fact<std::int64_t>("constant_l15.size").value_or(bound.value_or(reach));
  FindingComparison compare(session,
                            {chase::Path::constant, line.value_or(long_line), std::min(reach, held) / 2, threshold});
  const auto found = analysis::group(session.needed<std::int64_t>("device.sm_count"), std::ref(compare));
  session.evidence(groups_key, compare.columns());
  publish(session,
          {.groups_key = groups_key,
           .size_key = size_key,
           .method = "finding-between-sms",
           .undecided = "it is undecided whether they find each other's constants",
           .samples = compare.tested()},
          found);
}

}  // namespace tomograph::cache_sharing
