#include <map>

#include "analysis_combining.hpp"
#include "analysis_write_back.hpp"
#include "catch.hpp"
#include "experiments.hpp"
#include "memory_host.hpp"
#include "questions.hpp"

using namespace tomograph;
using namespace tomograph::stores;

namespace {

constexpr std::int64_t hit = 40;
constexpr std::int64_t miss = 300;

/// A cache whose timed loads take so many cycles, by what came before. Each third load of a line takes much longer.
class Bench {
 public:
  explicit Bench(const std::map<Before, std::int64_t>& cycles) {
    host.facts["l1_data.line_size"] = R"({"value": 128})";
    host.facts["l1_data.hit_threshold"] = R"({"value": 140.5})";
    host.device = [cycles](const std::vector<Experiment>& batch, const tomograph_result_sink& sink) {
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const AccessesRequest request = decode_accesses(batch[i]);
        AccessesAnswer answer{std::vector(static_cast<std::size_t>(request.lines), cycles.at(request.before))};
        answer.cycles[static_cast<std::size_t>(request.trial)] = 5000;
        for (const ArrayView& array : encode(answer)) sink.array(sink.context, i, &array.crossing());
      }
      return tomograph_status{TOMOGRAPH_OK};
    };
    find_l1_policy(Session(*host.abi(), provided));
  }

  MemoryHost host;

 private:
  static constexpr tomograph_fact_spec allocates =
      fact_spec("l1_data.write_allocates", TOMOGRAPH_BOOLEAN, "", TOMOGRAPH_PER_SM, "");
  static constexpr tomograph_fact_spec on_hit =
      fact_spec("l1_data.write_hit", TOMOGRAPH_TEXT, "", TOMOGRAPH_PER_SM, "");
  static constexpr std::array<const tomograph_fact_spec*, 2> provided{&allocates, &on_hit};
};

std::map<Before, std::int64_t> cache(std::int64_t stored, std::int64_t overwritten, std::int64_t beside) {
  return {{Before::nothing, miss},
          {Before::load, hit},
          {Before::store, stored},
          {Before::load_then_store, overwritten},
          {Before::load_then_neighbour, beside}};
}

}  // namespace

TEST_CASE("a cache that neither allocates on stores nor loses lines by them") {
  const Bench bench(cache(miss, hit, hit));
  CHECK(bench.host.published.at("l1_data.write_allocates").value == false);
  CHECK(bench.host.published.at("l1_data.write_hit").value == "update");
}

TEST_CASE("a cache that allocates on stores") {
  CHECK(Bench(cache(hit, hit, hit)).host.published.at("l1_data.write_allocates").value == true);
}

TEST_CASE("a store that takes the line, or its word alone, out of the cache") {
  CHECK(Bench(cache(miss, miss, miss)).host.published.at("l1_data.write_hit").value == "invalidate");
  CHECK(Bench(cache(miss, miss, hit)).host.published.at("l1_data.write_hit").value == "invalidate-word");
}

TEST_CASE("nothing is published where lines that were loaded do not hit, or others do") {
  auto useless = cache(miss, hit, hit);
  useless[Before::load] = miss;
  CHECK(Bench(useless).host.published.empty());
  useless = cache(miss, hit, hit);
  useless[Before::nothing] = hit;
  CHECK(Bench(useless).host.inconclusive.size() == 2);
}

TEST_CASE("an experiment is read as it was written") {
  const auto read = decode_accesses(encode(AccessesRequest{Before::load_then_store, 32, 256, 2}));
  CHECK(read.before == Before::load_then_store);
  CHECK(read.lines == 32);
  CHECK(read.stride == 256);
  CHECK(read.trial == 2);
  CHECK_THROWS_AS(decode_accesses(encode(AccessesRequest{Before::load, 32, 100, 2})), std::invalid_argument);
  CHECK_THROWS_AS(decode_result(AccessesRequest{.lines = 2}, Answer{.arrays = encode(AccessesAnswer{{1}})}),
                  std::invalid_argument);
}

namespace {

WriteRates rates(double sectors, double words, double alone) {
  const auto about = [](double rate) { return analysis::Interval{0.98 * rate, 1.02 * rate}; };
  return {about(sectors), about(words), about(alone)};
}

}  // namespace

TEST_CASE("stores are combined if L2 takes in far more words than sectors") {
  CHECK(verdict_on(rates(100, 400, 4), 100).combining == Combining::yes);
  CHECK(verdict_on(rates(100, 800, 8), 100).combining == Combining::yes);
}

TEST_CASE("stores are not combined if L2 takes in no more words than sectors, though SMs send more") {
  CHECK(verdict_on(rates(100, 100, 2), 100).combining == Combining::no);
  CHECK(verdict_on(rates(100, 70, 2), 100).combining == Combining::no);
}

TEST_CASE("whether stores are combined stays unknown where SMs limit them, or words are little faster") {
  const auto slow = verdict_on(rates(100, 100, 1), 100);
  CHECK(slow.combining == Combining::unknown);
  CHECK(slow.reason.find("SMs") != std::string::npos);
  CHECK(verdict_on(rates(100, 130, 3), 100).combining == Combining::unknown);
}

TEST_CASE("an experiment of writes is read as it was written") {
  const auto read = decode_writes(encode(WritesRequest{Order::words, true, 16, 3}));
  CHECK(read.order == Order::words);
  CHECK(read.alone);
  CHECK(read.laps == 16);
  CHECK(read.trial == 3);
  CHECK_THROWS_AS(decode_writes(encode(WritesRequest{.laps = 0})), std::invalid_argument);
  const WritesAnswer answer = decode_result(WritesRequest{}, Answer{encode(WritesAnswer{1024, 500})});
  CHECK(answer.writes == 1024);
  CHECK(answer.nanoseconds == Approx(500));
}

TEST_CASE("a cache that takes longer to replace what was stored to writes it back") {
  const std::vector<double> fast(21, 15e-6);
  const std::vector<double> slow(21, 27e-6);
  const std::vector<double> between(21, 16.5e-6);
  CHECK(is_write_back({fast, slow}) == true);
  CHECK(is_write_back({fast, fast}) == false);
  CHECK_FALSE(is_write_back({fast, between}).has_value());
}

TEST_CASE("an experiment of refills is read as it was written") {
  const auto read = decode_refills(encode(RefillsRequest{true, 4096, 3}));
  CHECK(read.stores);
  CHECK(read.bytes == 4096);
  CHECK(read.trial == 3);
  CHECK_THROWS_AS(decode_refills(encode(RefillsRequest{.bytes = 0})), std::invalid_argument);
  CHECK(decode_result(RefillsRequest{}, Answer{encode(RefillsAnswer{500})}).nanoseconds == Approx(500));
}
