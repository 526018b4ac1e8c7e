#include <algorithm>
#include <bit>

#include "tomograph/kernel.hpp"

namespace tomograph::kernel {

namespace {

using Broken = std::optional<Violation>;

/// Limits of the format, as in tomograph/abi/kernel.h.
constexpr std::int64_t most_ctas = std::int64_t{1} << 24;
constexpr std::int64_t most_iterations = std::int64_t{1} << 24;
constexpr std::int64_t most_bytes = std::int64_t{1} << 40;
constexpr std::int64_t most_elements = std::int64_t{1} << 31;
constexpr std::int64_t most_blocks = (std::int64_t{1} << 32) - 1;
constexpr std::int64_t most_steps = 64;
constexpr std::int64_t most_count = 256;
constexpr std::int64_t most_instructions = 1024;
constexpr std::int64_t sector = 32;

/// Checks the fields of one instruction, or of the kernel as a whole. The first broken rule counts.
class Rules {
 public:
  explicit Rules(std::int64_t step) : step_(step) {}

  Rules& expect(bool holds, const char* field, std::string rule) {
    if (!holds && !broken_) broken_ = Violation{step_, field, std::move(rule)};
    return *this;
  }
  Rules& in(const char* field, std::int64_t value, std::int64_t low, std::int64_t high) {
    return expect(value >= low && value <= high, field,
                  "is " + std::to_string(value) + ", expected " + std::to_string(low) + " to " + std::to_string(high));
  }
  Rules& power_of_two(const char* field, std::int64_t value, std::int64_t low, std::int64_t high) {
    in(field, value, low, high);
    return expect(value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value)), field,
                  "is " + std::to_string(value) + ", expected a power of 2");
  }
  Rules& multiple(const char* field, std::int64_t value, std::int64_t of) {
    return expect(value % of == 0, field,
                  "is " + std::to_string(value) + ", expected a multiple of " + std::to_string(of));
  }
  [[nodiscard]] Broken broken() const { return broken_; }

 private:
  std::int64_t step_;
  Broken broken_;
};

Broken launch_violation(const Kernel& kernel) {
  const auto steps = static_cast<std::int64_t>(kernel.loop.size());
  Rules rules(-1);
  rules.in("warps", kernel.warps, 1, 32)
      .in("ctas", kernel.ctas, 1, most_ctas)
      .in("ctas_per_sm", kernel.ctas_per_sm, 1, 64)
      .in("iterations", kernel.iterations, 1, most_iterations)
      .in("footprint", kernel.footprint, sector, most_bytes)
      .multiple("footprint", kernel.footprint, 4)
      .in("warm_passes", kernel.warm_passes, 0, 1024)
      .expect(kernel.carveout >= -1, "carveout", "is negative")
      .in("instruction", steps, 1, most_steps)
      .in("timed", kernel.timed, -1, steps - 1);
  auto sms = kernel.sms;
  std::ranges::sort(sms);
  rules.expect(sms.empty() || sms.front() >= 0, "sm", "has a negative number")
      .expect(std::ranges::adjacent_find(sms) == sms.end(), "sm", "names an SM twice");
  if (rules.broken()) return rules.broken();
  const Step* timed = kernel.timed < 0 ? nullptr : &kernel.loop[static_cast<std::size_t>(kernel.timed)];
  rules.expect(timed == nullptr || timed->operation == Operation::load, "timed", "is no load");
  return rules.broken();
}

bool repeats(Operation operation) { return operation <= Operation::special; }

std::size_t allowed_needs(Operation operation) {
  switch (operation) {
    case Operation::integer:
    case Operation::fp32:
    case Operation::fp64: return 3;
    case Operation::load:
    case Operation::store:
    case Operation::atomic: return 2;
    case Operation::barrier: return 0;
    default: return 1;
  }
}

void check_needs(Rules& rules, const Kernel& kernel, std::int64_t k) {
  const Step& step = kernel.loop[static_cast<std::size_t>(k)];
  const auto steps = static_cast<std::int64_t>(kernel.loop.size());
  rules.expect(step.needs.size() <= allowed_needs(step.operation), "needs",
               "names " + std::to_string(step.needs.size()) + " results, expected at most " +
                   std::to_string(allowed_needs(step.operation)));
  rules.expect(step.operation != Operation::special || !step.needs.empty(), "needs",
               "is empty, but a special function needs a result");
  for (const std::int64_t need : step.needs) {
    rules.in("needs", need, 0, 2 * steps - 1);
    if (rules.broken()) return;
    rules.expect(
        need < k || need >= steps, "needs",
        "is cyclic: it names an instruction of the same iteration that does not come before; an instruction of the "
        "previous iteration goes under previous");
    rules.expect(has_result(kernel.loop[static_cast<std::size_t>(need % steps)]), "needs",
                 "names an instruction without a result");
  }
}

