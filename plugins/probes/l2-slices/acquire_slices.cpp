#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "acquire_lines.hpp"
#include "findings.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::l2_slices {

namespace {

/// Lines that all SMs time: more than twenty of each of a hundred slices.
constexpr std::size_t sampled_lines = 2048;
/// Lines of each other page: half of them tell how the page differs from the first one, the others test that.
constexpr std::size_t lines_of_other_page = 512;
/// Pairs of lines of different clusters, from which the rate of two slices and its scatter follow.
constexpr std::size_t calibrating_pairs = 64;
/// Slices that no latency separates. More are not searched for.
constexpr int most_slices_per_cluster = 16;
/// Times that lines of no cluster are timed again. A disturbance that meets one line in a hundred meets one of
/// 16,384 four times in a row with a probability of 1.6e-4.
constexpr std::int64_t most_repetitions = 3;
/// Lines beside those that are timed again: five of each of a hundred slices, so that SMs spread over all slices.
constexpr std::size_t lines_beside = 512;
/// Lines of each slice that take part when two slices are loaded together.
constexpr std::size_t lines_of_slice = 4;

using Sets = std::vector<std::vector<std::int64_t>>;

std::vector<std::vector<std::int64_t>> lines_by_cluster(const Findings& findings) {
  std::vector<std::vector<std::int64_t>> lines(findings.clusters.centers.size());
  for (std::size_t i = 0; i < findings.sample.size(); ++i) {
    const int cluster = findings.clusters.of_line[i];
    if (cluster != no_cluster) lines[static_cast<std::size_t>(cluster)].push_back(findings.sample[i]);
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

std::vector<std::int64_t> few_lines(const SliceSearch::Slice& slice) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(slice.lines.size(), lines_of_slice));
  return {slice.lines.begin(), slice.lines.begin() + count};
}

/// A few lines of each two slices.
Sets pairs_of_slices(const std::vector<SliceSearch::Slice>& slices) {
  Sets sets;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      sets.push_back(few_lines(slices[i]));
      const auto others = few_lines(slices[j]);
      sets.back().insert(sets.back().end(), others.begin(), others.end());
    }
  }
  return sets;
}

Sets first_of_each(const std::vector<std::vector<std::int64_t>>& lines) {
  Sets sets;
  for (const auto& own : lines) sets.push_back({own.front()});
  return sets;
}

/// SMs of each partition, none if they are not known.
std::vector<std::vector<std::int64_t>> sms_by_partition(const Session& session) {
  const auto of_sm = session.fact<std::vector<std::size_t>>("l2.partition.of_sm");
  std::vector<std::vector<std::int64_t>> sms;
  for (std::size_t sm = 0; of_sm && sm < of_sm->size(); ++sm) {
    sms.resize(std::max(sms.size(), (*of_sm)[sm] + 1));
    sms[(*of_sm)[sm]].push_back(static_cast<std::int64_t>(sm));
  }
  return sms;
}

/// Tells whether each partition serves its SMs by slices of its own, which hold copies.
void load_from_partitions(const Session& session, const Field& field, Findings& findings) {
  const auto partitions = sms_by_partition(session);
  if (partitions.size() < 2) return;
  Sets sets;
  for (const auto& group : findings.sharing().groups) sets.push_back({findings.slices[group.front()].lines.front()});
  findings.group_rates = rates_of(session, field, {.sets = sets});
  for (const auto& sms : partitions) {
    findings.partition_rates.push_back(rates_of(session, field, {.sets = sets, .sms = sms}));
  }
}

/// Rates of sets, each the median of three, so that one disturbance decides nothing.
std::vector<double> settled_rates(const Session& session, const Field& field, const Sets& sets, bool atomic = false) {
  std::array<std::vector<double>, 3> rates;
  for (std::size_t trial = 0; trial < rates.size(); ++trial) {
    rates[trial] =
        rates_of(session, field, {.sets = sets, .trial = static_cast<std::int64_t>(trial), .atomic = atomic});
  }
  std::vector<double> settled;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    settled.push_back(analysis::median(std::array{rates[0][i], rates[1][i], rates[2][i]}));
  }
  return settled;
}

/// Rates of sets, of which those up to `threshold` are settled. Disturbances make no rate higher.
std::vector<double> rates_above(const Session& session, const Field& field, const Sets& sets, double threshold) {
  std::vector<double> rates = rates_of(session, field, {.sets = sets});
  std::vector<std::size_t> places;
  Sets slow;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (rates[i] > threshold) continue;
    places.push_back(i);
    slow.push_back(sets[i]);
  }
  const auto settled = settled_rates(session, field, slow);
  for (std::size_t i = 0; i < places.size(); ++i) rates[places[i]] = settled[i];
  return rates;
}

