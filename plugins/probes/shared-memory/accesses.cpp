#include "accesses.hpp"

#include <algorithm>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::shared_memory {

namespace {

using shared_access::Result;

std::vector<std::optional<Result>> run(const Session& session, std::span<const Program> programs) {
  std::vector<Experiment> experiments;
  for (const Program& program : programs) experiments.push_back(shared_access::encode(program));
  std::vector<std::optional<Result>> results;
  for (const Answer& answer : session.execute(experiments)) {
    if (answer.status == TOMOGRAPH_UNSUPPORTED) {
      results.emplace_back();
    } else if (answer.status != TOMOGRAPH_OK) {
      throw Refused(answer.status, answer.reason);
    } else {
      results.emplace_back(shared_access::decode_result(answer));
    }
  }
  return results;
}

}  // namespace

std::vector<std::optional<Pace>> pace(const Session& session, std::span<const Program> programs) {
  std::vector<std::optional<Pace>> paces;
  const auto results = run(session, programs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) {
      paces.emplace_back();
      continue;
    }
    const auto accesses = static_cast<double>(programs[i].accesses);
    const auto per_access = [&](double cycles) { return (cycles - results[i]->overhead) / accesses; };
    const auto [low, high] = std::ranges::minmax(results[i]->cycles);
    paces.push_back(Pace{per_access(analysis::median(results[i]->cycles)), per_access(low), per_access(high),
                         results[i]->cycles.size()});
  }
  return paces;
}

std::vector<std::optional<Pace>> steady_pace(const Session& session, std::span<const Program> programs) {
  std::vector<Program> both(programs.begin(), programs.end());
  for (Program program : programs) {
    program.accesses *= 2;
    both.push_back(std::move(program));
  }
  const auto results = run(session, both);
  std::vector<std::optional<Pace>> paces;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const auto& once = results[i];
    const auto& twice = results[i + programs.size()];
    if (!once || !twice) {
      paces.emplace_back();
      continue;
    }
    const auto accesses = static_cast<double>(programs[i].accesses);
    const double middle = analysis::median(once->cycles);
    const auto [low, high] = std::ranges::minmax(twice->cycles);
    paces.push_back(Pace{(analysis::median(twice->cycles) - middle) / accesses, (low - middle) / accesses,
                         (high - middle) / accesses, std::min(once->cycles.size(), twice->cycles.size())});
  }
  return paces;
}

std::vector<Pace> certain_pace(const Session& session, std::span<const Program> programs) {
  std::vector<Pace> paces;
  for (const auto& one : steady_pace(session, programs)) {
    if (!one) throw Refused(TOMOGRAPH_UNSUPPORTED, "the device refuses a small experiment on shared memory");
    paces.push_back(*one);
  }
  return paces;
}

void expect_shared_memory(const Session& session) {
  const std::vector smallest{shared_access::encode(Program{.accesses = 1, .bytes = 64})};
  const Answer answer = session.execute(smallest).front();
  if (answer.status == TOMOGRAPH_UNSUPPORTED) throw Skip("device", answer.reason);
  if (answer.status != TOMOGRAPH_OK) throw Refused(answer.status, answer.reason);
}

}  // namespace tomograph::shared_memory
