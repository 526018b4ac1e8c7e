#include "tomograph/streaming.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <string_view>

#include "scalar_parameters.hpp"
#include "tomograph/scalars.hpp"

namespace tomograph::streaming {

namespace {

/// No GPU comes near the limits of bytes, passes and CTAs. They keep products of parameters within 64 bits. The limits
/// of element and ILP are those of abi/streaming.h.
constexpr std::int64_t maximum_bytes = std::int64_t{1} << 40;
constexpr std::int64_t maximum_passes = std::int64_t{1} << 30;
constexpr std::int64_t maximum_ctas = 1024;
constexpr std::int64_t maximum_element = 16;
constexpr std::int64_t maximum_ilp = 8;

constexpr std::array<std::string_view, 13> names{"operation",   "load",  "element", "ilp",         "threads",
                                                 "ctas_per_sm", "bytes", "deal",    "warm_passes", "passes",
                                                 "carveout",    "trial", "sm"};

/// The parameters of a request.
class Parameters {
 public:
  explicit Parameters(const Experiment& experiment) : parameters_(experiment.parameters) {
    expect_known_once(experiment, names);
  }

  [[nodiscard]] std::int64_t required(std::string_view name) const { return scalar<std::int64_t>(parameters_, name); }

  [[nodiscard]] std::int64_t optional(std::string_view name, std::int64_t fallback) const {
    return find(parameters_, name) == nullptr ? fallback : required(name);
  }

  [[nodiscard]] std::vector<std::int64_t> optional_list(std::string_view name) const {
    return find(parameters_, name) == nullptr ? std::vector<std::int64_t>{} : list_of<std::int64_t>(parameters_, name);
  }

