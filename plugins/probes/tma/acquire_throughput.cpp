#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "analysis_throughput.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/compute_capability.hpp"

namespace tomograph::tma {

namespace {

constexpr std::int64_t mebi = 1 << 20;
/// Fastest configurations of each tile, which are run once for longer, and those of them which are then run repeatedly.
/// Chosen on an H200.
constexpr std::size_t semifinalists = 6;
constexpr std::size_t finalists = 3;

/// Bytes of global memory that are copied: at least eight times the L2, which then holds nothing of it when it is read
/// again, or two fifths of the L2, which on an H200 fit into the part near to each SM.
std::int64_t region_of(const Session& session, Place place) {
  const std::int64_t l2 = session.fact<std::int64_t>("l2.nominal_size").value_or(32 * mebi);
  if (place == Place::l2) return std::max(l2 * 2 / 5, mebi);
  const std::int64_t wanted = std::max(1024 * mebi, 8 * l2);
  const std::int64_t affordable = session.fact<std::int64_t>("dram.free").value_or(3 * wanted) / 3 / mebi * mebi;
  if (affordable >= wanted) return wanted;
  if (affordable >= 8 * l2) return affordable;
  throw Skip("resource", std::to_string(24 * l2) + " B of free memory are needed");
}

/// Every configuration of every kind of copies for which an SM has enough shared memory.
std::vector<Candidate> configurations(const Session& session) {
  // Shared memory of a CTA besides its buffers: what the system reserves, and alignment.
  constexpr std::int64_t beside_buffers = 2048;
  const std::int64_t shared = session.fact<std::int64_t>("device.shared_memory_per_sm").value_or(228 * 1024);
  std::vector<Candidate> all;
  for (std::size_t kind = 0; kind < throughput_kinds.size(); ++kind) {
    const auto& [key, by_tile_key, method, direction, place] = throughput_kinds[kind];
    for (std::int64_t tile = row_bytes; tile <= std::int64_t{32} << 10; tile *= 2) {
      for (const std::int64_t stages : {1, 2, 4, 8}) {
        for (const std::int64_t ctas : {1, 2, 4}) {
          if (ctas * (stages * tile + beside_buffers) > shared) continue;
          if (method == Method::plain && stages > 1) continue;
          // Each buffer is filled 32 times, so that the start and the end of a run hardly weigh.
          all.push_back({kind,
                         {.method = method,
                          .direction = direction,
                          .tile = tile,
                          .stages = stages,
                          .ctas_per_sm = ctas,
                          .region = region_of(session, place),
                          .sm_bytes = std::clamp(32 * tile * stages * ctas, mebi / 8, mebi)},
                         0});
        }
      }
    }
  }
  return all;
}

void measure(const Session& session, std::vector<Candidate>& candidates) {
  std::vector<ThroughputRequest> requests;
  requests.reserve(candidates.size());
  for (const Candidate& one : candidates) requests.push_back(one.request);
  const std::vector<ThroughputAnswer> answers = session.ask(requests);
  for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i].value = bytes_per_second(answers[i]);
}

/// The bandwidth of each candidate from longer runs, trials from `first` to `last`.
std::vector<Bandwidth> repeat(const Session& session, const std::vector<Candidate>& candidates, std::int64_t first,
                              std::int64_t last) {
  std::vector<ThroughputRequest> requests;
  for (std::int64_t trial = first; trial <= last; ++trial) {
    for (const Candidate& one : candidates) {
      requests.push_back(one.request);
      requests.back().sm_bytes = is_long(one.request) ? 4 * mebi : mebi / 4;
      requests.back().trial = trial;
    }
  }
  const std::vector<ThroughputAnswer> answers = session.ask(requests);
  std::vector<Bandwidth> bandwidths;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    std::vector<double> values;
    for (std::size_t at = i; at < answers.size(); at += candidates.size()) {
      values.push_back(bytes_per_second(answers[at]));
    }
    bandwidths.push_back(summarize(requests[i], values));
  }
  return bandwidths;
}

/// For each kind of copies, the fastest configuration of each tile, tiles ascending. Dependable bandwidths are
/// compared, so that none wins because its runs scatter, or loses because something disturbed one of them.
std::vector<std::vector<Bandwidth>> best_of_kinds(const Session& session, const std::vector<Candidate>& candidates) {
  const auto tile_of = [](const Candidate& one) { return std::tuple(one.kind, one.request.tile); };
  auto chosen = fastest_of_each(std::span(candidates), semifinalists, tile_of);
  const std::vector<Bandwidth> once = repeat(session, chosen, throughput_trials + 1, throughput_trials + 1);
  for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i].value = once[i].value;
  chosen = fastest_of_each(std::span<const Candidate>(chosen), finalists, tile_of);
  const std::vector<Bandwidth> all = repeat(session, chosen, 1, throughput_trials);
  std::vector<std::vector<Bandwidth>> best(throughput_kinds.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto& own = best[chosen[i].kind];
    if (own.empty() || own.back().request.tile != all[i].request.tile) {
      own.push_back(all[i]);
    } else if (all[i].dependable > own.back().dependable) {
      own.back() = all[i];
    }
  }
  return best;
}

/// By CTAs on each SM, the bandwidth of the fastest configuration of each tile of bulk loads from memory.
std::map<std::int64_t, std::vector<ByTile>> best_by_ctas(const Session& session, std::vector<Candidate> candidates) {
  std::erase_if(candidates, [](const Candidate& one) { return one.kind != bulk_from_memory; });
  const auto chosen = fastest_of_each(std::span<const Candidate>(candidates), 1, [](const Candidate& one) {
    return std::tuple(one.request.ctas_per_sm, one.request.tile);
  });
  std::map<std::int64_t, std::vector<ByTile>> curves;
  for (const Bandwidth& one : repeat(session, chosen, 1, throughput_trials)) {
    curves[one.request.ctas_per_sm].push_back({one.request.tile, one.value});
  }
  return curves;
}

}  // namespace

void find_throughput(const Session& session) {
  expect_compute_capability(session, 9);
  std::vector<Candidate> candidates = configurations(session);
  measure(session, candidates);
  keep_curve(session, candidates);
  const auto best = best_of_kinds(session, candidates);
  publish(session, best);
  publish(session, best_by_ctas(session, candidates), best[bulk_from_memory]);
}

}  // namespace tomograph::tma
