// Fits how often claims hold on one simulator and judges the rates on the other, both ways. Reads what `accuracy` and
// `independent` write with --claims, prints Markdown.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "rates.hpp"

namespace {

using namespace calibration;

struct Simulator {
  std::string name;
  std::vector<Claim> claims;
};

/// The claims of all files, by simulator. @throws std::runtime_error naming the file and line that is no claim.
std::vector<Simulator> read(const std::vector<std::string>& files) {
  std::map<std::string, std::vector<Claim>> by_simulator;
  for (const std::string& file : files) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error(file + " cannot be read");
    std::size_t number = 1;
    for (std::string line; std::getline(in, line); ++number) try {
        const Claim claim = nlohmann::json::parse(line).get<Claim>();
        by_simulator[claim.simulator].push_back(claim);
      } catch (const nlohmann::json::exception&) {
        throw std::runtime_error(file + ":" + std::to_string(number) + " is no claim that a bench wrote");
      }
  }
  std::vector<Simulator> simulators;
  for (auto& [name, claims] : by_simulator) simulators.push_back({name, std::move(claims)});
  return simulators;
}

void print_row(const std::string& confidence, const std::string& simulator, const Verdict& verdict) {
  const double share =
      verdict.certain == 0 ? 0 : static_cast<double>(verdict.wrong) / static_cast<double>(verdict.certain);
  std::printf("| %s | %s | %zu | %.4f | %zu | %.2f %% |\n", confidence.c_str(), simulator.c_str(), verdict.facts,
              verdict.calibration_error, verdict.certain, 100 * share);
}

/// Each simulator with the confidences as claimed, and with the rates of each other one.
void print_verdicts(const std::vector<Simulator>& simulators) {
  std::printf("| confidence | judged on | facts | calibration error | at 0.99 or more | wrong |\n");
  std::printf("| --- | --- | --: | --: | --: | --: |\n");
  for (const Simulator& judge : simulators) {
    print_row("as published", judge.name, judged(judge.claims));
    for (const Simulator& fitted : simulators) {
      if (fitted.name == judge.name) continue;
      print_row("rates of " + fitted.name, judge.name, judged(claimed_by(Rates(fitted.claims), judge.claims)));
    }
  }
}

/// What each entry claims, how often it held on each simulator, and what it should claim.
void print_entries(const std::vector<Simulator>& simulators) {
  std::vector<Rates> rates;
  std::map<std::string, Tally> all;
  std::printf("\n| entry | claims |");
  for (const Simulator& simulator : simulators) {
    rates.emplace_back(simulator.claims);
    for (const auto& [entry, tally] : rates.back().entries()) {
      all[entry].facts += tally.facts;
      all[entry].claimed += tally.claimed;
    }
    std::printf(" %s |", simulator.name.c_str());
  }
  std::printf(" should claim |\n| --- | --: |%s --: |\n", simulators.size() == 1 ? " --: |" : " --: | --: |");
  for (const auto& [entry, tally] : all) {
    std::printf("| %s | %.4f |", entry.c_str(), tally.claimed / static_cast<double>(tally.facts));
    for (const Rates& own : rates) std::printf(" %zu of %zu |", own.tally_of(entry).held, own.tally_of(entry).facts);
    std::printf(" %.4f |\n", cautious_rate(entry, rates));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files;
  bool entries = false;
  CLI::App app("Fits how often claims hold on one simulator and judges the rates on the other, both ways");
  app.add_option("claims", files, "Files that `accuracy` and `independent` wrote with --claims")->required();
  app.add_flag("--entries", entries, "Print a page that also lists what each entry should claim");
  CLI11_PARSE(app, argc, argv);
  try {
    const auto simulators = read(files);
    if (entries) std::printf("# How often claims hold\n\nPrinted by `calibration --entries`; do not edit.\n\n");
    print_verdicts(simulators);
    if (entries) print_entries(simulators);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "calibration: %s\n", error.what());
    return 2;
  }
}
