#include <algorithm>
#include <array>

#include "analysis_kept.hpp"
#include "catch.hpp"
#include "experiments.hpp"
#include "memory_host.hpp"
#include "tomograph/abi/plugin.h"

extern "C" const tomograph_plugin tomograph_plugin_entry;

using namespace tomograph;
using namespace tomograph::l2_persistence;

namespace {

constexpr std::int64_t mebi = 1 << 20;
constexpr std::int64_t l2 = 48 * mebi;
constexpr std::int64_t largest_set_aside = 32 * mebi;

Kept kept(std::int64_t bytes, double share) { return {bytes, static_cast<std::size_t>(1000 * share), 1000}; }

/// Loads of which this share takes 300 cycles, the others 700.
LoadsAnswer loads(std::int64_t samples, double share) {
  LoadsAnswer answer;
  for (std::int64_t i = 0; i < samples; ++i) {
    answer.cycles.push_back((static_cast<double>(i) < share * static_cast<double>(samples) ? 300 : 700) + i % 16);
  }
  return answer;
}

/// A GPU whose L2 keeps persisting lines up to what is set aside, and normal ones in the rest.
LoadsAnswer answer_of(const LoadsRequest& request) {
  const auto share = [](std::int64_t room, std::int64_t bytes) {
    return std::min(1.0, static_cast<double>(room) / static_cast<double>(bytes));
  };
  const std::int64_t persisting = std::min(request.set_aside, request.persisting);
  if (request.samples_normal) return loads(request.samples, share(l2 - persisting, request.normal));
  if (request.normal == 0) return loads(request.samples, share(l2, request.persisting));
  return loads(request.samples, share(persisting, request.persisting));
}

using Device = std::function<LoadsAnswer(const LoadsRequest&)>;

tomograph_status run(MemoryHost& host, const Device& device, std::int64_t set_aside = largest_set_aside) {
  host.facts["l2.nominal_size"] = R"({"value": )" + std::to_string(l2) + "}";
  host.facts["l2.max_persisting_size"] = R"({"value": )" + std::to_string(set_aside) + "}";
  host.device = [&](const std::vector<Experiment>& batch, const tomograph_result_sink& sink) -> tomograph_status {
    for (std::uint64_t i = 0; i < batch.size(); ++i) {
      for (const ArrayView& array : encode(device(decode_loads(batch[i])))) {
        sink.array(sink.context, i, &array.crossing());
      }
    }
    return TOMOGRAPH_OK;
  };
  return tomograph_plugin_entry.probes[0]->run(host.abi());
}

}  // namespace

TEST_CASE("the threshold lies between hits and misses, whatever a few of them do") {
  std::vector<std::int64_t> hits(200, 300);
  std::vector<std::int64_t> misses(200, 700);
  hits.front() = 5000;
  misses.front() = 290;
  const auto threshold = threshold_between(hits, misses);
  REQUIRE(threshold.has_value());
  CHECK(threshold->cycles == Approx(500));
  CHECK(threshold->misread == Approx(0.005));
  CHECK(count_hits(hits, *threshold) == 199);
}

TEST_CASE("hits and misses that take equally long have no threshold") {
  const std::vector<std::int64_t> same(200, 300);
  CHECK_FALSE(threshold_between(same, same).has_value());
  CHECK_FALSE(threshold_between(same, {}).has_value());
}

TEST_CASE("what is kept of regions that are far too large is the room for them") {
  const std::array curve{kept(1000, 1), kept(2000, 0.6), kept(4000, 0.3), kept(6000, 0.21), kept(8000, 0.15)};
  const auto room = room_of(curve, 0.99);
  REQUIRE(room.has_value());
  CHECK(room->bytes == Approx(1200));
  CHECK(room->interval.low < 1100);
  CHECK(room->interval.low > 900);
  CHECK(room->interval.high > 1260);
  CHECK(room->interval.high < 1500);
}

TEST_CASE("a cache that keeps half of the largest region has room for an unknown number of bytes") {
  CHECK_FALSE(room_of(std::array{kept(10, 1), kept(20, 0.5)}, 0.99).has_value());
  CHECK_FALSE(room_of({}, 0.99).has_value());
}

TEST_CASE("what is set aside keeps persisting lines, and takes room from the others") {
  MemoryHost host;
  REQUIRE(run(host, answer_of) == TOMOGRAPH_OK);
  CHECK(host.inconclusive.empty());
  CHECK(host.published.at("l2.persistence.size").value.get<double>() / mebi == Approx(32).epsilon(0.01));
  CHECK(host.published.at("l2.persistence.size_left").value.get<double>() / mebi == Approx(16).epsilon(0.01));
  CHECK(host.published.at("l2.persistence.kept_by_size").value.size() == 15);
  CHECK(host.published.at("l2.persistence.others_kept_by_size").value.size() == 15);
}

TEST_CASE("a GPU on which setting aside changes nothing keeps no persisting lines") {
  MemoryHost host;
  REQUIRE(run(host, [](LoadsRequest request) {
            request.set_aside = 0;
            return answer_of(request);
          }) == TOMOGRAPH_OK);
  CHECK(host.published.at("l2.persistence.size").value.get<double>() == 0);
  CHECK(host.published.at("l2.persistence.size_left").value.get<double>() / mebi == Approx(48).epsilon(0.01));
}

TEST_CASE("a GPU that sets nothing aside, or hides hits from misses, is left out") {
  MemoryHost none;
  CHECK(run(none, answer_of, 0) != TOMOGRAPH_OK);
  CHECK(none.skip_category == "device");
  MemoryHost alike;
  CHECK(run(alike, [](const LoadsRequest& request) { return loads(request.samples, 1); }) != TOMOGRAPH_OK);
  CHECK(alike.published.empty());
}

TEST_CASE("an experiment of set-aside lines is read as it was written") {
  const LoadsRequest request{
      .set_aside = 1, .persisting = 2, .normal = 3, .samples_normal = true, .samples = 4, .trial = 5};
  const LoadsRequest read = decode_loads(encode(request));
  CHECK(read.set_aside == 1);
  CHECK(read.persisting == 2);
  CHECK(read.normal == 3);
  CHECK(read.samples_normal);
  CHECK(read.samples == 4);
  CHECK(read.trial == 5);
  CHECK_THROWS_AS(decode_loads(encode(LoadsRequest{.normal = 8, .samples = 1})), std::invalid_argument);
  CHECK_THROWS_AS(decode_result(LoadsRequest{.samples = 2}, Answer{encode(LoadsAnswer{{1}})}), std::invalid_argument);
}
