#include "running/schedule.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "catch.hpp"

using namespace tomograph::host;

namespace {

/// A plan of probes that provide one fact each, named like the probe.
class PlanOf {
 public:
  void add(const std::string& fact, const std::string& plugin, std::vector<std::string> needs = {},
           LinkUse use = LinkUse::none) {
    ProbeDescription& probe = probes_.emplace_back();
    probe.provides.push_back({.key = fact});
    probe.uses_links = use;
    for (const std::string& need : needs) probe.needs.push_back({need, false});
    plan_.push_back({.probe = &probe, .plugin = &plugins_[plugin]});
  }
  void add_with_optional_need(const std::string& fact, const std::string& plugin, const std::string& need) {
    ProbeDescription& probe = probes_.emplace_back();
    probe.provides.push_back({.key = fact});
    probe.needs.push_back({need, true});
    plan_.push_back({.probe = &probe, .plugin = &plugins_[plugin]});
  }
  void share_device(const std::string& fact) { probe_of(fact).shares_device = true; }
  void make_model(const std::string& fact) { probe_of(fact).is_model = true; }
  void give_device(const std::string& plugin) { plugins_[plugin].devices.emplace_back(); }

  [[nodiscard]] Schedule schedule(std::size_t most) const { return {plan_, most}; }

 private:
  ProbeDescription& probe_of(const std::string& fact) {
    return *std::ranges::find_if(probes_, [&](const auto& probe) { return probe.provides.front().key == fact; });
  }

  std::deque<ProbeDescription> probes_;
  std::map<std::string, PluginDescription> plugins_;
  std::vector<PlannedProbe> plan_;
};

/// Begins all that may begin now and returns their numbers.
std::vector<std::size_t> begun(Schedule& schedule, bool is_link_taken = false) {
  std::vector<std::size_t> numbers;
  while (const auto next = schedule.next([=] { return is_link_taken; })) {
    schedule.begin(*next);
    numbers.push_back(*next);
  }
  return numbers;
}

using Numbers = std::vector<std::size_t>;

}  // namespace

TEST_CASE("probes of different plugins run at the same time, each with the facts of those before it") {
  PlanOf plan;
  plan.add("l1.size", "data-cache");
  plan.add("l1.sets", "data-cache", {"l1.size"});
  plan.add("l1.sharing", "sharing", {"l1.sets"});
  plan.add("tlb.reach", "tlb");
  plan.add("l2.slices", "slices");
  Schedule schedule = plan.schedule(2);
  CHECK(begun(schedule) == Numbers{0, 3});
  schedule.end(3);
  CHECK(begun(schedule) == Numbers{4});
  schedule.end(0);
  CHECK(begun(schedule) == Numbers{1});
  schedule.end(1);
  CHECK(begun(schedule) == Numbers{2});
  CHECK_FALSE(schedule.has_ended());
  schedule.end(2);
  schedule.end(4);
  CHECK(schedule.has_ended());
}

TEST_CASE("a probe does not find facts known that come later in the plan") {
  PlanOf plan;
  plan.add("model", "tlb", {"l2.size"});
  plan.add("l1.size", "tlb");
  plan.add("l2.size", "data-cache");
  Schedule schedule = plan.schedule(3);
  CHECK(begun(schedule) == Numbers{0});
  schedule.end(0);
  CHECK(begun(schedule) == Numbers{1, 2});
}

TEST_CASE("probes of links, of a device's plugin and repeated ones run alone, after all that can run before") {
  PlanOf plan;
  plan.add("l1.size", "data-cache");
  plan.add("host.latency", "links", {}, LinkUse::host);
  plan.add("own", "vendor");
  plan.add("tlb.reach", "tlb");
  plan.give_device("vendor");
  Schedule schedule = plan.schedule(3);
  CHECK(begun(schedule) == Numbers{0, 3});
  schedule.repeat(0);
  CHECK(begun(schedule).empty());
  schedule.end(3);
  CHECK(begun(schedule) == Numbers{0});
  schedule.end(0);
  CHECK(begun(schedule) == Numbers{1});
  schedule.end(1);
  CHECK(begun(schedule) == Numbers{2});
}

TEST_CASE("probes that keep a GPU begin once none shares it, and models at any time") {
  PlanOf plan;
  plan.add("dram.latency", "memory");
  plan.add("l1.size", "data-cache");
  plan.add("texture.size", "texture-cache");
  plan.add("roofline", "model");
  plan.share_device("l1.size");
  plan.share_device("texture.size");
  plan.make_model("roofline");
  Schedule schedule = plan.schedule(3);
  CHECK(begun(schedule) == Numbers{1, 2, 3});
  schedule.end(1);
  schedule.end(3);
  CHECK(begun(schedule).empty());
  schedule.end(2);
  CHECK(begun(schedule) == Numbers{0});
}

TEST_CASE("while the link to the host is taken, the first probe runs that uses no links and whose facts are known") {
  PlanOf plan;
  plan.add("host.latency", "links", {}, LinkUse::host);
  plan.add("launch.period", "runtime-calls", {}, LinkUse::host);
  plan.add("of.host", "data-cache", {"host.latency"});
  plan.add("link.latency", "links", {}, LinkUse::gpus);
  plan.add_with_optional_need("may.use", "tlb", "of.host");
  plan.add("l2.size", "data-cache", {"l1.size"});
  Schedule schedule = plan.schedule(3);
  CHECK(begun(schedule, true) == Numbers{5});
  schedule.end(5);
  CHECK(schedule.next([] { return true; }) == std::size_t{0});
}
