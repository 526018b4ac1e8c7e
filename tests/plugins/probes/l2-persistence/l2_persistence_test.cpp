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

/// A share that is known to 3 % of all samples.
Kept kept(std::int64_t bytes, double share) { return {bytes, share, {share - 0.03, share + 0.03}, 1536}; }

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

TEST_CASE("what a threshold misreads does not change the share that is kept") {
  std::vector<double> cycles(1000, 300);  // 40 % hit, of which 5 % look like misses, and 3 % of the misses like hits
  std::fill_n(cycles.begin(), 20 + 582, 700);
  const Kept seen = kept_of(1 << 20, cycles, {500, 0.05, 0.03}, 0.99);
  CHECK(seen.share == Approx(0.4));
  CHECK(seen.interval.low == Approx(0.36).epsilon(0.01));
  CHECK(seen.interval.high == Approx(0.442).epsilon(0.01));
}

TEST_CASE("loads that all hit are all kept, and loads that all miss none") {
  const std::vector<double> hits(1000, 300);
  CHECK(kept_of(1, hits, {500, 0.05, 0.03}, 0.99).share == 1);
  CHECK(kept_of(1, hits, {200, 0.05, 0.03}, 0.99).share == 0);
}

TEST_CASE("what is kept of regions that are far too large is the room for them") {
  const std::array curve{kept(1000, 1), kept(2000, 0.6), kept(4000, 0.3), kept(6000, 0.21), kept(8000, 0.15)};
  const auto room = room_of(curve);
  REQUIRE(room.has_value());
  CHECK(room->bytes == Approx(0.66 / (1.0 / 4000 + 1.0 / 6000 + 1.0 / 8000)));
  CHECK(room->interval.low < 1100);
  CHECK(room->interval.low > 900);
  CHECK(room->interval.high > 1260);
  CHECK(room->interval.high < 1500);
}

TEST_CASE("a cache that keeps half of the largest region has room for an unknown number of bytes") {
  CHECK_FALSE(room_of(std::array{kept(10, 1), kept(20, 0.5)}).has_value());
  CHECK_FALSE(room_of({}).has_value());
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
