#include <span>
#include <string>
#include <utility>

#include "acquire_gather.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"

namespace tomograph::memory_concurrency {

namespace {

constexpr const char* misses_key = "l1_data.outstanding_misses";
constexpr const char* at_least_key = "l1_data.outstanding_misses_at_least";
constexpr const char* carveout_key = "l1_data.outstanding_misses_by_carveout";

/// Loads of one SM, from one block of one warp to 32 blocks of all warps.
std::vector<Point> rising_loads(const Session& session, std::int64_t element) {
  const std::int64_t most = rising_warps(session).back();
  std::vector<Point> points{{.warps = 1, .blocks = 1, .element = element},
                            {.warps = 1, .blocks = 8, .element = element}};
  for (std::int64_t warps = 1; warps <= most; warps *= 2) points.push_back({.warps = warps, .element = element});
  return points;
}

/// The points that Little's law uses.
std::vector<std::size_t> by_littles_law_from(std::span<const Point> points) {
  const Point& best = fastest(points);
  const Point& idle = idle_point(points, best);
  return {static_cast<std::size_t>(&best - points.data()), static_cast<std::size_t>(&idle - points.data())};
}

/// A way to load, and what it found.
struct Variant {
  std::int64_t carveout = -1;
  std::int64_t element = 4;
  InFlight found = {};
};

InFlight measured(const Session& session, const Variant& variant, std::vector<NamedArray>& evidence) {
  Setting setting{.sms = {0}, .carveout = variant.carveout, .cache = kernel::Cache::ca};
  std::vector<Point> near = rising_loads(session, variant.element);
  std::vector<Point> far = near;
  setting.footprint = near_footprint(session);
  setting.warm_passes = 1;
  measure_counting(session, setting, near, by_littles_law_from);
  setting.footprint = far_footprint(session);
  setting.warm_passes = 0;
  measure_counting(session, setting, far, by_littles_law_from);
  const std::string suffix = "_" + std::to_string(variant.carveout) + "_" + std::to_string(variant.element);
  for (auto [points, place] : {std::pair{&near, "l2"}, std::pair{&far, "dram"}}) {
    for (NamedArray& one : columns(*points)) {
      evidence.push_back({std::string(place) + "_" + one.name + suffix, std::move(one.numbers)});
    }
  }
  return in_flight(far, near);
}

/// The default, and the smallest and largest L1 that the device's shared memory leaves.
std::vector<Variant> variants(const Session& session) {
  std::vector<Variant> all{{.element = 4}, {.element = 16}};
  if (const auto shared = session.fact<std::int64_t>("device.shared_memory_per_sm")) {
    all.push_back({.carveout = 0});
    all.push_back({.carveout = *shared});
  }
  return all;
}

void publish_number(const Session& session, const InFlight& found) {
  const char* published = found.is_limit ? misses_key : at_least_key;
  const char* other = found.is_limit ? at_least_key : misses_key;
  session.publish({.key = published,
                   .value = found.misses,
                   .method = "littles-law",
                   .confidence = confidence::not_negative(found.coverage - confidence::throughput::systematic_error),
                   .interval = Interval{found.low, found.high},
                   .samples = repetitions,
                   .conditions = {{"loads", "32-byte sectors of random ld.global.ca"}},
                   .evidence = misses_key});
  session.absent(other, found.is_limit ? "the number itself was found"
                                       : "L2 and memory do not agree on a number, so that another limit comes first");
}

void publish_variants(const Session& session, const std::vector<Variant>& all) {
  Value triples = Value::list();
  Value limits = Value::list();
  double doubt = 0;
  for (const Variant& variant : all) {
    triples.push_back(Value::list(variant.carveout, variant.element, variant.found.misses));
    limits.push_back(variant.found.is_limit);
    doubt += 1 - variant.found.coverage + confidence::throughput::systematic_error;
  }
  session.publish({.key = carveout_key,
                   .value = std::move(triples),
                   .method = "littles-law",
                   .confidence = confidence::not_negative(1 - doubt),
                   .samples = all.size() * static_cast<std::size_t>(repetitions),
                   .conditions = {{"triples", "bytes of shared memory (-1: default), bytes of each lane, misses"},
                                  {"limit", std::move(limits)}},
                   .evidence = misses_key});
}

}  // namespace

void find_misses(const Session& session) {
  std::vector<NamedArray> evidence;
  std::vector<Variant> all = variants(session);
  for (Variant& variant : all) variant.found = measured(session, variant, evidence);
  session.evidence(misses_key, evidence);
  publish_number(session, all.front().found);
  publish_variants(session, all);
}

}  // namespace tomograph::memory_concurrency
