#include "tomograph/shared_access.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "scalar_parameters.hpp"
#include "tomograph/scalars.hpp"

namespace tomograph::shared_access {

namespace {

/// No GPU comes near these limits. They keep products of parameters within 64 bits.
constexpr std::int64_t most_bytes = std::int64_t{1} << 30;
constexpr std::int64_t most_ctas = 1024;
constexpr std::int64_t most_accesses = std::int64_t{1} << 30;

struct Scalar {
  const char* name;
  std::int64_t Program::*field;
};

/// All parameters of one element except the operation.
constexpr std::array scalars{
    Scalar{"width", &Program::width},
    Scalar{"streams", &Program::streams},
    Scalar{"accesses", &Program::accesses},
    Scalar{"warps", &Program::warps},
    Scalar{"ctas", &Program::ctas},
    Scalar{"shift.stream", &Program::stream_shift},
    Scalar{"shift.warp", &Program::warp_shift},
    Scalar{"shift.store", &Program::store_shift},
    Scalar{"bytes", &Program::bytes},
    Scalar{"bank_mode", &Program::mode},
    Scalar{"trial", &Program::trial},
};

std::vector<std::string_view> names() {
  std::vector<std::string_view> names{"offset", "operation"};
  for (const Scalar& scalar : scalars) names.emplace_back(scalar.name);
  return names;
}

bool outside(std::int64_t value, std::int64_t low, std::int64_t high) { return value < low || value > high; }

std::optional<std::string> range_violation(const Program& program) {
  constexpr std::array<std::int64_t, 3> widths{4, 8, 16};
  constexpr std::array<std::int64_t, 5> streams{1, 2, 4, 6, 8};
  const auto lanes = static_cast<std::int64_t>(program.offsets.size());
  if (outside(lanes, 1, warp_lanes)) return "a warp has no or more than 32 lanes";
  if (std::ranges::find(widths, program.width) == widths.end()) return "the width is not 4, 8 or 16 B";
  if (std::ranges::find(streams, program.streams) == streams.end()) return "there are not 1, 2, 4, 6 or 8 streams";
  if (outside(program.accesses, 1, most_accesses)) return "a stream has no accesses or more than 2^30";
  if (outside(program.warps, 1, most_warps)) return "a CTA has no or more than 32 warps";
  if (outside(program.ctas, 1, most_ctas)) return "an SM has no or more than 1024 CTAs";
  if (outside(program.bytes, 1, most_bytes)) return "a CTA has no shared memory or more than 2^30 B";
  if (program.mode < 0) return "the bank mode is negative";
  for (const std::int64_t shift : {program.stream_shift, program.warp_shift, program.store_shift}) {
    if (outside(shift, 0, most_bytes) || shift % program.width != 0) {
      return "a shift is negative, misaligned or larger than 2^30 B";
    }
  }
  for (const std::int64_t offset : program.offsets) {
    if (outside(offset, 0, most_bytes) || offset % program.width != 0) {
      return "the offset " + std::to_string(offset) + " is negative, misaligned or larger than 2^30 B";
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::int64_t> strided(std::int64_t lanes, std::int64_t stride) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t lane = 0; lane < lanes; ++lane) offsets.push_back(lane * stride);
  return offsets;
}

std::int64_t load_end(const Program& program) {
  return std::ranges::max(program.offsets) + (program.streams - 1) * program.stream_shift +
         (program.warps - 1) * program.warp_shift + program.width;
}

Experiment encode(const Program& program) {
  Experiment experiment{TOMOGRAPH_SHARED_ACCESS_ID, {}};
  experiment.parameters.add({"offset", program.offsets});
  experiment.parameters.add({"operation", static_cast<std::int64_t>(program.operation)});
  for (const Scalar& scalar : scalars) experiment.parameters.add({scalar.name, program.*(scalar.field)});
  return experiment;
}

Program decode(const Experiment& experiment) {
  for (const char* name : {"offset", "accesses", "bytes"}) {
    if (find(experiment.parameters, name) == nullptr) {
      throw std::invalid_argument(std::string("parameter '") + name + "' is missing");
    }
  }
  expect_known_once(experiment, names());
  Program program;
  program.offsets = list_of<std::int64_t>(experiment.parameters, "offset");
  if (find(experiment.parameters, "operation") != nullptr) {
    program.operation = enumerator_in(experiment, "operation", Operation::store);
  }
  for (const Scalar& one : scalars) {
    if (find(experiment.parameters, one.name) == nullptr) continue;
    program.*(one.field) = scalar<std::int64_t>(experiment.parameters, one.name);
  }
  return program;
}

std::optional<std::string> violation(const Program& program) {
  if (auto why = range_violation(program)) return why;
  const std::int64_t end = load_end(program);
  if (program.operation != Operation::copy) {
    if (program.store_shift != 0) return "only copies have a shift of stores";
    return end <= program.bytes ? std::nullopt : std::optional<std::string>("an access lies outside the shared memory");
  }
  if (program.store_shift < end - std::ranges::min(program.offsets)) return "stores do not lie behind all loads";
  if (program.store_shift + end > program.bytes) return "a store lies outside the shared memory";
  return std::nullopt;
}

Arrays encode(const Result& result) { return {{"cycles", result.cycles}, {"overhead", result.overhead}}; }

Result decode_result(const Answer& answer) {
  auto cycles = list_of<double>(answer.arrays, "cycles");
  if (cycles.empty()) throw std::invalid_argument("array 'cycles' is empty");
  return {std::move(cycles), scalar<double>(answer.arrays, "overhead")};
}

}  // namespace tomograph::shared_access
