#include <array>
#include <vector>

#include "analysis_combining.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::stores {

namespace {

/// The 99.9 % interval of a median of so many trials leaves out two at either end.
constexpr std::int64_t repetitions = 21;

/// At 100 billion writes per second, 132 SMs take 170 us, and one SM that writes two per cycle 130 us: starts that lie
/// some microseconds apart hardly count.
constexpr std::array settings{WritesRequest{.order = Order::sectors, .laps = 128},
                              WritesRequest{.order = Order::words, .laps = 16},
                              WritesRequest{.order = Order::words, .alone = true, .laps = 64}};

/// Writes per second of each setting, by trial.
std::array<std::vector<double>, settings.size()> measure(const Session& session) {
  std::vector<WritesRequest> asked;
  // The first trial warms up.
  for (std::int64_t trial = 0; trial <= repetitions; ++trial) {
    for (WritesRequest setting : settings) {
      setting.trial = trial;
      asked.push_back(setting);
    }
  }
  const auto answers = session.ask(asked);
  std::array<std::vector<double>, settings.size()> rates;
  for (std::size_t i = settings.size(); i < answers.size(); ++i) {
    rates[i % settings.size()].push_back(static_cast<double>(answers[i].writes) / (1e-9 * answers[i].nanoseconds));
  }
  return rates;
}

}  // namespace

void find_write_combining(const Session& session) {
  const auto rates = measure(session);
  keep(session, rates);
  const auto interval = [&](std::size_t setting) {
    const auto found = analysis::median_interval(rates[setting], confidence::stores::interval);
    return analysis::Interval{found.low, found.high};
  };
  const WriteRates found{interval(0), interval(1), interval(2)};
  publish(session, found, verdict_on(found, session.needed<std::int64_t>("device.sm_count")));
}

}  // namespace tomograph::stores
