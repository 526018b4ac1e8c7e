// Compares the values in papers with what the probes measure on simulations of the papers' GPUs. See README.md.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "measurement.hpp"
#include "parallel.hpp"
#include "plugins.hpp"
#include "registry.hpp"
#include "sim/gpu/reader.hpp"
#include "table.hpp"

namespace {

using namespace tomograph::bench;
namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> papers;
  fs::path pages = TOMOGRAPH_PAGES;
  unsigned jobs = 2;
  bool check = false;
  bool times = false;
};

std::vector<std::string> page_names() {
  std::vector<std::string> names;
  for (const Paper& paper : papers()) names.push_back(paper.page);
  return names;
}

bool is_chosen(const Options& options, const Paper& paper) {
  return options.papers.empty() || std::ranges::find(options.papers, paper.page) != options.papers.end();
}

/// The keys that the papers' rows take, by method, of one GPU.
using WantedKeys = std::map<std::string, std::set<std::string>>;

/// By GPU.
std::map<std::string, WantedKeys> wanted_keys(const std::vector<Paper>& papers) {
  std::map<std::string, WantedKeys> wanted;
  for (const Paper& paper : papers) {
    for (const Row& row : paper.rows) {
      const auto [gpu, method] = setting(row);
      wanted[gpu][method].insert(row.recovery.keys.begin(), row.recovery.keys.end());
    }
  }
  return wanted;
}

/// Methods share the runs of probes that they have in common.
Measurements measure_gpu(const std::string& name, const WantedKeys& wanted) {
  const auto plugins = probe_plugins();
  const auto gpu = tomograph::sim::read_gpu(fs::path(TOMOGRAPH_GPUS) / (name + ".toml"));
  Measurements measurements;
  ProbeRuns runs;
  for (const auto& [method, keys] : wanted) {
    measurements[{name, method}] = measure(load_probes(plugins, method), {gpu}, keys, runs);
  }
  return measurements;
}

Measurements measure_all(const std::vector<Paper>& papers, unsigned jobs) {
  const auto wanted = wanted_keys(papers);
  std::vector<Measurements> by_gpu(wanted.size());
  run_all(wanted.size(), jobs, [&](std::uint64_t i) {
    const auto& [gpu, keys] = *std::next(wanted.begin(), static_cast<std::ptrdiff_t>(i));
    by_gpu[i] = measure_gpu(gpu, keys);
  });
  Measurements all;
  for (Measurements& measured : by_gpu) all.merge(measured);
  return all;
}

/// Prints the slowest probes.
void print_times(const Measurements& measurements) {
  constexpr double noticed = 0.3;
  for (const auto& [setting, measured] : measurements) {
    double all = 0;
    for (const auto& [probe, seconds] : measured.probe_seconds) {
      all += seconds;
      if (seconds > noticed) std::fprintf(stderr, "%6.1f s  %s %s\n", seconds, setting.gpu.c_str(), probe.c_str());
    }
    std::fprintf(stderr, "%6.1f s  %s %s, all\n", all, setting.gpu.c_str(), setting.method.c_str());
  }
}

std::string content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A page without its measured digits, which differ slightly between mathematical libraries.
std::string without_measured_digits(const std::string& markdown) {
  constexpr int measured_cells = 4;  // what is before: property, GPU, paper's value
  std::string text;
  int bars = 0;
  for (const char c : markdown) {
    bars = c == '\n' ? 0 : bars + (c == '|' ? 1 : 0);
    const bool is_of_number = std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '+' || c == '-';
    if (bars < measured_cells || !is_of_number) text += c;
  }
  return text;
}

/// Whether the page was up to date or could be updated.
bool settle(const fs::path& file, const std::string& markdown, bool check) {
  if (check) {
    if (without_measured_digits(content(file)) == without_measured_digits(markdown)) return true;
    std::fprintf(stderr, "papers: %s is out of date: run papers\n", file.c_str());
    return false;
  }
  std::ofstream stream(file, std::ios::binary);
  stream << markdown;
  if (!stream.flush()) throw std::runtime_error(file.string() + " cannot be written");
  return true;
}

/// Whether the folder's README states the totals of all pages.
bool tells_totals(const fs::path& readme, const Tally& totals) {
  const std::string sum = text(totals) + " " + origins(totals);
  if (content(readme).find(sum) != std::string::npos) return true;
  std::fprintf(stderr, "papers: %s is out of date: the pages sum up to %s\n", readme.c_str(), sum.c_str());
  return false;
}

bool report(const Options& options) {
  const std::vector<Paper> all = papers();
  std::vector<Paper> chosen;
  std::ranges::copy_if(all, std::back_inserter(chosen), [&](const Paper& paper) { return is_chosen(options, paper); });
  const Measurements measurements = measure_all(chosen, options.jobs);
  if (options.times) print_times(measurements);
  bool all_agree = true;
  Tally totals;
  Compared compared;
  for (const Paper& paper : all) {
    if (!is_chosen(options, paper)) {
      remember(paper, compared);
      continue;
    }
    const Page made = page(paper, measurements, compared);
    std::printf("%s\n", made.markdown.c_str());
    for (const std::string& failure : made.failures) {
      std::fprintf(stderr, "papers: %s: %s\n", paper.page.c_str(), failure.c_str());
    }
    const bool is_settled = settle(options.pages / (paper.page + ".md"), made.markdown, options.check);
    all_agree = all_agree && is_settled && made.failures.empty();
    totals += made.tally;
  }
  if (options.check && options.papers.empty())
    all_agree = tells_totals(options.pages / "README.md", totals) && all_agree;
  return all_agree;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Measures the simulated GPUs of papers and sets what is found beside what the papers found");
  app.add_option("--paper", options.papers, "Only this paper")->check(CLI::IsMember(page_names()));
  app.add_option("--pages", options.pages, "Folder of the pages")->capture_default_str();
  app.add_option("--jobs", options.jobs, "GPUs at the same time")->check(CLI::Range(1, 256))->capture_default_str();
  app.add_flag("--check", options.check, "Write no page; fail if one is out of date");
  app.add_flag("--times", options.times, "Say which probes take long");
  CLI11_PARSE(app, argc, argv);
  try {
    return report(options) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "papers: %s\n", error.what());
    return 2;
  }
}
