#include "tomograph/kernel/kernel_trace.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <stdexcept>
#include <string>
#include <utility>

#include "tomograph/kernel/address_walk.hpp"

namespace tomograph::kernel {

namespace {

constexpr std::int32_t nothing = Instruction::no_need;

/// Writes the instructions of one warp.
class WarpWriter {
 public:
  WarpWriter(const Kernel& kernel, WarpPlace place)
      : kernel_(&kernel),
        is_needed_(needed_results(kernel)),
        unneeded_(unneeded_results(kernel)),
        results_(kernel.loop.size(), nothing),
        previous_(kernel.loop.size(), nothing),
        addresses_(kernel.loop.size()) {
    for (const Step& step : kernel.loop) {
      walks_.push_back(step.access ? std::optional<AddressWalk>(AddressWalk(kernel, step, place)) : std::nullopt);
    }
    const auto count = static_cast<std::size_t>(kernel.iterations * instructions_per_iteration(kernel));
    warp_.instructions.reserve(count);
  }

  Warp written() && {
    for (std::int64_t i = 0; i < kernel_->iterations; ++i) {
      for (std::size_t k = 0; k < kernel_->loop.size(); ++k) write(k);
      combine();
      chain(loop_instructions, nothing);
      previous_ = results_;
    }
    return std::move(warp_);
  }

 private:
  using Needs = std::array<std::int32_t, 3>;

  std::int32_t add(Instruction instruction) {
    warp_.instructions.push_back(instruction);
    return static_cast<std::int32_t>(warp_.instructions.size()) - 1;
  }

  /// `count` integer instructions, each of which needs the one before it. Returns the last one.
  std::int32_t chain(std::int64_t count, std::int32_t first_need) {
    std::int32_t last = first_need;
    for (std::int64_t i = 0; i < count; ++i)
      last = add({.operation = Operation::integer, .needs = {last, nothing, nothing}});
    return last;
  }

  /// Where in the warp's list the results of `needs` are produced; nothing for those of before the first iteration.
  [[nodiscard]] Needs positions(const std::vector<std::int64_t>& needs) const {
    Needs found{nothing, nothing, nothing};
    const auto steps = static_cast<std::int64_t>(kernel_->loop.size());
    std::size_t count = 0;
    for (const std::int64_t need : needs) {
      const auto& of = need < steps ? results_ : previous_;
      found[count++] = of[static_cast<std::size_t>(need % steps)];
    }
    return found;
  }

  void write(std::size_t k) {
    const Step& step = kernel_->loop[k];
    if (step.access) {
      results_[k] = write_access(k, step);
      return;
    }
    Needs needs = positions(step.needs);
    if (step.operation == Operation::shared_load && address_instructions(step) > 0) {
      const std::int32_t first = add({.operation = Operation::integer, .needs = needs});
      needs = {chain(address_instructions(step) - 1, first), nothing, nothing};
    }
    std::int32_t last =
        add({.operation = step.operation, .lanes = static_cast<std::uint8_t>(step.lanes), .needs = needs});
    for (std::int64_t i = 1; i < step.count; ++i) {
      last = add({.operation = step.operation,
                  .lanes = static_cast<std::uint8_t>(step.lanes),
                  .needs = {last, nothing, nothing}});
    }
    results_[k] = last;
  }

  /// The integer instructions that compute the address. Returns the last one.
  std::int32_t write_address(const Step& step) {
    const auto needs = address_needs(step);
    const auto* gather = std::get_if<Gather>(&step.access->pattern);
    const std::int32_t index = gather == nullptr ? nothing : results_[static_cast<std::size_t>(gather->index)];
    const std::int64_t own = address_instructions(step) - (needs.empty() ? 0 : 2);
    const std::int32_t last = chain(own, index);
    if (needs.empty()) return last;
    Needs combined = positions(needs);
    combined[2] = last;
    return chain(1, add({.operation = Operation::integer, .needs = combined}));
  }

