#include "acquire_points.hpp"

#include <algorithm>

namespace tomograph::instruction_throughput {

namespace {

constexpr std::int64_t warps_of_a_cta = 32;  // 1024 threads, the most of any known GPU
/// Several thousand instructions at any occupancy.
constexpr std::int64_t passes = 16;

instruction::Program program_of(instruction::Type type, const Question& question, instruction::Body body) {
  const Occupancy occupancy = occupancy_of(question.warps).value();
  return {.type = type,
          .ilp = question.ilp,
          .warps = occupancy.warps_per_cta,
          .ctas = occupancy.ctas,
          .body = body,
          .passes = passes,
          .repetitions = question.repetitions,
          .trial = question.trial};
}

bool held(const SmRuns& runs, const Occupancy& occupancy) {
  return std::ranges::all_of(runs.runs, [&](const SmRun& run) {
    return run.ctas >= run.concurrent && run.concurrent == static_cast<std::uint32_t>(occupancy.ctas);
  });
}

/// Nothing if an SM held other CTAs than asked for.
std::optional<Answered> answered_by(const Question& question, const SmRuns& brief, const SmRuns& lengthy) {
  const Occupancy occupancy = occupancy_of(question.warps).value();
  if (!held(brief, occupancy) || !held(lengthy, occupancy)) return std::nullopt;
  const std::int64_t instructions = lengthy.instructions - brief.instructions;
  Answered answered{question, {question.warps, {}, 2 / static_cast<double>(instructions * question.warps)}};
  for (std::size_t i = 0; i < brief.runs.size(); ++i) {
    answered.point.cpi.push_back(
        analysis::cycles_per_instruction({brief.runs[i], lengthy.runs[i]}, instructions, occupancy.warps_per_cta));
  }
  return answered;
}

void expect_executed(const Answer& answer) {
  if (answer.status != TOMOGRAPH_OK && answer.status != TOMOGRAPH_UNSUPPORTED) {
    throw Refused(answer.status, answer.reason);
  }
}

}  // namespace

std::optional<Occupancy> occupancy_of(std::int64_t warps) {
  const std::int64_t ctas = (warps + warps_of_a_cta - 1) / warps_of_a_cta;
  if (warps % ctas != 0) return std::nullopt;
  return Occupancy{ctas, warps / ctas};
}

std::vector<std::int64_t> coarse_grid(std::int64_t most) {
  std::vector<std::int64_t> grid;
  for (std::int64_t power = 1; power < most; power *= 2) {
    grid.push_back(power);
    if (power > 1 && 3 * power / 2 < most) grid.push_back(3 * power / 2);
  }
  grid.push_back(most);
  return grid;
}

std::vector<Answered> measure(const Session& session, instruction::Type type, const std::vector<Question>& questions) {
  std::vector<Experiment> batch;
  for (const Question& question : questions) {
    for (const auto body : {instruction::Body::short_body, instruction::Body::long_body}) {
      batch.push_back(instruction::encode(program_of(type, question, body)));
    }
  }
  const std::vector<Answer> answers = session.execute(batch);
  std::vector<Answered> answered;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const Answer& brief = answers[2 * i];
    const Answer& lengthy = answers[2 * i + 1];
    expect_executed(brief);
    expect_executed(lengthy);
    if (brief.status != TOMOGRAPH_OK || lengthy.status != TOMOGRAPH_OK) {
      if (questions[i].warps == 1) throw Skip("device", brief.reason);
      continue;
    }
    auto one = answered_by(questions[i], decode_sm_runs(brief, questions[i].repetitions),
                           decode_sm_runs(lengthy, questions[i].repetitions));
    if (one) answered.push_back(std::move(*one));
  }
  return answered;
}

}  // namespace tomograph::instruction_throughput
