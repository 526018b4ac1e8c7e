#include "running/undisturbed.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"

using namespace tomograph::host;
using tomograph::Answer;

namespace {

constexpr std::chrono::seconds plenty{1000};

/// An answer of one phase that took `cycles`.
Answer took(double cycles, tomograph_disturbance disturbance = TOMOGRAPH_PERHAPS_DISTURBED) {
  Answer answer{{{"total", std::vector<double>{cycles}}, {"sm", std::vector<std::int64_t>{0}}}};
  answer.disturbance = disturbance;
  return answer;
}

double cycles(const Answer& answer) { return tomograph::numbers<double>(answer.arrays, "total").front(); }

/// A device that gives prepared answers, one after the other and the last again and again.
struct Device {
  std::vector<std::vector<Answer>> answers;  ///< by experiment
  bool in_use = true;
  std::map<std::size_t, std::size_t> executed = {};
  std::vector<std::vector<std::size_t>> batches = {};  ///< positions
  Disturbances disturbances = {};

  std::vector<Answer> measure(std::chrono::duration<double> repetitions = plenty,
                              std::chrono::duration<double> all = plenty) {
    const auto execute = [this](std::span<const std::size_t> positions) {
      std::vector<Answer> given;
      batches.emplace_back(positions.begin(), positions.end());
      for (const std::size_t position : positions) {
        const std::vector<Answer>& own = answers[position];
        given.push_back(own[std::min(executed[position]++, own.size() - 1)]);
      }
      return given;
    };
    TimeBeside time{Allowance(all), Allowance(repetitions)};
    return undisturbed(answers.size(), {execute, [this] { return in_use; }}, time, disturbances);
  }
};

}  // namespace

TEST_CASE("alone, every experiment is executed once and answered as it is") {
  Device device{{{took(100)}, {took(200, TOMOGRAPH_TIMES_DISTURBED)}}, false};
  const auto answers = device.measure();
  CHECK(cycles(answers[0]) == 100);
  CHECK(cycles(answers[1]) == 200);
  CHECK(device.executed[0] == 1);
  CHECK(device.disturbances.repeated == 0);
}

TEST_CASE("beside another program, what the device saw undisturbed is executed once, and only the rest again") {
  Device device{
      {{took(100, TOMOGRAPH_UNDISTURBED)}, {took(9000, TOMOGRAPH_TIMES_DISTURBED), took(200, TOMOGRAPH_UNDISTURBED)}}};
  const auto answers = device.measure();
  CHECK(cycles(answers[0]) == 100);
  CHECK(cycles(answers[1]) == 200);
  CHECK(device.executed[1] == 2);
  CHECK(device.disturbances.repeated == 1);
  CHECK(device.disturbances.given_up == 0);
}

TEST_CASE("where the device cannot tell, the two shortest of three executions must agree") {
  Device lucky{{{took(100), took(4000), took(101)}}};
  CHECK(cycles(lucky.measure().front()) == 100);
  CHECK(lucky.executed[0] == 3);
  // Two turns of another program that last equally long agree, and are not the shortest.
  Device unlucky{{{took(4000), took(4010), took(100), took(3000), took(100)}}};
  CHECK(cycles(unlucky.measure().front()) == 100);
  CHECK(unlucky.executed[0] == 5);
}

TEST_CASE("what another program disturbs each time is refused as disturbed, after a limited number of executions") {
  Device device{{{took(100, TOMOGRAPH_TIMES_DISTURBED)}, {took(100), took(200), took(400), took(800), took(1600)}}};
  device.answers[1].clear();
  for (int i = 20; i > 0; --i) device.answers[1].push_back(took(100 << i));
  const auto answers = device.measure();
  CHECK(answers[0].status == TOMOGRAPH_DISTURBED);
  CHECK(answers[0].reason.find("another program") != std::string::npos);
  CHECK(answers[1].status == TOMOGRAPH_DISTURBED);
  CHECK(device.executed[1] <= 20);
  CHECK(device.disturbances.given_up == 2);
}

TEST_CASE("when the time for repetitions is spent, what was disturbed is refused at once") {
  Device device{{{took(100)}, {took(100, TOMOGRAPH_UNDISTURBED)}}};
  const auto answers = device.measure(std::chrono::seconds(0));
  CHECK(answers[0].status == TOMOGRAPH_DISTURBED);
  CHECK(answers[1].status == TOMOGRAPH_OK);
  CHECK(device.executed[0] == 1);
}

TEST_CASE("when the time beside another program is spent, nothing is executed before that program is gone") {
  Device device{{{took(100, TOMOGRAPH_UNDISTURBED)}}};
  CHECK(device.measure(plenty, std::chrono::seconds(0)).front().status == TOMOGRAPH_DISTURBED);
  CHECK(device.executed[0] == 0);
  device.in_use = false;
  CHECK(device.measure(plenty, std::chrono::seconds(0)).front().status == TOMOGRAPH_OK);
}

TEST_CASE("beside another program, a refusal that says why stays what it is") {
  Device device{{{{{}, TOMOGRAPH_FAILED, "out of memory"}}, {{{}, TOMOGRAPH_UNSUPPORTED, "no such thing"}}}};
  const auto answers = device.measure();
  CHECK(answers[0].status == TOMOGRAPH_FAILED);
  CHECK(answers[0].reason == "out of memory");
  CHECK(answers[1].status == TOMOGRAPH_UNSUPPORTED);
  CHECK(device.executed[1] == 1);
}