/// The second method: divides the clusters by contention.
void contend(const Session& session, const Field& field, Findings& findings) {
  const auto lines = lines_by_cluster(findings);
  if (lines.size() < 2) return;
  const Sets apart = pairs_apart(lines);
  findings.single_rates = rates_of(session, field, {.sets = first_of_each(lines)});
  findings.threshold = threshold_of({.alone = findings.single_rates,
                                     .apart = rates_of(session, field, {.sets = apart}),
                                     .again = rates_of(session, field, {.sets = apart, .trial = 1})});
  SliceSearch search(lines);
  for (int round = 0; round < most_slices_per_cluster; ++round) {
    const auto pairs = search.pairs();
    if (pairs.empty()) break;
    const auto rates = rates_above(session, field, sets_of(pairs), findings.threshold.rate);
    search.add(rates, findings.threshold);
    findings.pair_rates.insert(findings.pair_rates.end(), rates.begin(), rates.end());
  }
  findings.slices = search.slices();
  findings.slice_pair_rates = rates_above(session, field, pairs_of_slices(findings.slices), findings.threshold.rate);
  findings = without_strays(std::move(findings));
  Sets of_slices;
  for (const auto& slice : findings.slices) of_slices.push_back(few_lines(slice));
  findings.atomic_rates = settled_rates(session, field, of_slices, true);
  load_from_partitions(session, field, findings);
}

/// The clusters of `lines` that the sample tells; `no_cluster` for the others.
std::vector<int> known_of(const Findings& findings, const std::vector<std::int64_t>& lines) {
  std::vector<int> known(lines.size(), no_cluster);
  for (std::size_t i = 0; i < findings.sample.size(); ++i) {
    const std::int64_t place = findings.sample[i] - lines.front();
    if (place >= 0 && place < std::ssize(lines)) known[static_cast<std::size_t>(place)] = findings.clusters.of_line[i];
  }
  return known;
}

/// Whether lines of known clusters were assigned to others.
bool contradict(const std::vector<int>& known, const std::vector<int>& assigned) {
  for (std::size_t line = 0; line < known.size(); ++line) {
    if (known[line] != no_cluster && assigned[line] != no_cluster && known[line] != assigned[line]) return true;
  }
  return false;
}

/// Where the lines of a part of a page are, as far as latencies tell.
std::vector<int> map_part(const Session& session, const Field& field, const Findings& findings,
                          const std::vector<std::int64_t>& lines) {
  const auto known = known_of(findings, lines);
  const auto sms = distinguishing_sms(findings.clusters, lines.size());
  const std::vector<std::int64_t> numbers(sms.begin(), sms.end());
  const auto assigned = [&](std::int64_t trial) {
    const LatencyTable table = time_lines(session, field, lines, numbers, trial);
    return assign(table, recentered(findings.clusters, table, known, sms), sms);
  };
  std::vector<int> clusters = assigned(0);
  if (contradict(known, clusters)) {
    clusters = majority(clusters, assigned(most_repetitions + 1), assigned(most_repetitions + 2));
  }
  for (std::int64_t trial = 1; trial <= most_repetitions; ++trial) {
    if (std::ranges::find(clusters, no_cluster) == clusters.end()) break;
    const auto again = assigned(trial);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (clusters[i] == no_cluster) clusters[i] = again[i];
    }
  }
  return clusters;
}

/// Where the lines of a whole page are, part by part.
void map_page(const Session& session, const Field& field, Findings& findings) {
  for (const auto& lines : field.page(0)) {
    const auto clusters = map_part(session, field, findings, lines);
    findings.page_sms = std::max(findings.page_sms, distinguishing_sms(findings.clusters, lines.size()).size());
    findings.page_clusters.insert(findings.page_clusters.end(), clusters.begin(), clusters.end());
  }
}

/// Where some lines are, timed twice beside the sample. Those that differ are of no cluster.
std::vector<int> clusters_beside_sample(const Session& session, const Field& field, const Findings& findings,
                                        const std::vector<std::int64_t>& others) {
  std::vector<std::int64_t> lines = findings.sample;
  lines.insert(lines.end(), others.begin(), others.end());
  std::vector<int> known = findings.clusters.of_line;
  known.resize(lines.size(), no_cluster);
  const auto sms = distinguishing_sms(findings.clusters, lines.size());
  const std::vector<std::int64_t> numbers(sms.begin(), sms.end());
  const auto assigned = [&](std::int64_t trial) {
    const LatencyTable table = time_lines(session, field, lines, numbers, trial);
    return assign(table, recentered(findings.clusters, table, known, sms), sms);
  };
  const std::vector<int> first = assigned(0);
  const std::vector<int> second = assigned(1);
  std::vector<int> clusters;
  for (std::size_t i = findings.sample.size(); i < lines.size(); ++i) {
    clusters.push_back(first[i] == second[i] ? first[i] : no_cluster);
  }
  return clusters;
}

