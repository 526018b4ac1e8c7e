#include "publish.hpp"
#include "questions.hpp"

namespace tomograph::stores {

namespace {

constexpr std::int64_t refills = 21;  // of each kind; their median leaves out what other programs delay

}  // namespace

void find_write_back(const Session& session) {
  const auto l2 = session.needed<std::int64_t>("l2.nominal_size");
  const auto free = session.fact<std::int64_t>("dram.free");
  if (free && *free < 4 * l2) throw Skip("resource", "too little memory is free");
  std::vector<RefillsRequest> asked;
  // The first pair warms up.
  for (std::int64_t trial = 0; trial <= refills; ++trial) {
    for (const bool stores : {false, true}) asked.push_back({stores, l2, trial});
  }
  const auto answers = session.ask(asked);
  RefillTimes times;
  for (std::size_t i = 2; i < answers.size(); i += 2) {
    times.after_loads.push_back(1e-9 * answers[i].nanoseconds);
    times.after_stores.push_back(1e-9 * answers[i + 1].nanoseconds);
  }
  publish(session, times);
}

}  // namespace tomograph::stores
