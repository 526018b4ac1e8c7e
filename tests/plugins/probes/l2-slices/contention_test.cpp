#include <algorithm>
#include <cmath>

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

/// Two pairs of slices: those of a pair keep copies of each other's lines.
Findings with_copies() {
  Findings findings{.threshold = {1.4, 1e-9}};
  findings.clusters.centers.assign(4, {300});
  for (int line = 0; line < 40; ++line) {
    findings.sample.push_back(line);
    findings.clusters.of_line.push_back(line % 4);
  }
  for (std::size_t i = 0; i < 4; ++i) findings.slices.push_back({i, {static_cast<int>(i), static_cast<int>(i) + 4}});
  findings.slice_pair_rates = {2, 1, 2, 2, 1, 2};  // 2 slows 0, 3 slows 1
  findings.group_rates = {1, 1};
  findings.partition_rates = {{0.5, 0.5}, {0.5, 0.5}};
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
  const Threshold sure = threshold_of({{1.1, 1.11, 1.09}, {2.0, 2.02, 1.98}, {2.01, 2.0, 2.0}});
  CHECK(sure.rate == Approx(std::sqrt(2.2)).epsilon(0.01));
  CHECK(sure.error < 1e-9);
  CHECK(threshold_of({{1, 1}, {2, 3, 1}, {3, 1, 2}}).error > 0.1);
  CHECK(threshold_of({{2, 2.01}, {2, 2.01}, {2.01, 2}}).error > 0.1);
}

TEST_CASE("methods that agree leave no doubt") {
  CHECK_FALSE(doubt_about_clusters(consistent()));
  CHECK_FALSE(disagreement(consistent()));
  CHECK(error_of(consistent()) < 0.01);
}

TEST_CASE("slices that keep copies of each other's lines slow each other, one of each partition") {
  CHECK_FALSE(disagreement(with_copies()));
  Findings findings = with_copies();
  findings.partition_rates = {{1, 1}, {1, 1}};
  CHECK(disagreement(findings).value_or("") == "2 of 2 groups of slices that slow each other have not 1 slice");
  findings.partition_rates = {{1, 0.5}, {0.5, 0.5}};
  CHECK(disagreement(findings).value_or("").find("partitions serve lines of 1 of 2 groups") == 0);
  findings = with_copies();
  findings.slice_pair_rates[5] = 1;
  CHECK(disagreement(findings).value_or("") == "1 pairs of slices slow each other");
}

TEST_CASE("copies hide slices whose homes nothing tells apart") {
  Findings findings = consistent();
  findings.group_rates = {1, 1, 1};
  findings.partition_rates = {{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}};
  CHECK(disagreement(findings).value_or("") ==
        "3 of 3 groups of slices that slow each other have not 2 slices, one for each partition");
}

TEST_CASE("each contradiction has a reason") {
  CHECK(disagreement({}).value_or("") == "latencies tell no two slices apart");
  Findings findings = consistent();
  findings.slice_pair_rates[1] = 1;
  CHECK(disagreement(findings).value_or("") == "1 of 2 groups of slices that slow each other have not 1 slice");
  findings = consistent();
  findings.slices[2].lines = {2};
  CHECK(disagreement(findings).value_or("") == "1 lines slow no other line of their cluster");
  findings = consistent();
  findings.clusters.of_line.assign(30, 0);
  CHECK(disagreement(findings).value_or("").find("a cluster of 1 slices holds 30 lines") == 0);
  findings = consistent();
  findings.clusters.of_line.assign(30, no_cluster);
  CHECK(doubt_about_clusters(findings).value_or("") == "30 of 30 lines belong to no cluster");
}

TEST_CASE("a few lines that slow a slice of another cluster are strays, whole slices that do so are not") {
  Findings findings{.threshold = {.rate = 3, .error = 1e-9}};
  constexpr std::size_t lines_of_slice = 25;
  for (std::size_t slice = 0; slice < 4; ++slice) {
    findings.slices.push_back({slice, std::vector<std::int64_t>(lines_of_slice)});
    findings.sample.resize(findings.sample.size() + lines_of_slice);
  }
  findings.slices.push_back({1, std::vector<std::int64_t>(2)});
  // Slices 0 and 1 slow each other, and so do 2 and 3; the lines of 4 slow both of these.
  findings.slice_pair_rates = {2, 4, 4, 4, 4, 2, 4, 4, 2, 2};
  const Findings left = without_strays(findings);
  CHECK(left.slices.size() == 4);
  CHECK(left.stray_lines == 2);
  CHECK(left.slice_pair_rates == std::vector<double>{2, 4, 4, 4, 4, 2});
  findings.slices.back().lines.resize(lines_of_slice);
  CHECK(without_strays(findings).slices.size() == 5);
}

TEST_CASE("a few lines of no cluster leave no doubt, as many as a slice may hold do") {
  Findings findings{.sample = std::vector<std::int64_t>(200)};
  findings.clusters.centers.resize(8);
  findings.clusters.of_line.assign(200, 0);
  CHECK_FALSE(doubt_about_clusters(findings));
  std::fill_n(findings.clusters.of_line.begin(), 3, no_cluster);
  CHECK_FALSE(doubt_about_clusters(findings));
  std::fill_n(findings.clusters.of_line.begin(), 15, no_cluster);
  CHECK(doubt_about_clusters(findings) == "15 of 200 lines belong to no cluster");
}

TEST_CASE("a slice answers what a single line gets, or its part of it where each partition keeps a copy") {
  Findings findings = consistent();
  findings.single_rates = {1.6, 1.5};
  CHECK(rates_of_a_slice(findings) == std::vector<double>{1.6, 1.5});
  findings = with_copies();
  CHECK(rates_of_a_slice(findings) == std::vector<double>{0.5, 0.5});
}

TEST_CASE("slices that neither latency nor contention tells apart have no function") {
  Findings findings;
  findings.page_clusters.assign(16384, 0);
  const SureClusters one{.of_cluster = {0}, .count = 1};
  CHECK_FALSE(slice_function_of(findings, one, false).function);
  findings.slices = {{0, {0, 1}}};
  CHECK(slice_function_of(findings, one, true).function);
}

TEST_CASE("a slice whose lines lie at two distances is not counted twice") {
  Findings findings = consistent();
  const SureClusters two{.of_cluster = {0, 1}, .count = 2};
  findings.slices = {{0, {0, 3}}, {1, {1, 4}}};
  findings.slice_pair_rates = {1};
  CHECK(least_slices(findings, two) == 1);
  findings.slice_pair_rates = {2};
  CHECK(least_slices(findings, two) == 2);
  findings.slices.clear();
  CHECK(least_slices(findings, two) == 2);
}
