#include "analysis_trials.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "trials.hpp"

namespace tomograph::runtime_calls {

namespace {

/// Passes of two runs that are subtracted.
constexpr std::int64_t few_passes = 1;
constexpr std::int64_t many_passes = 3;

/// Eight times what L2 holds, which then serves 0.03 % of the next pass at most (h = exp(-n (1 - h)) of the lines
/// survive a pass of n times its size under random replacement). @throws Skip if less memory is free.
std::int64_t bytes_to_move(const Session& session) {
  constexpr std::int64_t cautious_l2 = std::int64_t{128} << 20;  // larger than any today
  const std::int64_t bytes = 8 * session.fact<std::int64_t>("l2.nominal_size").value_or(cautious_l2);
  const auto free = session.fact<std::int64_t>("dram.free");
  if (free && *free / 4 < bytes) throw Skip("resource", "too little memory is free for copies that L2 does not hold");
  return bytes;
}

/// Bytes per second: each that is copied is read and written.
std::vector<double> measure(const Session& session, bool copies, std::int64_t bytes) {
  std::vector<MovesRequest> asked;
  // The first pair warms up.
  for (std::int64_t trial = 0; trial <= trials; ++trial) {
    for (const std::int64_t passes : {few_passes, many_passes}) asked.push_back({copies, bytes, passes, trial});
  }
  const auto answers = session.ask(asked);
  std::vector<MovesAnswer> few;
  std::vector<MovesAnswer> many;
  for (std::size_t i = 2; i < answers.size(); i += 2) {
    few.push_back(answers[i]);
    many.push_back(answers[i + 1]);
  }
  const std::int64_t moved = (copies ? 2 : 1) * (many_passes - few_passes) * bytes;
  return rates(few, many, static_cast<double>(moved));
}

}  // namespace

void find_moves(const Session& session) {
  const std::int64_t bytes = bytes_to_move(session);
  for (const auto& [key, copies] :
       {std::pair("dram.bandwidth.memcpy", true), std::pair("dram.bandwidth.memset", false)}) {
    publish(session, {.key = key,
                      .column = "bytes_per_second",
                      .values = measure(session, copies, bytes),
                      .conditions = {{"bytes", bytes}}});
  }
}

}  // namespace tomograph::runtime_calls