  std::int32_t write_access(std::size_t k, const Step& step) {
    const auto* gather = std::get_if<Gather>(&step.access->pattern);
    const LaneAddresses* index = gather == nullptr ? nullptr : &addresses_[static_cast<std::size_t>(gather->index)];
    addresses_[k] = walks_[k]->next(index);
    Instruction access{.operation = step.operation,
                       .past_l1 = step.operation == Operation::load && step.access->cache == Cache::cg,
                       .needs = {write_address(step), nothing, nothing},
                       .first_sector = static_cast<std::uint32_t>(warp_.sectors.size()),
                       .returns = is_needed_[k]};
    if (step.operation != Operation::load && !step.needs.empty()) access.needs[1] = positions(step.needs)[0];
    const auto lanes = std::ranges::count_if(addresses_[k], [](const auto& address) { return address.has_value(); });
    access.lanes = static_cast<std::uint8_t>(lanes);
    if (lanes == 0) {
      access.operation = Operation::integer;
      access.lanes = static_cast<std::uint8_t>(warp_lanes);
    }
    access.sector_count = add_sectors(addresses_[k]);
    access.fills_sectors = lanes * step.access->element >= std::int64_t{sector_bytes} * access.sector_count;
    if (access.operation == Operation::load) access.bank_words = bank_words_of(addresses_[k], step.access->element);
    return add(access);
  }

  /// Appends the distinct sectors in the order of the lanes. Returns their number. Most are seen to be new by a hash,
  /// without a search.
  std::uint32_t add_sectors(const LaneAddresses& addresses) {
    constexpr std::size_t hashes = 512;  // many more than lanes
    std::bitset<hashes> known;
    const auto first = static_cast<std::ptrdiff_t>(warp_.sectors.size());
    for (const auto& address : addresses) {
      if (!address) continue;
      const std::uint64_t sector = *address / sector_bytes;
      const std::size_t hash = (sector ^ sector >> 9) % hashes;
      const auto begin = warp_.sectors.begin() + first;
      if (known[hash] && std::find(begin, warp_.sectors.end(), sector) != warp_.sectors.end()) continue;
      known.set(hash);
      warp_.sectors.push_back(sector);
    }
    return static_cast<std::uint32_t>(warp_.sectors.size() - static_cast<std::size_t>(first));
  }

  static std::uint8_t bank_words_of(const LaneAddresses& addresses, std::int64_t element) {
    std::array<std::uint64_t, std::tuple_size_v<LaneAddresses>> active{};
    std::size_t count = 0;
    for (const auto& address : addresses) {
      if (address) active[count++] = *address;
    }
    return bank_words(std::span(active).first(count), static_cast<std::uint32_t>(element));
  }

  /// One integer instruction for every two results that nothing needs.
  void combine() {
    std::int32_t last = nothing;
    for (std::size_t i = 0; i < unneeded_.size(); i += 2) {
      Needs needs{last, results_[static_cast<std::size_t>(unneeded_[i])], nothing};
      if (i + 1 < unneeded_.size()) needs[2] = results_[static_cast<std::size_t>(unneeded_[i + 1])];
      last = add({.operation = Operation::integer, .needs = needs});
    }
  }

  const Kernel* kernel_;
  std::vector<bool> is_needed_;
  std::vector<std::int64_t> unneeded_;
  std::vector<std::int32_t> results_;   ///< positions by instruction of the loop, this iteration
  std::vector<std::int32_t> previous_;  ///< the same of the iteration before
  std::vector<LaneAddresses> addresses_;
  std::vector<std::optional<AddressWalk>> walks_;
  Warp warp_;
};

}  // namespace

KernelTrace::KernelTrace(std::string name, Kernel kernel) : kernel_(std::move(kernel)) {
  if (const auto broken = violation(kernel_)) throw std::invalid_argument(to_string(*broken));
  const std::int64_t count = kernel_.iterations * instructions_per_iteration(kernel_);
  if (count > most_traced_instructions) {
    throw std::invalid_argument("a warp executes " + std::to_string(count) +
                                " instructions, more than can be traced (" + std::to_string(most_traced_instructions) +
                                "); reduce iterations");
  }
  launch_ = {.name = std::move(name),
             .ctas = static_cast<std::uint32_t>(kernel_.ctas),
             .warps_per_cta = static_cast<std::uint32_t>(kernel_.warps),
             .ctas_per_sm = static_cast<std::uint32_t>(kernel_.ctas_per_sm),
             .footprint = static_cast<std::uint64_t>(kernel_.footprint),
             .iterations = static_cast<std::uint32_t>(kernel_.iterations)};
}

Warp KernelTrace::warp(std::uint32_t cta, std::uint32_t warp) const {
  return WarpWriter(kernel_, {.cta = cta, .warp = warp}).written();
}

}  // namespace tomograph::kernel
