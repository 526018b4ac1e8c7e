#include <algorithm>

#include "paper.hpp"

namespace tomograph::bench::lemeire_2016_paper {

namespace {

constexpr double giga = 1e9;
constexpr double kib = 1024;

const Json& of_pair(const Json& pairs, std::int64_t first) {
  for (const Json& pair : pairs) {
    if (pair.at(0) == first) return pair.at(1);
  }
  static const Json none;
  return none;
}

/// What the fact's list of pairs has for `first`: an ILP, or the bytes of an element.
Recovery at(const std::string& key, std::int64_t first) {
  return {{key}, [first](const std::vector<Json>& values) { return of_pair(values.front(), first); }};
}

/// Bytes per second of all SMs, in 1e9, if each of their warps loads `element` bytes a lane in so many cycles.
double rate_of(std::int64_t element, const Json& cycles, const Json& warp_size, const Json& sms, const Json& clock) {
  return static_cast<double>(element) * warp_size.get<double>() * sms.get<double>() * clock.get<double>() /
         cycles.get<double>() / giga;
}

/// What λ by element makes of the bandwidth.
Recovery bandwidth_of_element(std::int64_t element) {
  return {{"dram.request.issue_latency_by_element", "device.warp_size", "device.sm_count", "device.sm_clock"},
          [element](const std::vector<Json>& values) {
            return Json(rate_of(element, of_pair(values[0], element), values[1], values[2], values[3]));
          },
          true};
}

/// The same of words in constant memory.
Recovery bandwidth_of_constants() {
  return {{"instruction.constant_load.issue_latency", "device.warp_size", "device.sm_count", "device.sm_clock"},
          [](const std::vector<Json>& values) { return Json(rate_of(4, values[0], values[1], values[2], values[3])); },
          true};
}

/// Operations of all SMs, 1e9 per second; each instruction is `flop` of them.
Recovery performance(const std::string& type, std::int64_t ilp, double flop = 1) {
  return {{"instruction." + type + ".throughput_by_ilp", "device.sm_count", "device.sm_clock"},
          [ilp, flop](const std::vector<Json>& values) {
            return Json(flop * of_pair(values[0], ilp).get<double>() * values[1].get<double>() *
                        values[2].get<double>() / giga);
          },
          true};
}

Recovery ridge_point(const std::string& type, std::int64_t ilp) {
  return {{"instruction." + type + ".ridge_warps_by_ilp", "device.warp_size"},
          [ilp](const std::vector<Json>& values) {
            return Json(of_pair(values[0], ilp).get<std::int64_t>() * values[1].get<std::int64_t>());
          },
          true};
}

void add_generations(std::vector<Row>& rows) {
  const std::string where = "Table II, issue and completion latencies of generations";
  const auto add = [&](const std::string& gpu, const std::string& name, const std::string& type, double completion,
                       double issue) {
    const std::string prefix = "instruction." + type;
    rows.push_back({where, name + ", Λ", gpu, completion, "cycles", fact(prefix + ".completion_latency"), latency});
    rows.push_back({where, name + ", λ", gpu, issue, "cycles", fact(prefix + ".issue_latency"), latency});
  };
  add("gt640", "Kepler, SP", "fp32_add", 9, 0.18);
  add("gt640", "Kepler, DP", "fp64_fma", 32, 4);
  add("gt640", "Kepler, SF", "special", 18, 1);
  add("fermi", "Fermi, SP", "fp32_add", 18, 1);
  add("fermi", "Fermi, DP", "fp64_fma", 22, 2);
  add("fermi", "Fermi, SF", "special", 40, 8);
  add("tesla", "Tesla, SP", "fp32_add", 22, 4);
  add("tesla", "Tesla, SF", "special", 51, 16);
  add("southern-islands", "Southern Islands, SP", "fp32_add", 6, 1);
  add("southern-islands", "Southern Islands, DP", "fp64_fma", 22, 5);
  add("southern-islands", "Southern Islands, SF", "special", 29, 7);
  add("northern-islands", "Northern Islands, SP", "fp32_add", 8, 2.7);
  add("northern-islands", "Northern Islands, DP", "fp64_fma", 32, 8);
  add("northern-islands", "Northern Islands, SF", "special", 51, 10);
}

void add_text(std::vector<Row>& rows) {
  std::string where = "Sections III and V-A, Figs. 2 and 3";
  rows.push_back({where, "MADD with ILP 2", "gt640", 611, "Gflop/s", performance("fp32_fma", 2, 2), rate});
  rows.push_back({where, "MADD with ILP 4", "gt640", 624, "Gflop/s", performance("fp32_fma", 4, 2), rate});
  rows.push_back({where, "theoretical peak of single precision (Eq. 1)", "gt640", 361.2, "Gop/s",
                  product({"device.sm_count", "device.cores_per_sm", "device.sm_clock"}, giga), exactly});
  rows.back().disputed = "2 CUs x 192 PEs x 900 MHz are 345.6, as half of the paper's 691 Gflop/s is";
  rows.push_back({where, "INT, Λ", "gt640", 6, "cycles", fact("instruction.int32_mad.completion_latency"), latency});
  for (const std::int64_t ilp : {1, 2, 4}) {
    rows.push_back({where, "INT, λ with ILP " + std::to_string(ilp), "gt640", 0.5, "cycles",
                    at("instruction.int32_mad.issue_latency_by_ilp", ilp), latency});
  }
  where = "Section I, Fig. 1";
  rows.push_back({where, "work items up to which the execution time is constant", "gt640", 2000, "", nothing(), exactly,
                  "the paper says neither which GPU nor which kernel it is of"});
  where = "Section VI-A, Fig. 6";
  rows.push_back({where, "a loop with a parameter as its limit copies much slower than one with a constant",
                  "northern-islands", true, "", nothing(), exactly,
                  "it is how a compiler of OpenCL translates loops, no property of the GPU"});
  where = "Section V-D, Fig. 5";
  rows.push_back({where, "convItems from which on nothing is lost", "gt640", 32, "",
                  fact("divergence.coherent_threads"), exactly});
}

/// The line of one type: performance, λ and Λ for ILP 1, 2 and 4, and ridge points.
struct Line {
  std::string name;
  std::string type;
  std::vector<double> performance;
  std::vector<double> issue;
  std::vector<double> completion;
  std::vector<std::int64_t> ridge;
};

void add_computations(std::vector<Row>& rows) {
  const std::string where = "Table III, computations";
  const std::vector<Line> lines{
      {"SP", "fp32_add", {249, 363, 388}, {.43, .30, .28}, {9.1, 4.7, 4.7}, {1536}},
      {"INT", "int32_mad", {125, 130, 130}, {.86, .77, .83}, {16.2, 12.9, 12.6}, {1536, 1024, 512}},
      {"SF", "special", {27, 27, 27}, {4.0, 4.0, 3.9}, {62, 39, 29}, {512, 384, 256}}};
  for (const Line& line : lines) {
    const std::string prefix = "instruction." + line.type;
    std::int64_t ilp = 1;
    for (std::size_t i = 0; i < line.issue.size(); ++i, ilp *= 2) {
      const std::string with = " with ILP " + std::to_string(ilp);
      rows.push_back({where, line.name + ", performance" + with, "k620", line.performance[i], "Gop/s",
                      performance(line.type, ilp), rate});
      if (line.name == "INT" && ilp == 2)
        rows.back().disputed = "what the λ of its line makes at the clock of all others";
      rows.push_back({where, line.name + ", λ" + with, "k620", line.issue[i], "cycles",
                      at(prefix + ".issue_latency_by_ilp", ilp), latency});
      rows.push_back({where, line.name + ", Λ" + with, "k620", line.completion[i], "cycles",
                      at(prefix + ".completion_latency_by_ilp", ilp), latency});
      if (i >= line.ridge.size()) continue;
      rows.push_back({where, line.name + ", ridge point" + with, "k620", line.ridge[i], "work items",
                      ridge_point(line.type, ilp), exactly});
    }
  }
}

void add_global_memory(std::vector<Row>& rows) {
  const std::string where = "Table III, global memory";
  const std::string contradicted =
      "what the λ of its line makes of 3 CUs x 32 elements x clock, 1.71 to 1.75 times as much in every line; perhaps "
      "λ "
      "counts full runs only (section V-B), and the bandwidth all of the time";
  const std::vector<std::int64_t> elements{1, 2, 4, 8, 16};
  const std::vector<double> bandwidth{15.7, 21.6, 25.0, 26.2, 26.4};
  const std::vector<double> issue{3.96, 5.83, 9.89, 18.9, 37.7};
  const std::vector<double> completion{42.4, 59.7, 52.5, 78.5, 144.2};
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::string of = " of " + std::to_string(elements[i]) + " B";
    rows.push_back({where, "bandwidth" + of, "k620", bandwidth[i], "GB/s", bandwidth_of_element(elements[i]), rate});
    rows.back().disputed = contradicted;
    rows.push_back({where, "λ" + of, "k620", issue[i], "cycles",
                    at("dram.request.issue_latency_by_element", elements[i]), latency});
    rows.push_back({where, "Λ" + of, "k620", completion[i], "cycles",
                    at("dram.request.completion_latency_by_element", elements[i]), latency});
  }
  rows.push_back({where, "cached in a CU (no cache size is given)", "k620", false, "",
                  fact("l1_data.caches_global_loads"), exactly});
}

/// Why random walks miss more often than Eq. 6 says.
constexpr const char* of_dependent_loads =
    "Eq. 6 takes loads to be independent; in a walk that visits every element once, a line just loaded has fewer "
    "elements left than others, of eight (line size assumed), and hits less often";

void add_other_memories(std::vector<Row>& rows) {
  std::string where = "Table III, local memory";
  const Recovery cycles{
      {"shared.bandwidth.read", "device.warp_size"},
      [](const std::vector<Json>& values) { return Json(4 * values[1].get<double>() / values[0].get<double>()); },
      true};
  rows.push_back({where, "bandwidth of 4 B", "k620", 138, "GB/s",
                  product({"shared.bandwidth.read", "device.sm_count", "device.sm_clock"}, giga), rate});
  rows.back().disputed = "what the λ of its line makes at the clock of the other lines";
  rows.push_back({where, "λ of 4 B", "k620", 1.3, "cycles", cycles, latency});
  rows.push_back({where, "Λ of 4 B", "k620", 43.1, "cycles", fact("shared.latency"), latency});

  where = "Table III and Fig. 7, constant memory";
  rows.push_back({where, "bandwidth of 4 B", "k620", 97.1, "GB/s", bandwidth_of_constants(), rate});
  rows.back().disputed =
      "what the λ of its line makes of 3 CUs x 32 elements x clock: three times as much, as if one CU were meant";
  rows.push_back({where, "λ of 4 B", "k620", 1.48, "cycles", fact("instruction.constant_load.issue_latency"), latency});
  rows.push_back({where, "Λ of 4 B, as an instruction", "k620", 48, "cycles",
                  fact("instruction.constant_load.completion_latency"), latency});
  rows.push_back({where, "Λ of 4 B, in the cache", "k620", 48, "cycles", fact("constant_l1.latency"), latency});
  rows.push_back({where, "Λ of 4 B, beyond it", "k620", 90.6, "cycles", fact("constant_l15.latency"), latency});
  rows.push_back({where, "cache size", "k620", 8, "KB", fact("constant_l1.size", kib), exactly});

  where = "Section VI-C, Eq. 6 and Fig. 7, random walks over constants";
  for (const std::int64_t kibibytes : {2, 4, 12, 16, 24, 32}) {
    constexpr double of_l1 = 48;
    constexpr double beyond = 90.6;
    constexpr double cache = 8;
    const double misses = std::max(0.0, 1 - cache / static_cast<double>(kibibytes));
    rows.push_back({where, "cycles of " + std::to_string(kibibytes) + " KB, by Eq. 6", "k620",
                    of_l1 + (beyond - of_l1) * misses, "cycles",
                    at("constant_l1.random_walk_by_size", kibibytes * 1024), latency});
    rows.back().method = "lemeire2016";
    if (misses > 0) rows.back().disputed = of_dependent_loads;
  }

  where = "Table III, private memory";
  rows.push_back({where, "Λ of 4 B", "k620", 177, "cycles", fact("l2.latency"), latency});
}

}  // namespace

Paper make() {
  Paper paper{"lemeire-2016",
              "Lemeire, Cornelis & Segers: Microbenchmarks for GPU characteristics: the occupancy roofline and the "
              "pipeline model (2016)",
              "GT 640 (Kepler), Quadro K620 (Maxwell), and of other generations a GPU with the pipelines of Table II.",
              {}};
  add_generations(paper.rows);
  add_text(paper.rows);
  add_computations(paper.rows);
  add_global_memory(paper.rows);
  add_other_memories(paper.rows);
  return paper;
}

}  // namespace tomograph::bench::lemeire_2016_paper