 private:
  const Arrays& parameters_;
};

template <typename Enum>
Enum enumerator(std::int64_t value, Enum last, const char* name) {
  if (value < 0 || value > static_cast<std::int64_t>(last)) {
    throw std::invalid_argument("parameter '" + std::string(name) + "' has no meaning for " + std::to_string(value));
  }
  return static_cast<Enum>(value);
}

bool within(std::int64_t value, std::int64_t low, std::int64_t high) { return value >= low && value <= high; }

bool power_of_two_to(std::int64_t value, std::int64_t high) {
  return within(value, 1, high) && std::has_single_bit(static_cast<std::uint64_t>(value));
}

/// Constants reach all threads of a warp at once, and each warp reads all of them.
bool is_broadcast(const Program& program) { return program.load == Load::constant; }

bool is_other_path(const Program& program) { return program.load != Load::ca && program.load != Load::cg; }

/// Bytes that the warps of one group move when each moves one tile.
std::int64_t turn(const Program& program, std::int64_t ctas_per_sm, std::int64_t sms) {
  if (is_broadcast(program)) return program.ilp * program.element;
  const std::int64_t of_sm = ctas_per_sm * program.threads * program.ilp * program.element;
  return program.distribution == Distribution::sliced ? of_sm : of_sm * sms;
}

}  // namespace

std::vector<double> Result::bytes_per_cycle() const {
  const double of_one = static_cast<double>(moved) / static_cast<double>(cycles.size());
  std::vector<double> rates;
  rates.reserve(cycles.size());
  for (const double one : cycles) rates.push_back(of_one / one);
  return rates;
}

std::int64_t bytes_moved_per_byte(Operation operation) { return operation == Operation::copy ? 2 : 1; }

std::int64_t bytes_moved(const Program& program, std::int64_t footprint, std::int64_t ctas_per_sm, std::int64_t sms) {
  const std::int64_t readers = is_broadcast(program) ? sms * ctas_per_sm * program.threads / warp_threads : 1;
  return footprint * program.passes * bytes_moved_per_byte(program.operation) * readers;
}

std::int64_t rounded_footprint(const Program& program, std::int64_t ctas_per_sm, std::int64_t sms) {
  const std::int64_t groups = program.distribution == Distribution::sliced ? sms : 1;
  const std::int64_t bytes = turn(program, ctas_per_sm, sms);
  return std::max<std::int64_t>(program.bytes / groups / bytes, 1) * bytes * groups;
}

std::int64_t bytes_in_flight(const Program& program, std::int64_t ctas_per_sm, std::int64_t sms) {
  const std::int64_t loaded_at_once = is_broadcast(program) ? program.threads / warp_threads : program.threads;
  return sms * ctas_per_sm * loaded_at_once * program.ilp * program.element;
}

Experiment encode(const Program& program) {
  Experiment experiment{TOMOGRAPH_STREAMING_ID,
                        {{"operation", static_cast<std::int64_t>(program.operation)},
                         {"load", static_cast<std::int64_t>(program.load)},
                         {"element", program.element},
                         {"ilp", program.ilp},
                         {"threads", program.threads},
                         {"ctas_per_sm", program.ctas_per_sm},
                         {"bytes", program.bytes},
                         {"deal", static_cast<std::int64_t>(program.distribution)},
                         {"warm_passes", program.warm_passes},
                         {"passes", program.passes},
                         {"carveout", program.carveout},
                         {"trial", program.trial}}};
  if (!program.sms.empty()) experiment.parameters.add({"sm", program.sms});
  return experiment;
}

Program decode(const Experiment& experiment) {
  const Parameters parameters(experiment);
  Program program;
  program.operation = enumerator(parameters.required("operation"), Operation::copy, "operation");
  program.load = enumerator(parameters.optional("load", TOMOGRAPH_STREAM_CG), Load::constant, "load");
  program.element = parameters.required("element");
  program.ilp = parameters.required("ilp");
  program.threads = parameters.required("threads");
  program.ctas_per_sm = parameters.required("ctas_per_sm");
  program.sms = parameters.optional_list("sm");
  program.bytes = parameters.required("bytes");
  program.distribution =
      enumerator(parameters.optional("deal", TOMOGRAPH_STREAM_INTERLEAVED), Distribution::queued, "deal");
  program.warm_passes = parameters.optional("warm_passes", 1);
  program.passes = parameters.required("passes");
  program.carveout = parameters.optional("carveout", default_carveout);
  program.trial = parameters.optional("trial", 0);
  return program;
}

std::optional<std::string> violation(const Program& program) {
  if (!power_of_two_to(program.element, maximum_element)) return "an element is not 1, 2, 4, 8 or 16 B";
  if (is_other_path(program)) {
    if (program.operation != Operation::read) return "only reads go through other paths than global memory's";
    if (program.element < 4) return "an element of another path than global memory's is not 4, 8 or 16 B";
    if (is_broadcast(program) && program.distribution != Distribution::interleaved) {
      return "constants are not distributed";
    }
  }
  if (!power_of_two_to(program.ilp, maximum_ilp)) return "ilp is not 1, 2, 4 or 8";
  if (!within(program.threads, 1, maximum_threads) || program.threads % warp_threads != 0) {
    return "the threads of a CTA are no multiple of 32 from 32 to 1024";
  }
  if (!within(program.ctas_per_sm, 1, maximum_ctas)) return "there are no or more than 1024 CTAs on an SM";
  if (!within(program.bytes, 1, maximum_bytes)) return "the footprint is empty or larger than 2^40 B";
  if (!within(program.passes, 1, maximum_passes)) return "there are no or more than 2^30 passes";
  if (!within(program.warm_passes, 0, maximum_passes)) return "there are fewer than 0 or more than 2^30 warm-up passes";
  if (program.carveout < default_carveout) return "the carve-out is negative";
  auto sms = program.sms;
  std::ranges::sort(sms);
  if (!sms.empty() && sms.front() < 0) return "the number of an SM is negative";
  if (std::ranges::adjacent_find(sms) != sms.end()) return "an SM takes part twice";
  return std::nullopt;
}

Arrays encode(const Result& result) {
  return {{"elapsed", result.elapsed_ns}, {"cycles", result.cycles},       {"clock", result.clock_hz},
          {"moved", result.moved},        {"footprint", result.footprint}, {"ctas_per_sm", result.ctas_per_sm}};
}

Result decode_result(const Answer& answer) {
  return {.elapsed_ns = scalar<double>(answer.arrays, "elapsed"),
          .cycles = list_of<double>(answer.arrays, "cycles"),
          .clock_hz = scalar<double>(answer.arrays, "clock"),
          .moved = scalar<std::int64_t>(answer.arrays, "moved"),
          .footprint = scalar<std::int64_t>(answer.arrays, "footprint"),
          .ctas_per_sm = scalar<std::int64_t>(answer.arrays, "ctas_per_sm")};
}

}  // namespace tomograph::streaming
