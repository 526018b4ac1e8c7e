#include "page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tomograph::bench {

namespace {

/// Mean errors in percent as the letter reports them (section 5); 0: not given.
constexpr std::array<double, models> letter_divergent{444, 206, 100, 98, 32, 0};
constexpr std::array<double, models> letter_others{19, 0, 0, 0, 16, 0};

std::string percent(double share) { return fmt::format("{:+.0f} %", 100 * share); }

std::string means_row(const std::string& name, const std::vector<Case>& cases, bool divergent) {
  std::string row = fmt::format("| {} |", name);
  for (std::size_t model = 0; model < models; ++model) {
    row += fmt::format(" {:.0f} % |", 100 * mean_error(cases, model, divergent));
  }
  return row + "\n";
}

std::string letter_row(const std::array<double, models>& errors) {
  std::string row = "| the letter |  |  |  |  |";
  for (const double error : errors) row += error > 0 ? fmt::format(" {:.0f} % |", error) : " |";
  return row + "\n";
}

std::string mean_line(const std::vector<Case>& cases, bool divergent) {
  std::string row = fmt::format("| mean of {} |  |  |  |  |", divergent ? "MD" : "NMD");
  for (std::size_t model = 0; model < models; ++model) {
    row += fmt::format(" {:.0f} % |", 100 * mean_error(cases, model, divergent));
  }
  return row + "\n";
}

std::string model_header() {
  std::string header;
  for (const char* name : model_names) header += fmt::format(" {} |", name);
  return header;
}

std::string rule(std::size_t columns) {
  std::string text = "|";
  for (std::size_t i = 0; i < columns; ++i) text += " --- |";
  return text + "\n";
}

std::string configuration_table(const Results& results, bool divergent) {
  std::string text = "| configuration |" + model_header() + "\n" + rule(1 + models);
  for (const auto& [name, cases] : results) text += means_row(name, cases, divergent);
  return text;
}

/// Share of all cases in which the saturation model is within a factor of the reference.
double share_within(const Results& results, double factor) {
  double within = 0;
  double all = 0;
  for (const auto& [name, cases] : results) {
    for (const Case& one : cases) {
      const double ratio = one.ipc.back() / one.reference_ipc;
      within += std::max(ratio, 1 / ratio) <= factor ? 1 : 0;
      all += 1;
    }
  }
  return within / all;
}

std::string largest_errors(const Results& results) {
  struct Entry {
    std::string text;
    double size;
  };
  std::vector<Entry> entries;
  for (const auto& [name, cases] : results) {
    for (const Case& one : cases) {
      const double error = one.error(models - 1);
      entries.push_back(
          {fmt::format("| {} | {} | {} | {} |\n", name, one.workload, percent(error), one.limit), std::abs(error)});
    }
  }
  std::ranges::sort(entries, std::ranges::greater(), &Entry::size);
  std::string text = "| configuration | workload | error | limit |\n" + rule(4);
  for (std::size_t i = 0; i < std::min<std::size_t>(entries.size(), 10); ++i) text += entries[i].text;
  return text;
}

/// Lines that the loads of a workload touch in the simulator.
double lines_of(const Case& one) { return one.instructions * one.traffic.l1_accesses / one.traffic.instructions; }

/// How fast the simulator runs one type of workloads: from the slowest to the fastest, and all of them.
std::string speed_row(const Results& results, bool divergent) {
  double instructions = 0;
  double lines = 0;
  double seconds = 0;
  double slowest = std::numeric_limits<double>::infinity();
  double fastest = 0;
  for (const auto& [name, cases] : results) {
    for (const Case& one : cases) {
      if (one.divergent != divergent) continue;
      instructions += one.instructions;
      lines += lines_of(one);
      seconds += one.reference_seconds;
      slowest = std::min(slowest, one.instructions / one.reference_seconds);
      fastest = std::max(fastest, one.instructions / one.reference_seconds);
    }
  }
  return fmt::format("| {} | {:.2f} to {:.2f} | {:.2f} | {:.2f} |\n", divergent ? "divergent" : "regular",
                     1e-6 * slowest, 1e-6 * fastest, 1e-6 * instructions / seconds, 1e-6 * lines / seconds);
}

}  // namespace

