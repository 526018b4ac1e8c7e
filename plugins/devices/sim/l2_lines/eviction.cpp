#include "sim/l2_lines/eviction.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/chase/cache_state.hpp"
#include "sim/chase/noise.hpp"
#include "sim/experiment_noise.hpp"
#include "sim/l2_lines/pages.hpp"

namespace tomograph::sim {

namespace {

/// The odd number whose product with an odd `number` is 1 modulo 2^64: each step doubles the bits that are right, of
/// which there are three at first (Newton's method).
std::uint64_t inverse(std::uint64_t number) {
  std::uint64_t result = number;
  for (int bits = 3; bits < 64; bits *= 2) result *= 2 - number * result;
  return result;
}

/// The lines of the L2 that an experiment loads, numbered in the order of their first use. Numbers are looked up by
/// place, since walks visit places in order: memory is then read in order, too.
class UsedLines {
 public:
  /// `numbers` holds zeros, and will again when this object ends.
  UsedLines(const Hierarchy& hierarchy, const Options& options, const l2_lines::Evictions& program,
            std::vector<std::uint32_t>& numbers)
      : hierarchy_(&hierarchy),
        options_(&options),
        program_(&program),
        lines_in_one_(std::max(hierarchy.gpu.l2.cache.line_size / program.memory.line_size, std::int64_t{1})),
        back_(inverse(static_cast<std::uint64_t>(program.step))),
        numbers_(&numbers) {
    numbers.resize(std::max(numbers.size(), static_cast<std::size_t>(program.memory.lines())));
  }
  UsedLines(const UsedLines&) = delete;
  UsedLines& operator=(const UsedLines&) = delete;
  ~UsedLines() {
    for (const std::size_t place : places_) (*numbers_)[place] = 0;
  }

  std::uint32_t number_at(std::int64_t place) {
    if (lines_in_one_ > 1) place = place_of(program_->line_at(place) / lines_in_one_ * lines_in_one_);
    std::uint32_t& number = (*numbers_)[static_cast<std::size_t>(place)];
    if (number == 0) number = add(place);
    return number - 1;
  }
  std::uint32_t number_of(std::int64_t line) { return number_at(place_of(line)); }

  [[nodiscard]] std::span<const std::uint32_t> sets() const { return sets_; }
  [[nodiscard]] std::uint32_t home(std::uint32_t number) const { return homes_[number]; }
  [[nodiscard]] std::uint32_t slice(std::uint32_t number) const { return slices_[number]; }

 private:
  [[nodiscard]] std::int64_t place_of(std::int64_t line) const {
    const auto lines = static_cast<std::uint64_t>(program_->memory.lines());
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(line) * back_ % lines);
  }

  /// Returns its number plus one.
  std::uint32_t add(std::int64_t place) {
    const std::uint64_t address = physical_address(*hierarchy_, *options_, program_->memory, program_->line_at(place));
    places_.push_back(static_cast<std::size_t>(place));
    sets_.push_back(hierarchy_->l2_set(address));
    homes_.push_back(hierarchy_->home(address));
    slices_.push_back(hierarchy_->slice_of(address));
    return static_cast<std::uint32_t>(places_.size());
  }

  const Hierarchy* hierarchy_;
  const Options* options_;
  const l2_lines::Evictions* program_;
  std::int64_t lines_in_one_;            ///< lines of the experiment that a line of the L2 holds
  std::uint64_t back_;                   ///< from lines to places
  std::vector<std::uint32_t>* numbers_;  ///< by place of the first line of a line of the L2: its number plus one, or 0
  std::vector<std::size_t> places_;      ///< by number, as are the following
  std::vector<std::uint32_t> sets_;
  std::vector<std::uint32_t> homes_;
  std::vector<std::uint32_t> slices_;
};

/// The L2 during an experiment.
class Loads {
 public:
  Loads(const Hierarchy& hierarchy, const Options& options, const UsedLines& lines, Random random)
      : hierarchy_(&hierarchy),
        lines_(&lines),
        noisy_(options.noise),
        random_(random),
        outliers_(options.noise ? hierarchy.gpu.noise : Noise{}, random_),
        partitions_(static_cast<std::size_t>(hierarchy.gpu.l2.partitions)) {
    const Organisation& organisation = hierarchy.l2_organisation;
    rule_ = organisation.eviction_rule();
    for (CacheState& partition : partitions_) {
      partition.reset(organisation, lines.sets(), rule_, Random(random_.next()));
    }
    for (std::int64_t sm = 0; sm < hierarchy.gpu.sm_count; ++sm) {
      near_.push_back(hierarchy.partition_of(sm));
      distances_.push_back(hierarchy.distances(sm));
    }
  }

