#include <array>

#include "analysis_hits.hpp"
#include "publish.hpp"
#include "questions.hpp"

namespace tomograph::stores {

namespace {

/// Few lines, which any L1 holds, two lines apart: a miss may fetch the neighbour of its line.
constexpr std::int64_t lines = 32;
constexpr std::int64_t distance_in_lines = 2;
constexpr std::int64_t trials = 3;

constexpr std::array cases{Before::nothing, Before::load, Before::store, Before::load_then_store,
                           Before::load_then_neighbour};

}  // namespace

void find_l1_policy(const Session& session) {
  const std::int64_t stride = distance_in_lines * session.needed<std::int64_t>("l1_data.line_size");
  std::vector<AccessesRequest> asked;
  for (const Before before : cases) {
    for (std::int64_t trial = 0; trial < trials; ++trial) asked.push_back({before, lines, stride, trial});
  }
  const auto answers = session.ask(asked);
  const auto of = [&](Before before) {
    return std::span(answers).subspan(static_cast<std::size_t>(before) * trials, trials);
  };
  keep(session, answers);
  const auto threshold = session.needed<double>("l1_data.hit_threshold");
  publish(session, {.cold = count(of(Before::nothing), threshold),
                    .warm = count(of(Before::load), threshold),
                    .stored = count(of(Before::store), threshold),
                    .overwritten = count(of(Before::load_then_store), threshold),
                    .beside = count(of(Before::load_then_neighbour), threshold)});
}

}  // namespace tomograph::stores
