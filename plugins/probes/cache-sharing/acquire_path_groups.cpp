#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "acquire_finding.hpp"
#include "analysis_grouping.hpp"
#include "publish.hpp"
#include "questions.hpp"

namespace tomograph::cache_sharing {

namespace {

/// Groups by which the error of all comparisons together is larger are compared pair by pair.
constexpr double largest_error_of_groups = 0.01;

/// Groups of one SM each, if no SM shares with another. Any two SMs differ in a bit of their numbers: all SMs that have
/// it load, all that lack it read, and the other way round. So few programs compare all pairs. Nothing if some share.
std::optional<analysis::Grouping> all_alone(FindingComparison& compare, std::int64_t sms) {
  analysis::Grouping alone;
  for (std::int64_t sm = 0; sm < sms; ++sm) alone.of_member.push_back(sm);
  alone.count = sms;
  for (std::int64_t bit = 1; bit < sms; bit *= 2) {
    std::vector<std::int64_t> with;
    std::vector<std::int64_t> without;
    for (std::int64_t sm = 0; sm < sms; ++sm) ((sm & bit) != 0 ? with : without).push_back(sm);
    for (const auto& [loaders, readers] : {std::pair(with, without), std::pair(without, with)}) {
      for (const analysis::EffectOdds& odds : compare.compare(loaders, readers)) {
        if (odds.full > odds.absent) return std::nullopt;
        alone.error += odds.error();
      }
    }
  }
  return alone;
}

}  // namespace

void find_sm_groups(const Session& session, const LoadPath& path) {
  const auto user = known_user(session, path).value();
  // Half of what it holds, so that no line is evicted, whatever the index.
  const auto sms = session.needed<std::int64_t>("device.sm_count");
  const std::int64_t held = std::min(user.size / 2, sms * user.line_bytes);
  FindingComparison compare(session,
                            {path.path, user.line_bytes, held, user.subject.threshold.cycles, user.subject.carveout});
  auto found = all_alone(compare, sms);
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