  /// Cycles that a load by an SM takes, with the noise of timing.
  std::uint32_t time(std::uint32_t line, std::int64_t sm) {
    const auto [cycles, level] = load(line, sm);
    const std::int64_t mean = cycles + distances_[static_cast<std::size_t>(sm)][lines_->slice(line)];
    if (!noisy_) return static_cast<std::uint32_t>(mean);
    const std::int64_t late = hierarchy_->jitter.draw(level, random_) + std::int64_t{outliers_.next(random_)};
    return static_cast<std::uint32_t>(std::max<std::int64_t>(mean + late, 1));
  }

  struct Served {
    std::int64_t cycles;
    Level level;
  };
  Served load(std::uint32_t line, std::int64_t sm) {
    const Gpu& gpu = hierarchy_->gpu;
    const std::uint32_t partition = near_[static_cast<std::size_t>(sm)];
    const std::uint32_t home = lines_->home(line);
    const bool far = home != partition;
    if ((!far || gpu.l2.replicate) && use(partition, line)) return {gpu.l2.latency, Level::l2};
    if (!far) return {gpu.dram.latency, Level::dram};
    if (use(home, line)) return {gpu.l2.far_latency, Level::l2};
    return {gpu.dram.far_latency, Level::dram};
  }

 private:
  /// Whether the partition held the line. Now it does.
  bool use(std::uint32_t partition, std::uint32_t line) {
    return with_rule(rule_, [&](auto rule) { return partitions_[partition].template use<rule()>(line, 1, 1) != 0; });
  }

  const Hierarchy* hierarchy_;
  const UsedLines* lines_;
  bool noisy_;
  Random random_;
  Outliers outliers_;
  Rule rule_ = Rule::no_eviction;
  std::vector<CacheState> partitions_;
  std::vector<std::uint32_t> near_;                   ///< by SM: its partition
  std::vector<std::vector<std::int32_t>> distances_;  ///< by SM and slice
};

/// Calls `visit` for all elements of runs, in order.
template <typename Visit>
void for_each_of(const std::vector<l2_lines::Run>& runs, Visit visit) {
  for (const auto& run : runs) {
    for (std::int64_t element = run.first; element < run.first + run.count; ++element) visit(element);
  }
}

/// Calls `visit` for all targets, in order, with the SM that loads each.
template <typename Visit>
void for_each_target(const l2_lines::Evictions& program, const l2_lines::EvictionTest& test, Visit visit) {
  const std::int64_t observers = std::ssize(program.observers);
  const std::int64_t share = (size_of(test.targets) + observers - 1) / observers;
  std::int64_t target = 0;
  for_each_of(test.targets,
              [&](std::int64_t line) { visit(line, program.observers[static_cast<std::size_t>(target++ / share)]); });
}

}  // namespace

l2_lines::EvictionResult L2Eviction::run(const l2_lines::Evictions& program, const Experiment& experiment) {
  const Gpu& gpu = hierarchy_->gpu;
  if (program.observers.back() >= gpu.sm_count || program.walkers.back() >= gpu.sm_count) {
    throw std::invalid_argument("the program names an SM that the device does not have");
  }
  UsedLines used(*hierarchy_, options_, program, numbers_);
  for (const auto& test : program.tests) {
    for_each_of(test.targets, [&](std::int64_t line) { used.number_of(line); });
    for_each_of(test.walk, [&](std::int64_t place) { used.number_at(place); });
  }
  Loads loads(*hierarchy_, options_, used, Random(noise_seed(experiment, options_)));
  l2_lines::EvictionResult result;
  std::uint32_t target = 0;
  for (const auto& test : program.tests) {
    for (int load = 0; load < 2; ++load) {
      for_each_target(program, test, [&](std::int64_t line, std::int64_t sm) { loads.load(used.number_of(line), sm); });
    }
    for (std::int64_t walk = 0; walk < program.walks; ++walk) {
      std::size_t turn = 0;
      for_each_of(test.walk, [&](std::int64_t place) {
        loads.load(used.number_at(place), program.walkers[turn++ % program.walkers.size()]);
      });
    }
    for_each_target(program, test, [&](std::int64_t line, std::int64_t sm) {
      const std::uint32_t cycles = loads.time(used.number_of(line), sm);
      if (cycles > program.limit) {
        result.late.push_back(target);
        result.latency.push_back(cycles);
      }
      ++target;
    });
  }
  return result;
}

std::vector<Answer> L2Eviction::execute(std::span<const Experiment> batch) {
  return answer_each(batch, [this](const Experiment& experiment) {
    const auto program = l2_lines::decode_evictions(experiment);
    if (const auto why = violation(program)) throw std::invalid_argument(*why);
    return encode(run(program, experiment));
  });
}

}  // namespace tomograph::sim
