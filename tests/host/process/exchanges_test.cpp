#include "process/exchanges.hpp"

#include <random>
#include <stdexcept>

#include "catch.hpp"
#include "host/process/example_exchanges.hpp"

using namespace tomograph::host;
using tomograph::Answer;
using tomograph::Experiment;

TEST_CASE("experiments and answers come as they went, also when what they came in has moved") {
  const std::vector<Exchange> sent{answered(1), {{"empty/1", {}}, {{}, TOMOGRAPH_UNSUPPORTED, "no"}}, answered(3)};
  Exchanges first(bytes_of(sent));
  const Exchanges received = std::move(first);
  std::vector<Exchange> seen;
  received.for_each([&](const Experiment& experiment, const Answer& answer) { seen.emplace_back(experiment, answer); });
  CHECK(seen == sent);
}

TEST_CASE("bytes that are no experiments are refused, wherever they are cut or damaged") {
  const std::string whole = bytes_of({answered(2)});
  for (std::size_t size = 1; size < whole.size(); ++size) {
    CHECK_THROWS_AS(Exchanges(whole.substr(0, size)), std::invalid_argument);
  }
  std::mt19937 random(1);
  std::size_t refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = whole;
    damaged[random() % 60] = static_cast<char>(random());
    try {
      const Exchanges exchanges(damaged);
    } catch (const std::invalid_argument&) {
      ++refused;
    }
  }
  CHECK(refused > 500);
}
