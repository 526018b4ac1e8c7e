#include "fleet/fingerprint.hpp"

#include <random>

#include "catch.hpp"
#include "tomograph/documents/toml_document.hpp"

using namespace tomograph;
using namespace tomograph::host;

namespace {

/// A map of 132 SMs of a board, and what measuring it varies.
class Board {
 public:
  explicit Board(unsigned seed) : random_(seed) {
    std::normal_distribution<double> distance(280, 3);
    for (double& latency : latencies_) latency = distance(random_);
  }

  /// As errors that SMs share by fours, of which all clocks are `shift` off.
  Fingerprint measured(double error, double shift = 0) {
    std::normal_distribution<double> noise(0, error);
    Fingerprint fingerprint{{}, error};
    double shared = 0;
    for (std::size_t sm = 0; sm < latencies_.size(); ++sm) {
      if (sm % 4 == 0) shared = noise(random_);
      fingerprint.cycles.push_back(latencies_[sm] + shared + shift);
    }
    return fingerprint;
  }

 private:
  std::mt19937_64 random_;
  std::vector<double> latencies_ = std::vector<double>(132);
};

}  // namespace

TEST_CASE(
    "a board is taken for another one at most at the stated rate, also if the errors of SMs depend on each other") {
  int alarms = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    Board board(seed);
    alarms += may_be_one_board(board.measured(0.7), board.measured(0.5, 2), 0.05) ? 0 : 1;
  }
  CHECK(alarms <= 31);  // 20 are allowed; 32 or more have a probability of 0.5 %
  CHECK(alarms > 0);    // a test that never says no would tell nothing
}

TEST_CASE("other boards are told apart") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    CHECK_FALSE(may_be_one_board(Board(seed).measured(0.5), Board(seed + 1000).measured(0.5), 1e-6));
  }
  CHECK_FALSE(may_be_one_board({{280, 281}, 1}, {{280, 281, 280}, 1}, 0.05));
}

TEST_CASE("of four measured maps of H200s the two of one board match, also among ten thousand GPUs, and no others") {
  std::vector<std::pair<int, Fingerprint>> maps;
  const auto document = read_toml(TOMOGRAPH_SOURCE_DIR "/tests/host/fleet/h200.maps");
  for (const auto& one : document.value.at("map")) {
    maps.push_back({one.at("board"), {one.at("cycles").get<std::vector<double>>(), one.at("error")}});
  }
  REQUIRE(maps.size() == 4);
  for (const auto& [board, map] : maps) {
    for (const auto& [other_board, other] : maps) {
      CHECK(may_be_one_board(map, other, 0.025 / 10000) == (board == other_board));
    }
  }
}

TEST_CASE("a fingerprint is read from lists, and from nothing else") {
  const auto read = fingerprint_of("[280.5,\n 281]", "[[279, 282], [280, 282]]");
  REQUIRE(read);
  CHECK(read->cycles == std::vector<double>{280.5, 281});
  CHECK(read->error == 0.5);
  CHECK_FALSE(fingerprint_of("[280.5]", "[[279, 282], [280, 282]]"));
  CHECK_FALSE(fingerprint_of("[280.5, \"x\"]", "[[279, 282], [280, 282]]"));
  CHECK_FALSE(fingerprint_of("280.5", ""));
  CHECK_FALSE(fingerprint_of("[]", "[]"));
}