/// Where some lines are of the pages beside the first one and that of the sample.
std::vector<LinesOfPage> map_other_pages(const Session& session, const Field& field, const Findings& findings) {
  const std::int64_t per_page = field.memory.lines_per_page();
  std::vector<std::int64_t> lines;
  for (std::int64_t page = 1; page < field.memory.pages; ++page) {
    if (page == findings.sample.front() / per_page) continue;
    const auto sample = field.sample(lines_of_other_page, page);
    lines.insert(lines.end(), sample.begin(), sample.end());
  }
  if (lines.empty()) return {};
  const std::vector<int> clusters = clusters_beside_sample(session, field, findings, lines);
  std::map<std::int64_t, LinesOfPage> pages;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    LinesOfPage& page = pages[lines[i] / per_page];
    page.lines.push_back(lines[i] % per_page);
    page.clusters.push_back(clusters[i]);
  }
  std::vector<LinesOfPage> found;
  for (auto& [number, page] : pages) found.push_back(std::move(page));
  return found;
}

/// Lines of a sample that are timed again.
struct Doubtful {
  const std::vector<std::int64_t>& sample;
  const std::vector<std::size_t>& lines;  ///< their places in the sample, ascending
  std::int64_t trial;
};

/// Times doubtful lines again, among others: few lines alone would be slowed by all SMs that load them at once.
void time_again(const Session& session, const Field& field, const Doubtful& doubtful, LatencyTable& table) {
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < doubtful.sample.size(); ++i) {
    if (!std::ranges::binary_search(doubtful.lines, i)) others.push_back(i);
  }
  std::vector<std::size_t> timed = doubtful.lines;
  std::mt19937_64 random;  // seeded alike in every run
  std::ranges::sample(others, std::back_inserter(timed), static_cast<std::ptrdiff_t>(lines_beside), random);
  std::ranges::sort(timed);
  std::vector<std::int64_t> lines;
  for (const std::size_t i : timed) lines.push_back(doubtful.sample[i]);
  const LatencyTable again = time_lines(session, field, lines, {}, doubtful.trial);
  for (const std::size_t line : doubtful.lines) {
    table.replace(line, again, static_cast<std::size_t>(std::ranges::lower_bound(timed, line) - timed.begin()));
  }
}

/// Times the sample twice more from the SMs that tell all clusters apart. A disturbance on few SMs may move a line to a
/// cluster nearby, where nothing else would show it.
void confirm(const Session& session, const Field& field, const std::vector<std::int64_t>& sample, Clusters& clusters) {
  const auto sms = distinguishing_sms(clusters, sample.size());
  const std::vector<std::int64_t> numbers(sms.begin(), sms.end());
  const auto assigned = [&](std::int64_t trial) {
    const LatencyTable table = time_lines(session, field, sample, numbers, trial);
    return assign(table, recentered(clusters, table, clusters.of_line, sms), sms);
  };
  clusters.of_line = majority(clusters.of_line, assigned(most_repetitions + 1), assigned(most_repetitions + 2));
  clusters = with_lines(clusters);
}

/// The first method. Lines that some disturbance may have moved are timed again.
Clusters cluster_sample(const Session& session, const Field& field, const std::vector<std::int64_t>& sample) {
  LatencyTable table = time_lines(session, field, sample, {});
  Clusters clusters = find_clusters(table);
  for (std::int64_t trial = 1; trial <= most_repetitions; ++trial) {
    const auto doubtful = doubtful_lines(clusters);
    if (doubtful.empty()) break;
    time_again(session, field, {sample, doubtful, trial}, table);
    clusters = find_clusters(table);
  }
  if (!clusters.centers.empty()) confirm(session, field, sample, clusters);
  return clusters;
}

Findings measure(const Session& session, const Field& field, std::int64_t page) {
  Findings findings{.line_size = field.memory.line_size, .sample = field.sample(sampled_lines, page)};
  findings.clusters = cluster_sample(session, field, findings.sample);
  if (doubt_about_clusters(findings)) return findings;
  map_page(session, field, findings);
  try {
    findings.other_pages = map_other_pages(session, field, findings);
  } catch (const Refused&) {
    // Recordings of earlier versions have no other pages.
  }
  contend(session, field, findings);
  return findings;
}

bool is_doubtful(const Findings& findings) { return doubt_about_clusters(findings) || disagreement(findings); }

}  // namespace

void find_slices(const Session& session) {
  const auto l2_bytes = session.fact<std::int64_t>("l2.nominal_size");
  const Field field(session.needed<std::int64_t>("l2.line_size"),
                    l2_bytes ? *l2_bytes : session.fact<std::int64_t>("l2.size").value_or(0));
  try {
    Findings findings = measure(session, field, 0);
    // The lines of another page meet other slices at the same time.
    for (std::int64_t page = 1; page < field.memory.pages && is_doubtful(findings); ++page) {
      findings = measure(session, field, page);
    }
    publish(session, findings);
  } catch (const Refused& refusal) {
    leave_open(session, refusal.what());
  }
}

}  // namespace tomograph::l2_slices
