#include <algorithm>
#include <string>
#include <utility>

#include "acquire_lines.hpp"
#include "findings.hpp"
#include "publish.hpp"
#include "questions.hpp"

namespace tomograph::l2_slices {

namespace {

/// Lines that all SMs time: more than twenty of each of a hundred slices.
constexpr std::size_t sampled_lines = 2048;
constexpr std::int64_t rounds = 16;
/// Pairs of lines of different clusters, from which the rate of two slices and its scatter follow.
constexpr std::size_t calibrating_pairs = 64;
/// Slices that no latency separates. More are not searched for.
constexpr int most_slices_per_cluster = 16;
/// Lines of each slice that take part when two slices are loaded together.
constexpr std::size_t lines_of_slice = 4;

using Sets = std::vector<std::vector<std::int64_t>>;

std::vector<std::vector<std::int64_t>> lines_by_cluster(const Findings& findings) {
  std::vector<std::vector<std::int64_t>> lines(findings.clusters.centers.size());
  for (std::size_t i = 0; i < findings.sample.size(); ++i) {
    const int cluster = findings.clusters.of_line[i];
    if (cluster != stray) lines[static_cast<std::size_t>(cluster)].push_back(findings.sample[i]);
  }
  return lines;
}

/// Pairs of lines of clusters that are far from each other in their order.
Sets pairs_apart(const std::vector<std::vector<std::int64_t>>& lines) {
  Sets pairs;
  for (std::size_t i = 0; pairs.size() < calibrating_pairs; ++i) {
    const std::size_t step = 1 + i / lines.size() % (lines.size() - 1);
    const auto& one = lines[i % lines.size()];
    const auto& other = lines[(i + step) % lines.size()];
    pairs.push_back({one[i % one.size()], other[i % other.size()]});
  }
  return pairs;
}

Sets sets_of(const std::vector<SliceSearch::Pair>& pairs) {
  Sets sets;
  for (const auto& [one, other] : pairs) sets.push_back({one, other});
  return sets;
}

/// A few lines of each two slices.
Sets pairs_of_slices(const std::vector<SliceSearch::Slice>& slices) {
  const auto few = [&](std::size_t slice) {
    const auto& lines = slices[slice].lines;
    return std::vector(lines.begin(),
                       lines.begin() + static_cast<std::ptrdiff_t>(std::min(lines.size(), lines_of_slice)));
  };
  Sets sets;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      sets.push_back(few(i));
      const auto others = few(j);
      sets.back().insert(sets.back().end(), others.begin(), others.end());
    }
  }
  return sets;
}

/// The second method: divides the clusters by contention.
void contend(const Session& session, const Field& field, Findings& findings) {
  const auto lines = lines_by_cluster(findings);
  if (lines.size() < 2) return;
  const Sets apart = pairs_apart(lines);
  const auto once = load_sets(session, field, apart);
  findings.threshold = threshold_of(once, load_sets(session, field, apart, 1));
  SliceSearch search(lines);
  for (int round = 0; round < most_slices_per_cluster; ++round) {
    const auto pairs = search.pairs();
    if (pairs.empty()) break;
    const auto rates = load_sets(session, field, sets_of(pairs));
    search.add(rates, findings.threshold);
    findings.pair_rates.insert(findings.pair_rates.end(), rates.begin(), rates.end());
  }
  findings.slices = search.slices();
  findings.slice_pair_rates = load_sets(session, field, pairs_of_slices(findings.slices));
}

/// Where the lines of a whole page are, as far as latencies tell.
void map_page(const Session& session, const Field& field, Findings& findings) {
  const auto lines = field.page(0);
  const auto sms = distinguishing_sms(findings.clusters, lines.size());
  const LatencyTable table = time_lines(session, field, lines, {sms.begin(), sms.end()}, rounds);
  findings.page_clusters = assign(table, findings.clusters, sms);
  findings.page_sms = sms.size();
}

Findings measure(const Session& session) {
  const auto line_size = session.needed<std::int64_t>("l2.line_size");
  const auto l2_bytes = session.fact<std::int64_t>("l2.nominal_size");
  const Field field(line_size, l2_bytes ? *l2_bytes : session.fact<std::int64_t>("l2.size").value_or(0));
  Findings findings{.line_size = line_size, .sample = field.sample(sampled_lines)};
  findings.clusters = find_clusters(time_lines(session, field, findings.sample, {}, rounds));
  if (doubt_about_clusters(findings)) return findings;
  map_page(session, field, findings);
  contend(session, field, findings);
  return findings;
}

}  // namespace

void find_slices(const Session& session) {
  try {
    publish(session, measure(session));
  } catch (const Refused& refusal) {
    leave_open(session, refusal.what());
  }
}

}  // namespace tomograph::l2_slices