std::string workload_table(const std::vector<Case>& cases) {
  std::string text =
      "| workload | type | lines per load | LLC misses | IPC |" + model_header() + "\n" + rule(5 + models);
  for (const bool divergent : {false, true}) {
    for (const Case& one : cases) {
      if (one.divergent != divergent) continue;
      text += fmt::format("| {} | {} | {:.1f} | {:.0f} % | {:.3g} |", one.workload, divergent ? "MD" : "NMD",
                          one.lines_per_load, 100 * one.llc_miss_ratio, one.reference_ipc);
      for (std::size_t model = 0; model < models; ++model) text += " " + percent(one.error(model)) + " |";
      text += "\n";
    }
    text += mean_line(cases, divergent) + letter_row(divergent ? letter_divergent : letter_others);
  }
  return text;
}

std::string summary(const Results::value_type& result) {
  return means_row(result.first + ", MD", result.second, true) +
         means_row(result.first + ", NMD", result.second, false);
}

std::string page(const Results& results, const std::vector<Case>& algorithms) {
  std::string text =
      "# Models against the reference simulator\n\nGenerated by `mdm-bench`; do not edit. [README](README.md) says how "
      "to read it.\n\n## Table 1\n\nRelative error of the predicted IPC.\n\n";
  text += workload_table(results.front().second);
  text +=
      "\n## Table 1, the algorithms in C++\n\nThe same fifteen from `plugins/workloads`, whose traces are recorded on "
      "the host.\n\n" +
      workload_table(algorithms);
  text += "\n## All configurations: mean absolute error, divergent workloads\n\n" + configuration_table(results, true);
  text += "\n## All configurations: mean absolute error, other workloads\n\n" + configuration_table(results, false);
  text += "\n## The saturation model's largest errors\n\n" + largest_errors(results);
  text += fmt::format(
      "\nOver all {} cases, its cycles are within a factor of 1.25 of the simulated ones in {:.1f} %, of "
      "1.5 in {:.1f} %, of 2 in {:.1f} %.\n",
      results.size() * results.front().second.size(), 100 * share_within(results, 1.25),
      100 * share_within(results, 1.5), 100 * share_within(results, 2));
  return text + "\n## Speed on Table 1\n\n" + speed_text({results.front()});
}

std::string details(const std::vector<Case>& cases) {
  std::string text =
      "\n| workload | instructions | L1 lines | read misses | written | from memory | in the simulator | to memory | M "
      "instructions/s |\n" +
      rule(9);
  for (const Case& one : cases) {
    const kernel::WarpTraffic& traffic = one.traffic;
    text += fmt::format("| {} | {:.0f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.2f} |\n",
                        one.workload, traffic.instructions, traffic.l1_accesses, traffic.read_misses,
                        traffic.write_misses, traffic.memory_reads, one.reference_llc_misses, traffic.memory_writes,
                        one.instructions / one.reference_seconds * 1e-6);
  }
  return text;
}

std::string speed_text(const Results& results) {
  double reference = 0;
  double profile = 0;
  double model = 0;
  double slowest = 0;
  for (const auto& [name, cases] : results) {
    for (const Case& one : cases) {
      reference += one.reference_seconds;
      profile += one.profile_seconds;
      model += one.model_seconds;
      slowest = std::max(slowest, one.model_seconds);
    }
  }
  std::string text = "| on one core | M warp instructions/s | of all | M lines/s |\n" + rule(4);
  for (const bool divergent : {false, true}) text += speed_row(results, divergent);
  return text +
         fmt::format(
             "\nSix models together take at most {:.2f} ms a kernel after its profile: {:.0f} times less than the "
             "simulator, or {:.0f} times with the profile.\n",
             1e3 * slowest, reference / model, reference / (model + profile));
}

}  // namespace tomograph::bench
