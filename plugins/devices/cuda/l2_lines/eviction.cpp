#include "cuda/l2_lines/eviction.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "tomograph/session.hpp"

namespace tomograph::cuda {

namespace {

/// Late targets that are kept: 8 MiB.
constexpr std::uint32_t most_late = std::uint32_t{1} << 20;

/// Appends runs as the kernel reads them. Returns the place of the first one.
std::uint32_t append(const std::vector<l2_lines::Run>& runs, std::vector<LineRun>& all) {
  const auto first = static_cast<std::uint32_t>(all.size());
  for (const auto& run : runs) {
    all.push_back({static_cast<std::uint32_t>(run.first), static_cast<std::uint32_t>(run.count)});
  }
  return first;
}

/// The tests of a program as the kernel reads them.
struct Tasks {
  std::vector<EvictionTestTask> tests;
  std::vector<LineRun> target_runs;
  std::vector<LineRun> walk_runs;
  std::uint32_t targets = 0;

  explicit Tasks(const l2_lines::Evictions& program) {
    for (const auto& test : program.tests) {
      const auto count = static_cast<std::uint32_t>(size_of(test.targets));
      tests.push_back({.first_target_run = append(test.targets, target_runs),
                       .target_runs = static_cast<std::uint32_t>(test.targets.size()),
                       .targets = count,
                       .first_target = targets,
                       .first_walk_run = append(test.walk, walk_runs),
                       .walk_runs = static_cast<std::uint32_t>(test.walk.size())});
      targets += count;
    }
  }
};

l2_lines::EvictionResult result_of(std::vector<LateTarget> late, std::uint32_t overhead) {
  std::ranges::sort(late, {}, &LateTarget::number);
  l2_lines::EvictionResult result;
  for (const LateTarget& target : late) {
    result.late.push_back(target.number);
    result.latency.push_back(target.cycles - overhead);
  }
  return result;
}

std::uint32_t united(const std::vector<std::int64_t>& some, const std::vector<std::int64_t>& others) {
  std::set<std::int64_t> all(some.begin(), some.end());
  all.insert(others.begin(), others.end());
  return static_cast<std::uint32_t>(all.size());
}

}  // namespace

l2_lines::EvictionResult L2Eviction::run(const l2_lines::Evictions& program) {
  memory_->provide(program.memory);
  const auto observers = memory_->ranks(memory_->named(program.observers));
  const auto walkers = memory_->ranks(memory_->named(program.walkers));
  const Tasks tasks(program);
  const cudaStream_t stream = memory_->stream();
  tests_.send(tasks.tests, stream);
  target_runs_.send(tasks.target_runs, stream);
  walk_runs_.send(tasks.walk_runs, stream);
  observers_.send(observers, stream);
  walkers_.send(walkers, stream);
  late_.make_room(std::min(tasks.targets, most_late));
  counts_.clear(1, stream);
  const auto overhead = static_cast<std::uint32_t>(std::lround(overhead_));
  const EvictionTask task{.base = memory_->base(),
                          .line_size = static_cast<std::uint64_t>(program.memory.line_size),
                          .tests = tests_.data(),
                          .target_runs = target_runs_.data(),
                          .walk_runs = walk_runs_.data(),
                          .observers = observers_.data(),
                          .walkers = walkers_.data(),
                          .late = late_.data(),
                          .counts = counts_.data(),
                          .late_room = std::min(tasks.targets, most_late),
                          .test_count = static_cast<std::uint32_t>(tasks.tests.size()),
                          .step = static_cast<std::uint32_t>(program.step % program.memory.lines()),
                          .line_mask = static_cast<std::uint32_t>(program.memory.lines() - 1),
                          .page_mask = static_cast<std::uint32_t>(program.memory.lines_per_page() - 1),
                          .walks = static_cast<std::uint32_t>(program.walks),
                          .limit = static_cast<std::uint32_t>(program.limit) + overhead,
                          .observer_count = static_cast<std::uint32_t>(program.observers.size()),
                          .walker_count = static_cast<std::uint32_t>(program.walkers.size()),
                          .participants = united(program.observers, program.walkers),
                          .sms = memory_->sm_count()};
  constexpr std::uint32_t fixed = 2 * most_runs * sizeof(LineRun) + 16;
  check(launch_evictions(task, memory_->all_shared(fixed), stream), "launching a kernel");
  const EvictionCounts counted = counts_.fetch(stream).front();
  if (counted.finished != task.participants) {
    throw std::runtime_error("not each SM had one CTA at the same time; other processes may use the device");
  }
  if (counted.late > task.late_room) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "at most " + std::to_string(most_late) + " targets may be late");
  }
  return result_of(late_.fetch(counted.late, stream), overhead);
}

std::vector<Answer> L2Eviction::execute(std::span<const Experiment> batch) {
  return answer_each(batch, [this](const Experiment& experiment) {
    const auto program = l2_lines::decode_evictions(experiment);
    if (const auto why = violation(program)) throw std::invalid_argument(*why);
    return encode(run(program));
  });
}

}  // namespace tomograph::cuda