TEST_CASE("executions agree if each of their times does, wherever they ran") {
  Answer elsewhere = took(101);
  elsewhere.arrays = {{"total", std::vector<double>{101}}, {"sm", std::vector<std::int64_t>{77}}};
  CHECK(agree(took(100), elsewhere));
  CHECK_FALSE(agree(took(100), took(103)));
  const Answer two{{{"clock", std::vector<double>{1e9}}, {"elapsed", std::vector<double>{50}}}};
  const Answer slow{{{"clock", std::vector<double>{1e9}}, {"elapsed", std::vector<double>{60}}}};
  CHECK_FALSE(agree(two, slow));
}

TEST_CASE("an experiment is executed again after the one before it in the batch, which may have prepared a cache") {
  CHECK(with_predecessors(std::vector<std::size_t>{0, 1, 4, 7, 8}) == std::vector<std::size_t>{0, 1, 3, 4, 6, 7, 8});
  Device device{{{took(500, TOMOGRAPH_UNDISTURBED)}, {took(9000, TOMOGRAPH_TIMES_DISTURBED), took(200)}}};
  CHECK(cycles(device.measure()[1]) == 200);
  CHECK(device.batches.at(1) == std::vector<std::size_t>{0, 1});
}

TEST_CASE("each execution divides what is left into smaller parts that begin elsewhere, and leaves out nothing") {
  std::vector<std::size_t> all(100);
  std::iota(all.begin(), all.end(), std::size_t{0});
  CHECK(parts({}, 1).empty());
  std::map<std::size_t, std::set<std::size_t>> places;  // in their parts
  for (int execution = 1; execution < 4; ++execution) {
    std::vector<std::size_t> together;
    for (const auto& part : parts(all, execution)) {
      CHECK(part.size() <= (execution == 1 ? 25U : execution == 2 ? 7U : 2U));
      for (std::size_t i = 0; i < part.size(); ++i) places[part[i]].insert(i);
      together.insert(together.end(), part.begin(), part.end());
    }
    std::ranges::sort(together);
    CHECK(together == all);
  }
  CHECK(std::ranges::count_if(places, [](const auto& one) { return one.second.size() == 1; }) < 10);
}

TEST_CASE("another program that comes after the same time in each batch does not pass for a part of the experiment") {
  // As on an H100: each batch begins with a turn of its own, and the experiment that is under way 2000 cycles later is
  // interrupted for 2800.
  constexpr std::size_t count = 60;
  const auto execute = [](std::span<const std::size_t> positions) {
    std::vector<Answer> answers;
    double clock = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const bool is_interrupted = clock <= 2000 && 2000 < clock + 150;
      clock += 150;
      answers.push_back(took(is_interrupted ? 150 + 2800 : 150));
    }
    return answers;
  };
  TimeBeside time{Allowance(plenty), Allowance(plenty)};
  Disturbances disturbances;
  for (const Answer& answer : undisturbed(count, {execute, [] { return true; }}, time, disturbances)) {
    CHECK(cycles(answer) == 150);
  }
}

TEST_CASE("a batch spends a part of the time for repetitions, so that later ones have some too") {
  CHECK_FALSE(Allowance(std::chrono::seconds(4)).share(0.25).is_spent());
  Allowance own = Allowance(std::chrono::seconds(4)).share(0.25);
  own.spend(std::chrono::seconds(1));
  CHECK(own.is_spent());
}

TEST_CASE("executions of which only the warm-up was interrupted agree if chance explains the difference") {
  const auto loads = [](std::size_t misses, tomograph_disturbance disturbance) {
    std::vector<std::uint32_t> each(256, 33);
    std::fill_n(each.begin(), misses, 300);
    Answer answer{{{"latency", each}}};
    answer.disturbance = disturbance;
    return answer;
  };
  CHECK(agree(loads(20, TOMOGRAPH_WARM_UP_DISTURBED), loads(26, TOMOGRAPH_WARM_UP_DISTURBED)));
  CHECK_FALSE(agree(loads(20, TOMOGRAPH_WARM_UP_DISTURBED), loads(80, TOMOGRAPH_WARM_UP_DISTURBED)));
  CHECK_FALSE(agree(loads(20, TOMOGRAPH_PERHAPS_DISTURBED), loads(26, TOMOGRAPH_PERHAPS_DISTURBED)));
}

TEST_CASE("executions whose warm-up was interrupted do not agree if as many loads miss, but others") {
  const auto loads = [](std::size_t first_miss) {
    std::vector<std::uint32_t> each(256, 33);
    std::fill_n(each.begin() + static_cast<std::ptrdiff_t>(first_miss), 60, 300);
    Answer answer{{{"latency", each}}};
    answer.disturbance = TOMOGRAPH_WARM_UP_DISTURBED;
    return answer;
  };
  CHECK(agree(loads(10), loads(14)));
  CHECK_FALSE(agree(loads(10), loads(80)));
}

TEST_CASE("what the device tells nothing about is executed until it was nearly alone") {
  Device device{{{took(4000, unseen), took(4000, unseen), took(4000, unseen), took(1200, unseen), took(1201, unseen)}}};
  CHECK(cycles(device.measure().front()) == 1200);
}
