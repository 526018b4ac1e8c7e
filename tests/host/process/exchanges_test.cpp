#include "process/exchanges.hpp"

#include <random>
#include <stdexcept>

#include "catch.hpp"

using namespace tomograph::host;
using tomograph::Answer;
using tomograph::Experiment;
using Exchange = std::pair<Experiment, Answer>;

namespace {

Exchange answered(std::int64_t trial) {
  return {{"a.question/1", {{"trial", std::vector{trial}}, {"odd", std::vector<std::uint32_t>(trial % 7, 5)}}},
          {{{"none", std::vector<double>{}}, {"many", std::vector<double>(100, 0.5 * static_cast<double>(trial))}}}};
}

std::vector<std::uint8_t> bytes_of(const std::vector<Exchange>& exchanges) {
  ExchangeWriter writer;
  for (const auto& [experiment, answer] : exchanges) writer.add(experiment, answer);
  return writer.take();
}

}  // namespace

TEST_CASE("experiments and answers come as they went, also when what they came in has moved") {
  const std::vector<Exchange> sent{answered(1), {{"empty/1", {}}, {{}, TOMOGRAPH_UNSUPPORTED, "no"}}, answered(3)};
  Exchanges first(bytes_of(sent));
  const Exchanges received = std::move(first);
  std::vector<Exchange> seen;
  received.for_each([&](const Experiment& experiment, const Answer& answer) { seen.emplace_back(experiment, answer); });
  CHECK(seen == sent);
}

TEST_CASE("bytes that are no experiments are refused, wherever they are cut or damaged") {
  const std::vector<std::uint8_t> whole = bytes_of({answered(2)});
  for (std::size_t size = 1; size < whole.size(); ++size) {
    CHECK_THROWS_AS(Exchanges({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}),
                    std::invalid_argument);
  }
  std::mt19937 random(1);
  std::size_t refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::uint8_t> damaged = whole;
    damaged[random() % 60] = static_cast<std::uint8_t>(random());
    try {
      const Exchanges exchanges(damaged);
    } catch (const std::invalid_argument&) {
      ++refused;
    }
  }
  CHECK(refused > 500);
}
