#include "planning/plan.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"
#include "tomograph/documents/input_error.hpp"

using namespace tomograph;
using namespace tomograph::host;
using Catch::Matchers::ContainsSubstring;

namespace {

/// A probe that provides `facts` and needs `needs`; a need that starts with '?' is optional.
ProbeDescription probe(const std::string& id, const std::vector<std::string>& facts,
                       const std::vector<std::string>& needs = {}) {
  ProbeDescription result;
  result.id = id;
  result.question = "What?";
  for (const std::string& key : facts) result.provides.push_back({key, "B", "", ValueType::integer, Scope::device});
  for (const std::string& need : needs) {
    const bool optional = need.starts_with('?');
    result.needs.push_back({need.substr(optional ? 1 : 0), optional});
  }
  result.expected_seconds = 0.5;
  result.time_budget = 10;
  return result;
}

PluginDescription plugin(const std::string& id, std::vector<ProbeDescription> probes) {
  PluginDescription result;
  result.id = id;
  result.path = "/plugins/" + id + ".so";
  result.probes = std::move(probes);
  return result;
}

/// Line size, then size, then sets; latency stands alone.
std::vector<PluginDescription> caches() {
  return {plugin("caches", {probe("caches/sets", {"l1.sets", "l1.ways"}, {"l1.size", "l1.line_size"}),
                            probe("caches/size", {"l1.size"}, {"l1.line_size", "l1.nominal_size", "device.name"}),
                            probe("caches/line", {"l1.line_size"})}),
          plugin("latency", {probe("latency/latency", {"l1.latency"}, {"?l1.size"})})};
}

std::vector<std::string> order(const Plan& plan) {
  std::vector<std::string> ids;
  for (const PlannedProbe& planned : plan.probes) ids.push_back(planned.probe->id);
  return ids;
}

using Ids = std::vector<std::string>;

PlanRequest only(std::vector<std::string> patterns) { return {std::move(patterns), {}, {}, {}, {}}; }

std::string complaint(const std::vector<PluginDescription>& plugins, const PlanRequest& request) {
  try {
    static_cast<void>(make_plan(plugins, request));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no complaint";
}

}  // namespace

TEST_CASE("every probe runs after those whose facts it needs, however the plugins were loaded") {
  auto plugins = caches();
  const Ids expected{"caches/line", "caches/size", "caches/sets", "latency/latency"};
  CHECK(order(make_plan(plugins, {})) == expected);
  std::reverse(plugins.begin(), plugins.end());
  for (auto& reversed : plugins) std::reverse(reversed.probes.begin(), reversed.probes.end());
  CHECK(order(make_plan(plugins, {})) == expected);
}

TEST_CASE("asking for a fact pulls in its provider and what that needs, each with the reason") {
  const auto plugins = caches();
  const Plan plan = make_plan(plugins, only({"l1.si*"}));
  CHECK(order(plan) == Ids{"caches/line", "caches/size"});
  CHECK(plan.probes[0].reasons == Ids{"provides l1.line_size for caches/size"});
  CHECK(plan.probes[1].reasons == Ids{"asked for by 'l1.si*'"});
  CHECK(plan.expected_seconds() == Approx(1.0));
}

TEST_CASE("each need is resolved to a probe, to what is known, to the device, or to nothing") {
  const auto plugins = caches();
  PlanRequest request = only({"caches/size", "l1.latency"});
  request.known = {"l1.line_size"};
  const Plan plan = make_plan(plugins, request);
  REQUIRE(order(plan) == Ids{"caches/size", "latency/latency"});
  const auto& needs = plan.probes[0].needs;
  CHECK(needs[0].origin == PlannedNeed::Origin::known);
  CHECK(needs[1].origin == PlannedNeed::Origin::device);
  CHECK(needs[2].origin == PlannedNeed::Origin::device);
  CHECK(plan.probes[1].needs[0].provider == "caches/size");
  PlanRequest alone = only({"l1.latency"});
  alone.exclude = {"l1.size"};
  const Plan without = make_plan(plugins, alone);
  REQUIRE(order(without) == Ids{"latency/latency"});
  CHECK(without.probes[0].needs[0].optional);
  CHECK(without.probes[0].needs[0].origin == PlannedNeed::Origin::missing);
}

TEST_CASE("a fact that is asked for alone may use all that it could use in a whole run") {
  const auto plugins = caches();
  const Plan alone = make_plan(plugins, only({"l1.latency"}));
  REQUIRE(order(alone) == Ids{"caches/line", "caches/size", "latency/latency"});
  CHECK(alone.probes[1].reasons == Ids{"provides l1.size for latency/latency"});
}

TEST_CASE("two providers of a fact that a probe may do without leave it unknown") {
  const std::vector<PluginDescription> plugins{plugin("p", {probe("p/x", {"f.x"})}),
                                               plugin("q", {probe("q/x", {"f.x"})}),
                                               plugin("r", {probe("r/y", {"f.y"}, {"?f.x"})})};
  const Plan plan = make_plan(plugins, only({"f.y"}));
  REQUIRE(order(plan) == Ids{"r/y"});
  CHECK(plan.probes[0].needs[0].origin == PlannedNeed::Origin::missing);
}

TEST_CASE("known facts are measured again only on explicit demand, settled ones never") {
  const auto plugins = caches();
  PlanRequest request;
  request.known = {"l1.line_size", "l1.size"};
  CHECK(order(make_plan(plugins, request)) == Ids{"caches/sets", "latency/latency"});
  request.include = {"l1.line_size"};
  CHECK(order(make_plan(plugins, request)) == Ids{"caches/line"});
  request.only = {"l1.size"};
  CHECK(order(make_plan(plugins, request)) == Ids{"caches/size"});
  request.settled = {"l1.size"};
  CHECK(order(make_plan(plugins, request)).empty());
}

TEST_CASE("what is excluded is left out with all that hard-needs it, and says so") {
  const auto plugins = caches();
  PlanRequest request;
  request.exclude = {"l1.size"};
  const Plan plan = make_plan(plugins, request);
  CHECK(order(plan) == Ids{"caches/line", "latency/latency"});
  REQUIRE(plan.left_out.size() == 2);
  CHECK(plan.left_out[0].probe->id == "caches/sets");
  CHECK(plan.left_out[0].reason == "needs l1.size, whose provider caches/size is excluded");
  CHECK(plan.left_out[1].reason == "excluded by 'l1.size'");
  CHECK(plan.warnings.empty());
}

TEST_CASE("a probe is left out once patterns cover all of its facts, and a pattern that leaves out none says why") {
  const auto plugins = caches();
  PlanRequest request;
  request.exclude = {"l1.ways"};
  const Plan whole = make_plan(plugins, request);
  CHECK(whole.left_out.empty());
  CHECK(whole.warnings == Ids{"exclude 'l1.ways' leaves out no probe: caches/sets also measures l1.sets"});
  request.exclude = {"l1.sets", "l1.ways"};
  const Plan plan = make_plan(plugins, request);
  REQUIRE(plan.left_out.size() == 1);
  CHECK(plan.left_out[0].reason == "excluded by 'l1.sets' and 'l1.ways'");
  CHECK(plan.warnings.empty());
  request.exclude = {"l1.ways"};
  request.only = {"l1.latency"};
  CHECK(make_plan(plugins, request).warnings.empty());
}

TEST_CASE("what is expected to take too long is left out with all that hard-needs it, and says so") {
  auto plugins = caches();
  for (ProbeDescription& probe : plugins[0].probes) {
    if (probe.id == "caches/size") probe.expected_seconds = 2;
  }
  PlanRequest request;
  request.max_probe_seconds = 2;
  CHECK(make_plan(plugins, request).left_out.empty());
  request.max_probe_seconds = 1.5;
  const Plan plan = make_plan(plugins, request);
  CHECK(order(plan) == Ids{"caches/line", "latency/latency"});
  REQUIRE(plan.left_out.size() == 2);
  CHECK(plan.left_out[0].reason == "needs l1.size, whose provider caches/size is excluded");
  CHECK(plan.left_out[1].reason == "expected to take 2 s, more than max_probe_seconds = 1.5");
  request.known = {"l1.size"};
  CHECK(order(make_plan(plugins, request)) == Ids{"caches/line", "caches/sets", "latency/latency"});
}

TEST_CASE("include narrows what is measured without a word on the command line") {
  const auto plugins = caches();
  PlanRequest request;
  request.include = {"caches/line"};
  CHECK(order(make_plan(plugins, request)) == Ids{"caches/line"});
}

TEST_CASE("a ring of needs is left out with its dependants and named by probes and facts, the rest is planned") {
  const std::vector<PluginDescription> plugins{
      plugin("p", {probe("p/a", {"f.a"}, {"f.b"}), probe("p/b", {"f.b"}, {"f.c"}), probe("p/c", {"f.c"}, {"f.b"}),
                   probe("p/d", {"f.d"})})};
  const Plan plan = make_plan(plugins, {});
  CHECK(order(plan) == Ids{"p/d"});
  REQUIRE(plan.left_out.size() == 3);
  const std::string ring = "probes need each other's facts: p/b needs f.c from p/c, which needs f.b from p/b";
  CHECK(plan.left_out[0].cause == LeftOut::Cause::blocked);
  CHECK(plan.left_out[0].reason == "needs f.b, whose provider p/b is left out: " + ring);
  CHECK(plan.left_out[1].cause == LeftOut::Cause::faulty);
  CHECK(plan.left_out[1].reason == ring);
  CHECK(plan.left_out[2].reason == ring);
}

TEST_CASE("a fact that nobody provides blocks the probe that needs it alone, with the nearest right name") {
  const std::vector<PluginDescription> plugins{
      plugin("p", {probe("p/a", {"l1.size"}), probe("p/b", {"f.b"}, {"l1.szie"})})};
  const Plan plan = make_plan(plugins, {});
  CHECK(order(plan) == Ids{"p/a"});
  REQUIRE(plan.left_out.size() == 1);
  CHECK(plan.left_out[0].probe->id == "p/b");
  CHECK(plan.left_out[0].cause == LeftOut::Cause::blocked);
  CHECK(plan.left_out[0].reason == "needs fact l1.szie, which no probe provides; did you mean 'l1.size'?");
}

TEST_CASE("two providers of a fact are both named with their files, unless one was chosen") {
  std::vector<PluginDescription> plugins{plugin("p", {probe("p/x", {"f.x"})}), plugin("q", {probe("q/x", {"f.x"})}),
                                         plugin("r", {probe("r/y", {"f.y"}, {"f.x"})})};
  const std::string expected =
      "fact f.x has more than one provider: p/x (/plugins/p.so) and q/x (/plugins/q.so); exclude all but one";
  CHECK(complaint(plugins, {}) == expected);
  CHECK(complaint(plugins, only({"f.y"})) == expected);
  CHECK(order(make_plan(plugins, only({"f.y", "q/x"}))) == Ids{"q/x", "r/y"});
  PlanRequest excluding;
  excluding.exclude = {"p/x"};
  CHECK(order(make_plan(plugins, excluding)) == Ids{"q/x", "r/y"});
}

TEST_CASE("a pattern without match is named with what was probably meant") {
  CHECK(complaint(caches(), only({"l1.szie"})) ==
        "pattern 'l1.szie' matches no probe and no fact; did you mean 'l1.size'?");
  CHECK_THAT(complaint(caches(), only({"l1_.*"})), ContainsSubstring("did you mean 'l1.*'?"));
}

TEST_CASE("the plan as JSON names order, reasons, needs and time") {
  const auto plugins = caches();
  const Json json = to_json(make_plan(plugins, only({"caches/size"})));
  CHECK(json.at("probes").at(1).at("probe") == "caches/size");
  CHECK(json.at("probes").at(1).at("needs").at(0).at("provider") == "caches/line");
  CHECK(json.at("expected_seconds") == 1.0);
}

namespace {

/// Two methods beside the usual probes: one for the size, one for size and sets.
std::vector<PluginDescription> caches_with_methods() {
  auto plugins = caches();
  ProbeDescription size = probe("methods/wong.l1", {"l1.size"});
  size.method = "wong2010";
  ProbeDescription both = probe("methods/saavedra.l1", {"l1.size", "l1.sets"});
  both.method = "saavedra1992";
  plugins.push_back(plugin("methods", {size, both}));
  plugins.push_back(plugin("policy", {probe("policy/policy", {"l1.policy"}, {"l1.ways"})}));
  return plugins;
}

PlanRequest with_method(const std::string& method, std::vector<std::string> patterns = {}) {
  PlanRequest request = only(std::move(patterns));
  request.method = method;
  return request;
}

}  // namespace

TEST_CASE("probes of a published method run only if it is asked for, in place of those with the same facts") {
  const auto plugins = caches_with_methods();
  CHECK(order(make_plan(plugins, {})) ==
        Ids{"caches/line", "caches/size", "caches/sets", "latency/latency", "policy/policy"});
  const Plan wong = make_plan(plugins, with_method("wong2010"));
  CHECK(order(wong) == Ids{"caches/line", "methods/wong.l1", "caches/sets", "latency/latency", "policy/policy"});
  CHECK(wong.probes[2].needs[0].provider == "methods/wong.l1");
}

TEST_CASE("what needs a fact that the method does not tell is left out, with the reason") {
  const auto plugins = caches_with_methods();
  const Plan plan = make_plan(plugins, with_method("saavedra1992"));
  CHECK(order(plan) == Ids{"caches/line", "methods/saavedra.l1", "latency/latency"});
  REQUIRE(plan.left_out.size() == 1);
  CHECK(plan.left_out[0].probe->id == "policy/policy");
  CHECK(plan.left_out[0].reason == "needs l1.ways, which method saavedra1992 does not tell");
}

TEST_CASE("a method that no probe follows is refused with the nearest name") {
  const auto plugins = caches_with_methods();
  CHECK_THAT(complaint(plugins, with_method("wong2011")),
             ContainsSubstring("no probe follows method 'wong2011'; did you mean 'wong2010'?"));
}

TEST_CASE("a pattern that fits only probes of another method is refused with the option that is missing") {
  const auto plugins = caches_with_methods();
  CHECK_THAT(complaint(plugins, only({"methods/saavedra*"})),
             ContainsSubstring("pattern 'methods/saavedra*' fits only probes of a method that was not asked for: add "
                               "--method saavedra1992"));
}

TEST_CASE("a model of kernels is not part of a run, and asking for it there is a mistake") {
  ProbeDescription model = probe("models/kernel", {"kernel.cycles"}, {"l1.size"});
  model.is_model = true;
  model.parameters.push_back({.name = "kernel", .type = ValueType::text, .default_value = ""});
  auto plugins = caches();
  const std::size_t probes = make_plan(plugins, only({})).probes.size() + make_plan(plugins, only({})).left_out.size();
  plugins.push_back(plugin("models", {model}));
  const Plan plan = make_plan(plugins, only({}));
  CHECK(plan.probes.size() + plan.left_out.size() == probes);
  CHECK_THAT(complaint(plugins, only({"models/*"})), ContainsSubstring("tomograph predict"));
  // A model of facts alone runs as before.
  plugins.back().probes.front().parameters.clear();
  CHECK(make_plan(plugins, only({"models/*"})).probes.size() + make_plan(plugins, only({"models/*"})).left_out.size() >
        0);
}
