#include <algorithm>
#include <iterator>

#include "acquire_streaming.hpp"
#include "publish.hpp"
#include "questions.hpp"

namespace tomograph::throughput {

namespace {

/// Half of an L1 whose size is unknown: smaller than any.
constexpr std::int64_t cautious_bytes = 8192;
/// So many bytes that the start and the end of a program do not count.
constexpr std::int64_t bytes_per_sm = std::int64_t{8} << 20;

streaming::Program of_element(std::int64_t element, std::int64_t footprint, std::int64_t sms) {
  return {.load = streaming::Load::ca,
          .element = element,
          .bytes = footprint * sms,
          .distribution = streaming::Distribution::sliced,
          .passes = std::max<std::int64_t>(bytes_per_sm / footprint, 1),
          .carveout = 0};
}

}  // namespace

void find_l1(const Session& session) {
  constexpr const char* key = "l1_data.bandwidth.read";
  if (!session.needed<bool>("l1_data.caches_global_loads"))
    return session.absent(key, "L1 does not cache global loads");
  const Bounds bounds = bounds_of(session);
  // Half of it leaves room for the carve-out of the kernel, and for a policy other than LRU.
  const std::int64_t footprint = session.fact<std::int64_t>("l1_data.size").value_or(2 * cautious_bytes) / 2;
  std::vector<streaming::Program> coarse;
  for (const std::int64_t element : {4, 8, 16}) {
    std::ranges::move(surface(of_element(element, footprint, bounds.sms), bounds), std::back_inserter(coarse));
  }
  if (coarse.empty()) return session.inconclusive(key, "half of L1 is too small for one access of a warp");
  const Found found = search(executor(session), coarse, bounds, of_sm);
  std::vector<NamedArray> columns;
  append_columns(columns, "", found, of_sm);
  session.evidence(key, columns);
  publish_bandwidth(session, bandwidth_fact(key, found, of_sm, key));
}

}  // namespace tomograph::throughput
