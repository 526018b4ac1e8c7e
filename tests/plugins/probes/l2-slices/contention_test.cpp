#include <algorithm>

#include "analysis_contention.hpp"
#include "catch.hpp"
#include "findings.hpp"

using namespace tomograph::l2_slices;

namespace {

/// A line lies in slice `line % 10`; slices n and n + 5 are equally far from all SMs.
double rate_of(const SliceSearch::Pair& pair) { return pair.first % 10 == pair.second % 10 ? 1 : 2; }

SliceSearch searched(std::size_t clusters, const Threshold& threshold) {
  std::vector<std::vector<SliceSearch::Line>> lines(clusters);
  for (SliceSearch::Line line = 0; line < 60; ++line) {
    if (static_cast<std::size_t>(line % 5) < clusters) lines[static_cast<std::size_t>(line % 5)].push_back(line);
  }
  SliceSearch search(lines);
  for (auto pairs = search.pairs(); !pairs.empty(); pairs = search.pairs()) {
    std::vector<double> rates;
    for (const auto& pair : pairs) rates.push_back(rate_of(pair));
    search.add(rates, threshold);
  }
  return search;
}

Findings consistent() {
  Findings findings{.threshold = {1.4, 1e-9}};
  findings.clusters.centers.assign(2, {300});
  findings.clusters.scatter = {1};
  for (int line = 0; line < 30; ++line) {
    findings.sample.push_back(line);
    findings.clusters.of_line.push_back(line % 3 == 0 ? 0 : 1);  // a cluster of one slice, another one of two
  }
  findings.slices = {{0, {0, 3}}, {1, {1, 4}}, {1, {2, 5}}};
  findings.pair_rates = {1, 2, 1};
  findings.slice_pair_rates = {2, 2, 2};
  return findings;
}

}  // namespace

TEST_CASE("contention splits slices that share every latency") {
  const auto slices = searched(5, {1.4, 0}).slices();
  REQUIRE(slices.size() == 10);
  for (const auto& slice : slices) {
    CHECK(slice.lines.size() == 6);
    CHECK(std::ranges::all_of(slice.lines, [&](auto line) { return line % 10 == slice.lines.front() % 10; }));
    CHECK(slice.cluster == static_cast<std::size_t>(slice.lines.front() % 5));
  }
}

TEST_CASE("the threshold lies between one rate and two, as sure as repeats agree") {
  const Threshold sure = threshold_of(std::vector{2.0, 2.02, 1.98}, std::vector{2.01, 2.0, 2.0});
  CHECK(sure.rate == Approx(1.414).epsilon(0.01));
  CHECK(sure.error < 1e-9);
  CHECK(threshold_of(std::vector{2.0, 3.0, 1.0}, std::vector{3.0, 1.0, 2.0}).error > 0.1);
}

TEST_CASE("methods that agree leave no doubt") {
  CHECK_FALSE(doubt_about_clusters(consistent()));
  CHECK_FALSE(disagreement(consistent()));
  CHECK(error_of(consistent()) < 0.01);
}

TEST_CASE("each contradiction has a reason") {
  Findings findings = consistent();
  findings.slice_pair_rates[1] = 1;
  CHECK(disagreement(findings).value_or("").find("1 pairs of slices") == 0);
  findings = consistent();
  findings.slices[2].lines = {2};
  CHECK(disagreement(findings).value_or("") == "1 lines slow no other line of their cluster");
  findings = consistent();
  findings.clusters.of_line.assign(30, 0);
  CHECK(disagreement(findings).value_or("").find("a cluster of 1 slices holds 30 lines") == 0);
  findings = consistent();
  findings.clusters.of_line[4] = stray;
  CHECK(doubt_about_clusters(findings).value_or("") == "1 of 30 lines belong to no cluster");
  findings = consistent();
  findings.clusters.excess = 16;
  CHECK(doubt_about_clusters(findings).value_or("") == "latencies within clusters vary 4 times as much as repeats");
}
