#include "running/next_probe.hpp"

#include <vector>

#include "catch.hpp"

using namespace tomograph::host;

namespace {

ProbeDescription probe(const std::string& fact, const std::vector<NeedDeclaration>& needs, LinkUse use) {
  ProbeDescription probe;
  probe.provides.push_back({.key = fact});
  probe.needs = needs;
  probe.uses_links = use;
  return probe;
}

}  // namespace

TEST_CASE("while the link to the host is taken, the first probe runs that uses no links and whose facts are known") {
  const std::vector<ProbeDescription> probes{probe("host.latency", {}, LinkUse::host),
                                             probe("launch.period", {}, LinkUse::host),
                                             probe("of.host", {{"host.latency", false}}, LinkUse::none),
                                             probe("link.latency", {}, LinkUse::gpus),
                                             probe("may.use", {{"of.host", true}}, LinkUse::none),
                                             probe("l2.size", {{"l1.size", false}}, LinkUse::none)};
  std::vector<PlannedProbe> left;
  for (const ProbeDescription& one : probes) left.push_back({.probe = &one});
  CHECK(next_without_link_to_host(left) == 5);
  left.pop_back();
  CHECK(next_without_link_to_host(left) == 0);
}
