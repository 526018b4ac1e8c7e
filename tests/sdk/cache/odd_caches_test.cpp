#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>

#include "catch.hpp"
#include "tomograph/cache/capacity.hpp"
#include "tomograph/cache/hit_and_miss.hpp"

using namespace tomograph;

namespace {

constexpr double hit = 33;
constexpr double between = 90;
constexpr double miss = 200;

template <typename L1>
void run_phase(L1& l1, const chase::Program& program, const chase::Phase& phase, chase::Result& result) {
  const auto nodes = chase::node_offsets(program.rings[static_cast<std::size_t>(phase.ring)]);
  const bool cached = program.actors[static_cast<std::size_t>(phase.actor)].path == chase::Path::global_ca;
  chase::Result::Trace trace;
  double total = 0;
  for (std::int64_t load = 0; load < phase.loads; ++load) {
    const std::int64_t node = (phase.first + load) % std::ssize(nodes);
    const double cycles = cached ? l1.load(nodes[static_cast<std::size_t>(node)]) : miss;
    total += cycles;
    trace.latency.push_back(static_cast<std::uint32_t>(cycles));
    trace.node.push_back(static_cast<std::uint32_t>(node));
  }
  if (phase.timing == chase::Timing::total) result.totals.push_back(total);
  if (phase.timing == chase::Timing::each) result.traces.push_back(trace);
}

/// A GPU of one SM with such an L1, which is empty when a program begins.
template <typename L1>
cache::Executor gpu_with() {
  return [](std::span<const chase::Program> programs) {
    std::vector<chase::Result> results;
    for (const chase::Program& program : programs) {
      L1 l1;
      chase::Result& result = results.emplace_back(chase::Result{.sms = {0}});
      for (const chase::Phase& phase : program.phases) run_phase(l1, program, phase, result);
    }
    return results;
  };
}

/// Holds everything. After two equal strides it fetches the next one as well.
class FollowsStrides {
 public:
  double load(std::int64_t address) {
    const bool held = lines_.contains(address / 128);
    const std::int64_t stride = address - last_;
    lines_.insert(address / 128);
    if (stride == stride_) lines_.insert((address + stride) / 128);
    stride_ = stride;
    last_ = address;
    return held ? hit : miss;
  }

 private:
  std::set<std::int64_t> lines_;
  std::int64_t last_ = 0;
  std::int64_t stride_ = 0;
};

/// Holds everything. A buffer before it holds the eight sectors that were loaded last.
class WithBuffer {
 public:
  double load(std::int64_t address) {
    const std::int64_t sector = address / 32;
    const bool buffered = std::ranges::find(buffer_, sector) != buffer_.end();
    buffer_.push_back(sector);
    if (buffer_.size() > 8) buffer_.pop_front();
    const bool held = !sectors_.insert(sector).second;
    return buffered ? 22 : held ? hit : miss;
  }

 private:
  std::deque<std::int64_t> buffer_;
  std::set<std::int64_t> sectors_;
};

/// Tags for 128 lines of four sectors, but data for 256 sectors. The line used last goes last.
class TagsBeyondData {
 public:
  double load(std::int64_t address) {
    const std::int64_t line = address / 128;
    auto& sectors = lines_[line];
    std::erase(used_, line);
    used_.push_back(line);
    const bool held = !sectors.insert(address / 32).second;
    if (!held) ++data_;
    while (used_.size() > 128 || data_ > 256) {
      data_ -= lines_[used_.front()].size();
      lines_.erase(used_.front());
      used_.pop_front();
    }
    return held ? hit : miss;
  }

 private:
  std::map<std::int64_t, std::set<std::int64_t>> lines_;
  std::deque<std::int64_t> used_;
  std::size_t data_ = 0;
};

/// Holds everything, but one load of 20 is delayed.
class HoldsAllWithDelays {
 public:
  double load(std::int64_t address) {
    const bool held = !lines_.insert(address / 128).second;
    return held && random_() % 20 != 0 ? hit : miss;
  }

 private:
  std::set<std::int64_t> lines_;
  std::mt19937 random_;
};

/// Holds the 128 lines brought last. A level between it and the next one holds those before.
template <std::int64_t lines_between>
class BeforeLevelBetween {
 public:
  double load(std::int64_t address) {
    const auto [line, is_new] = brought_.try_emplace(address / 128, 0);
    const std::int64_t since = loads_missed_ - line->second;
    if (!is_new && since <= 128) return hit;
    line->second = loads_missed_++;
    return is_new || since > 128 + lines_between ? miss : between;
  }

 private:
  std::map<std::int64_t, std::int64_t> brought_;
  std::int64_t loads_missed_ = 0;
};

cache::HitAndMiss seen_of(const cache::Executor& execute) {
  return cache::private_hit_and_miss(execute, {}, chase::Path::global_cg, 1);
}

}  // namespace

TEST_CASE("an L1 whose prefetcher follows strides is not taken for no cache at all") {
  const auto seen = seen_of(gpu_with<FollowsStrides>());
  REQUIRE(seen.threshold);
  CHECK(seen.threshold->false_hit < 0.05);
}

TEST_CASE("hits of a small buffer are not taken for those of the cache behind it") {
  CHECK(seen_of(gpu_with<WithBuffer>()).hits_are_of_a_buffer());
  CHECK_FALSE(seen_of(gpu_with<TagsBeyondData>()).hits_are_of_a_buffer());
}

TEST_CASE("what a level between an L1 and L2 serves are misses of the L1") {
  const auto seen = seen_of(gpu_with<BeforeLevelBetween<1024>>());
  REQUIRE(seen.threshold);
  CHECK(seen.threshold->cycles > hit);
  CHECK(seen.threshold->cycles < between);
  CHECK(std::ranges::all_of(seen.penalties().cycles, [](double cycles) { return cycles == between - hit; }));
  const auto without = seen_of(gpu_with<BeforeLevelBetween<0>>());
  REQUIRE(without.threshold);
  CHECK(std::ranges::all_of(without.penalties().cycles, [](double cycles) { return cycles == miss - hit; }));
}

TEST_CASE("loads shorter than a step of the clock are in time, though less the overhead they take less than nothing") {
  const cache::HitAndMiss seen{.hits = {-8, -8, -8, 1492}};
  CHECK(seen.mean_in_time() == -8);
}

TEST_CASE("a cache that holds all lines has no size, though delays are taken for misses") {
  const cache::Subject subject{.threshold = {.cycles = 100, .false_miss = 0.05}};
  constexpr std::int64_t line = 4096;
  CHECK_FALSE(cache::capacity(gpu_with<HoldsAllWithDelays>(), subject, line, 8 * line, 1024 * line));
}

TEST_CASE("a clock that counts by more than loads take tells no hits from misses") {
  CHECK(cache::HitAndMiss{.hits = {-8, -8, 1492}, .overhead_each = 8}.clock_is_coarse());
  CHECK_FALSE(cache::HitAndMiss{.hits = {24, 56, 24}, .overhead_each = 8}.clock_is_coarse());
}

TEST_CASE("lines of which a cache has the tags are not all of its size unless their sectors fit, too") {
  const auto execute = gpu_with<TagsBeyondData>();
  const cache::Subject subject{.threshold = {.cycles = 100}};
  const auto lines = cache::capacity(execute, subject, 128, 1024, 1 << 20);
  REQUIRE(lines);
  CHECK(lines->bytes(128) == 128 * 128);
  CHECK_FALSE(cache::all_sectors_fit(execute, subject, 128 * 128));
  CHECK(cache::all_sectors_fit(execute, subject, 256 * 32));
}
