#include "level.hpp"

namespace tomograph::throughput {

namespace {

/// Of an L1 whose size is not known: less than any.
constexpr std::int64_t cautious_bytes = 8192;
/// Enough passes that what begins and ends them does not count.
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
  if (!session.needed<bool>("l1_data.caches_global_loads")) return session.absent(key, "L1 does not hold global loads");
  const Room bounds = room(session);
  // Half: room for what the carve-out of the kernel takes, and for a policy that is not LRU.
  const std::int64_t footprint = session.fact<std::int64_t>("l1_data.size").value_or(2 * cautious_bytes) / 2;
  std::vector<streaming::Program> coarse;
  for (const std::int64_t element : {4, 8, 16}) {
    std::ranges::move(surface(of_element(element, footprint, bounds.sms), bounds), std::back_inserter(coarse));
  }
  if (coarse.empty()) return session.inconclusive(key, "not even one warp's turn fits into half of L1");
  const Found found = search(executor(session), coarse, bounds, of_sm);
  std::vector<NamedArray> columns;
  append_columns(columns, "", found, of_sm);
  session.evidence(key, columns);
  publish_figure(session, bandwidth_fact(key, found, of_sm, key));
}

}  // namespace tomograph::throughput
