#include "paper.hpp"

namespace tomograph::bench::paper {

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

/// Operations of all SMs, 1e9 per second; each instruction is `flop` of them.
Recovery performance(const std::string& type, std::int64_t ilp, double flop = 1) {
  return {{"instruction." + type + ".throughput_by_ilp", "device.sm_count", "device.sm_clock"},
          [ilp, flop](const std::vector<Json>& values) {
            return Json(flop * of_pair(values[0], ilp).get<double>() * values[1].get<double>() *
                        values[2].get<double>() / giga);
          }};
}

Recovery ridge_point(const std::string& type, std::int64_t ilp) {
  return {{"instruction." + type + ".ridge_warps_by_ilp", "device.warp_size"}, [ilp](const std::vector<Json>& values) {
            return Json(of_pair(values[0], ilp).get<std::int64_t>() * values[1].get<std::int64_t>());
          }};
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
  rows.push_back({where, "peak of single precision", "gt640", 361.2, "Gop/s", nothing(), exactly,
                  "calculated, not measured, and 2 CUs x 192 PEs x 900 MHz are 345.6, as half of its 691 Gflop/s is"});
  rows.push_back({where, "INT, Λ", "gt640", 6, "cycles", fact("instruction.int32_mad.completion_latency"), latency});
  for (const std::int64_t ilp : {1, 2, 4}) {
    rows.push_back({where, "INT, λ with ILP " + std::to_string(ilp), "gt640", 0.5, "cycles",
                    at("instruction.int32_mad.issue_latency_by_ilp", ilp), latency});
  }
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
      const bool contradicted = line.name == "INT" && ilp == 2;
      rows.push_back(
          {where, line.name + ", performance" + with, "k620", line.performance[i], "Gop/s",
           contradicted ? nothing() : performance(line.type, ilp), rate,
           contradicted ? "contradicts the λ of its line, which at the clock of all other lines is 140" : ""});
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
      "contradicts the λ of its line: 3 CUs x 32 elements x clock / λ is 1.71 to 1.75 times as much in every line, "
      "perhaps "
      "because λ counts full runs only (section V-B) and the bandwidth all of the time";
  const std::vector<std::int64_t> elements{1, 2, 4, 8, 16};
  const std::vector<double> bandwidth{15.7, 21.6, 25.0, 26.2, 26.4};
  const std::vector<double> issue{3.96, 5.83, 9.89, 18.9, 37.7};
  const std::vector<double> completion{42.4, 59.7, 52.5, 78.5, 144.2};
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::string of = " of " + std::to_string(elements[i]) + " B";
    rows.push_back({where, "bandwidth" + of, "k620", bandwidth[i], "GB/s", nothing(), exactly, contradicted});
    rows.push_back({where, "λ" + of, "k620", issue[i], "cycles",
                    at("dram.request.issue_latency_by_element", elements[i]), latency});
    rows.push_back({where, "Λ" + of, "k620", completion[i], "cycles",
                    at("dram.request.completion_latency_by_element", elements[i]), latency});
  }
  rows.push_back({where, "cached in a CU (no cache size is given)", "k620", false, "",
                  fact("l1_data.caches_global_loads"), exactly});
}

void add_other_memories(std::vector<Row>& rows) {
  std::string where = "Table III, local memory";
  const Recovery cycles{{"shared.bandwidth.read", "device.warp_size"}, [](const std::vector<Json>& values) {
                          return Json(4 * values[1].get<double>() / values[0].get<double>());
                        }};
  rows.push_back({where, "bandwidth of 4 B", "k620", 138, "GB/s", nothing(), exactly,
                  "contradicts the λ of its line, which at the clock of the other lines is 332"});
  rows.push_back({where, "λ of 4 B", "k620", 1.3, "cycles", cycles, latency});
  rows.push_back({where, "Λ of 4 B", "k620", 43.1, "cycles", fact("shared.latency"), latency});

  where = "Table III and Fig. 7, constant memory";
  const std::string no_stream = "no experiment streams constants: the chase alone reads them";
  rows.push_back({where, "bandwidth of 4 B", "k620", 97.1, "GB/s", nothing(), exactly, no_stream});
  rows.push_back({where, "λ of 4 B", "k620", 1.48, "cycles", nothing(), exactly, no_stream});
  rows.push_back({where, "Λ of 4 B, in the cache", "k620", 48, "cycles", fact("constant_l1.latency"), latency});
  rows.push_back({where, "Λ of 4 B, beyond it", "k620", 90.6, "cycles", fact("constant_l15.latency"), latency});
  rows.push_back({where, "cache size", "k620", 8, "KB", fact("constant_l1.size", kib), exactly});

  where = "Table III, private memory";
  rows.push_back({where, "Λ of 4 B", "k620", 177, "cycles", fact("l2.latency"), latency});
}

}  // namespace

Paper lemeire_2016() {
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

}  // namespace tomograph::bench::paper
