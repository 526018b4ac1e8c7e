#include "analysis_latency.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/compute_capability.hpp"

namespace tomograph::tma {

namespace {

/// Tiles from which on sizes between two powers of two are measured as well, in steps of a quarter.
constexpr std::int64_t finely_from = 8192;

/// One request per tile of each kind of copies.
std::vector<LatencyRequest> requests() {
  std::vector<LatencyRequest> all;
  for (const LatencyKind& kind : latency_kinds) {
    const std::int64_t largest = largest_tile_of(kind.method);
    for (std::int64_t tile = row_bytes; tile <= largest; tile *= 2) {
      all.push_back({.method = kind.method, .direction = kind.direction, .tile = tile});
      for (std::int64_t eighth = 10; tile >= finely_from && tile < largest && eighth < 16; eighth += 2) {
        all.push_back({.method = kind.method, .direction = kind.direction, .tile = tile * eighth / 8});
      }
    }
  }
  return all;
}

}  // namespace

void find_latency(const Session& session) {
  expect_compute_capability(session, 9);
  const std::vector<LatencyRequest> asked = requests();
  const std::vector<LatencyAnswer> answers = session.ask(asked);
  std::vector<Latency> latencies;
  for (std::size_t i = 0; i < asked.size(); ++i) latencies.push_back(latency_of(asked[i], answers[i]));
  publish(session, latencies);
}

}  // namespace tomograph::tma