/// Whether a store or an atomic changes memory that `read` reads.
bool is_written(const Kernel& kernel, const Access& read) {
  return std::ranges::any_of(kernel.loop, [&](const Step& step) {
    return step.access && step.operation != Operation::load && step.access->base < read.base + read.span &&
           read.base < step.access->base + step.access->span;
  });
}

/// Rules of each pattern.
class PatternRules {
 public:
  PatternRules(Rules& rules, const Kernel& kernel, std::int64_t k, const Access& access)
      : rules_(&rules), kernel_(&kernel), k_(k), access_(&access) {}

  void operator()(const Stride& p) const {
    const std::int64_t last = access_->elements() - 1;
    rules_->in("lane_stride", p.lane_stride, 0, last)
        .in("warp_stride", p.warp_stride, 0, last)
        .in("iteration_stride", p.iteration_stride, 0, last)
        .in("offset", p.offset, 0, last);
  }
  void operator()(const Hash& p) const {
    rules_->power_of_two("group", p.group, 1, warp_lanes)
        .power_of_two("block", p.block, sector, 4096)
        .in("seed", p.seed, 0, (std::int64_t{1} << 32) - 1)
        .expect(p.block >= p.group * access_->element, "block", "is smaller than the elements of a group")
        .expect(access_->span >= p.block, "span", "holds no block")
        .expect(access_->span / std::max<std::int64_t>(p.block, 1) <= most_blocks, "span", "holds 2^32 blocks or more");
  }
  void operator()(const Gather& p) const {
    rules_->in("index", p.index, 0, k_ - 1);
    if (rules_->broken()) return;
    const Step& index = kernel_->loop[static_cast<std::size_t>(p.index)];
    rules_->expect(index.operation == Operation::load && index.access && index.access->element == 4, "index",
                   "names no load of 4 bytes");
    if (rules_->broken()) return;
    rules_->expect(!is_written(*kernel_, *index.access), "index", "names a load of memory that the kernel writes");
  }
  void operator()(const Stencil& p) const {
    rules_->in("width", p.width, warp_lanes, access_->elements())
        .multiple("width", p.width, warp_lanes)
        .in("dx", p.dx, -16, 16)
        .in("dy", p.dy, -16, 16)
        .expect(access_->elements() >= 17 * p.width, "span", "holds fewer than 17 rows");
  }
  void operator()(const Csr& p) const {
    rules_->in("row", p.row, 2, 4096)
        .expect((kernel_->threads() + 1) * p.row <= access_->elements(), "span", "does not hold a row for each thread");
  }
  void operator()(const Column& p) const {
    rules_->in("width", p.width, 1, access_->elements())
        .expect(access_->elements() % p.width == 0, "span", "does not consist of whole rows");
  }

 private:
  Rules* rules_;
  const Kernel* kernel_;
  std::int64_t k_;
  const Access* access_;
};

void check_access(Rules& rules, const Kernel& kernel, std::int64_t k, const Access& access) {
  rules.power_of_two("element", access.element, 1, 16)
      .in("base", access.base, 0, kernel.footprint - sector)
      .multiple("base", access.base, sector)
      .in("span", access.span, sector, kernel.footprint - access.base)
      .multiple("span", access.span, sector);
  if (rules.broken()) return;
  const bool is_random = std::holds_alternative<Hash>(access.pattern);
  rules.expect(is_random || access.elements() <= most_elements, "span", "holds more than 2^31 elements");
  std::visit(PatternRules(rules, kernel, k, access), access.pattern);
}

Broken step_violation(const Kernel& kernel, std::int64_t k) {
  const Step& step = kernel.loop[static_cast<std::size_t>(k)];
  Rules rules(k);
  rules.in("count", step.count, 1, repeats(step.operation) ? most_count : 1).in("lanes", step.lanes, 1, warp_lanes);
  check_needs(rules, kernel, k);
  if (rules.broken() || !step.access) return rules.broken();
  rules.expect(step.operation != Operation::atomic || step.access->element == 4, "element",
               "of an atomic is not 4 bytes");
  check_access(rules, kernel, k, *step.access);
  return rules.broken();
}

}  // namespace

std::optional<Violation> violation(const Kernel& kernel) {
  if (auto broken = launch_violation(kernel)) return broken;
  std::int64_t instructions = 0;
  for (std::int64_t k = 0; k < static_cast<std::int64_t>(kernel.loop.size()); ++k) {
    if (auto broken = step_violation(kernel, k)) return broken;
    instructions += kernel.loop[static_cast<std::size_t>(k)].count;
  }
  if (instructions <= most_instructions) return std::nullopt;
  return Violation{-1, "count", "adds up to " + std::to_string(instructions) + " instructions, expected at most 1024"};
}

std::string to_string(const Violation& violation) {
  const std::string where = violation.step < 0 ? "" : "instruction " + std::to_string(violation.step) + ": ";
  return where + violation.field + " " + violation.rule;
}

}  // namespace tomograph::kernel
