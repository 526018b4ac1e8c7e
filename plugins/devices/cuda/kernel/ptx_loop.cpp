#include "cuda/kernel/ptx_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cuda/kernel/ptx.hpp"

namespace tomograph::cuda {

namespace {

using kernel::Cache;
using kernel::Gather;
using kernel::Operation;

constexpr std::int64_t warp_lanes = kernel::warp_lanes;
constexpr std::int64_t word = 4;

const char* cache_operator(Cache cache) {
  switch (cache) {
    case Cache::ca: return ".ca";
    case Cache::cg: return ".cg";
    case Cache::nc: return ".nc";
  }
  return "";
}

/// Type and registers of `element` bytes. Further words of wide elements are in v<k>_1 and so on.
std::string loaded(std::int64_t element, std::size_t k) {
  switch (element) {
    case 8: return fmt::format(".v2.u32 {{v{0}, v{0}_1}}", k);
    case 16: return fmt::format(".v4.u32 {{v{0}, v{0}_1, v{0}_2, v{0}_3}}", k);
    default: return fmt::format(".u{} v{}", 8 * element, k);
  }
}

std::string type_of(std::int64_t element) {
  switch (element) {
    case 8: return ".v2.u32";
    case 16: return ".v4.u32";
    default: return fmt::format(".u{}", 8 * element);
  }
}

std::string stored(std::int64_t element, const std::string& value) {
  switch (element) {
    case 8: return fmt::format("{{{0}, {0}}}", value);
    case 16: return fmt::format("{{{0}, {0}, {0}, {0}}}", value);
    default: return value;
  }
}

}  // namespace

LoopCode::LoopCode(const kernel::Kernel& kernel, const AddressCode& addresses)
    : kernel_(&kernel),
      addresses_(&addresses),
      is_needed_(kernel::needed_results(kernel)),
      is_needed_later_(kernel.loop.size()) {
  const auto steps = static_cast<std::int64_t>(kernel.loop.size());
  for (std::int64_t k = 0; k < steps; ++k) {
    for (const std::int64_t need : step(static_cast<std::size_t>(k)).needs) {
      if (need >= steps && need - steps < k) is_needed_later_[static_cast<std::size_t>(need - steps)] = true;
    }
  }
}

std::string LoopCode::operand(std::size_t k, std::int64_t need) const {
  const auto steps = static_cast<std::int64_t>(kernel_->loop.size());
  if (need < steps) return fmt::format("v{}", need);
  const std::int64_t from = need - steps;
  return fmt::format("{}{}", from < static_cast<std::int64_t>(k) ? "old" : "v", from);
}

std::vector<std::string> LoopCode::operands(std::size_t k, const std::vector<std::int64_t>& needs) const {
  std::vector<std::string> names;
  for (const std::int64_t need : needs) names.push_back(operand(k, need));
  return names;
}

std::string LoopCode::registers() const {
  std::string text;
  for (std::int64_t lanes = 1; lanes < warp_lanes; ++lanes) text += fmt::format(".reg .pred lanes{};\n", lanes);
  for (std::size_t k = 0; k < kernel_->loop.size(); ++k) {
    text += fmt::format(".reg .b32 v{0}, v{0}_1, v{0}_2, v{0}_3, old{0}, shared{0};\n", k);
    text += fmt::format(".reg .b64 d{0}, d{0}_a, d{0}_b, d{0}_c;\n.reg .pred takes_part{0};\n", k);
  }
  return text;
}

std::string LoopCode::once() const {
  std::string text;
  for (std::int64_t lanes = 1; lanes < warp_lanes; ++lanes) {
    const auto has_them = [lanes](const kernel::Step& one) { return one.lanes == lanes; };
    if (std::ranges::none_of(kernel_->loop, has_them)) continue;
    text += fmt::format("setp.lt.u32 lanes{0}, lane, {0};\n", lanes);
  }
  for (std::size_t k = 0; k < kernel_->loop.size(); ++k) text += fmt::format("add.u32 v{0}, tid, {0};\n", k);
  return text;
}

std::string LoopCode::body() const {
  std::string text;
  for (std::size_t k = 0; k < kernel_->loop.size(); ++k) {
    if (is_needed_later_[k]) text += fmt::format("mov.b32 old{0}, v{0};\n", k);
    text += instruction(k);
  }
  const auto unneeded = kernel::unneeded_results(*kernel_);
  for (std::size_t i = 0; i + 1 < unneeded.size(); i += 2) {
    constexpr const char* exclusive_or = "0x96";  // a ^ b ^ c as a truth table of lop3
    text += fmt::format("lop3.b32 combined, combined, v{}, v{}, {};\n", unneeded[i], unneeded[i + 1], exclusive_or);
  }
  if (unneeded.size() % 2 != 0) text += fmt::format("xor.b32 combined, combined, v{};\n", unneeded.back());
  return text;
}

std::string LoopCode::combine_all() const {
  std::string text;
  for (std::size_t k = 0; k < kernel_->loop.size(); ++k) {
    if (!has_result(step(k))) continue;
    text += fmt::format("xor.b32 combined, combined, v{};\n", k);
    const std::int64_t words = step(k).access ? step(k).access->element / word : 1;
    for (std::int64_t i = 1; i < words; ++i) text += fmt::format("xor.b32 combined, combined, v{}_{};\n", k, i);
  }
  return text;
}

std::string LoopCode::guard(std::size_t k) const {
  const auto& access = step(k).access;
  if (access && std::holds_alternative<kernel::Csr>(access->pattern)) {
    return step(k).lanes == warp_lanes ? fmt::format("@active{} ", k) : fmt::format("@takes_part{} ", k);
  }
  if (access && std::holds_alternative<Gather>(access->pattern)) {
    std::string of_index = guard(static_cast<std::size_t>(std::get<Gather>(access->pattern).index));
    if (step(k).lanes == warp_lanes) return of_index;
    if (!of_index.empty()) return fmt::format("@takes_part{} ", k);
  }
  return step(k).lanes == warp_lanes ? std::string() : fmt::format("@lanes{} ", step(k).lanes);
}

std::string LoopCode::instruction(std::size_t k) const {
  switch (step(k).operation) {
    case Operation::integer: return arithmetic(k, "mad.lo.u32", "0x{:x}");
    case Operation::fp32: return arithmetic(k, "fma.rn.f32", "0f3f8{:05x}");
    case Operation::fp64: return double_precision(k);
    case Operation::special: return special(k);
    case Operation::load: return load(k);
    case Operation::store: return store(k);
    case Operation::atomic: return atomic(k);
    case Operation::shared_load: return shared_load(k);
    case Operation::shared_store: return shared_store(k);
    case Operation::barrier: return "bar.sync 0;\n";
  }
  return {};
}

/// A chain of multiply-adds. An operand without a need is the number of the iteration, `factor`, or a constant that
/// differs from instruction to instruction, so that the compiler finds nothing to share.
std::string LoopCode::arithmetic(std::size_t k, const char* operation, const char* summand) const {
  const auto own = operands(k, step(k).needs);
  const std::string a = own.empty() ? "i" : own[0];
  const std::string b = own.size() > 1 ? own[1] : "factor";
  const std::string constant = fmt::format(fmt::runtime(summand), 0x101 + 2 * k);
  const std::string c = own.size() > 2 ? own[2] : constant;
  std::string text = fmt::format("{}{} v{}, {}, {}, {};\n", guard(k), operation, k, a, b, c);
  for (std::int64_t i = 1; i < step(k).count; ++i) {
    text += fmt::format("{0}{1} v{2}, v{2}, factor, {3};\n", guard(k), operation, k, constant);
  }
  return text;
}

std::string LoopCode::double_precision(std::size_t k) const {
  const auto own = operands(k, step(k).needs);
  const std::string a = own.empty() ? "i" : own[0];
  const std::string b = own.size() > 1 ? own[1] : "factor";
  std::string text = fmt::format("mov.b64 d{0}_a, {{{1}, {1}}};\nmov.b64 d{0}_b, {{{2}, {2}}};\n", k, a, b);
  if (own.size() > 2) text += fmt::format("mov.b64 d{0}_c, {{{1}, {1}}};\n", k, own[2]);
  const std::string constant = fmt::format("0d3ff00000{:08x}", k);
  const std::string c = own.size() > 2 ? fmt::format("d{}_c", k) : constant;
  text += fmt::format("{0}fma.rn.f64 d{1}, d{1}_a, d{1}_b, {2};\n", guard(k), k, c);
  for (std::int64_t i = 1; i < step(k).count; ++i) {
    text += fmt::format("{0}fma.rn.f64 d{1}, d{1}, d{1}_b, {2};\n", guard(k), k, constant);
  }
  return text + fmt::format("mov.b64 {{v{0}, v{0}_1}}, d{0};\n", k);
}

/// Instructions that need the same result use different functions, all of the same unit, for the same reason as above.
std::string LoopCode::special(std::size_t k) const {
  constexpr std::array<const char*, 4> functions{"ex2", "lg2", "rcp", "rsqrt"};
  const auto same = std::count_if(
      kernel_->loop.begin(), kernel_->loop.begin() + static_cast<std::ptrdiff_t>(k),
      [&](const kernel::Step& other) { return other.operation == Operation::special && other.needs == step(k).needs; });
  const char* function = functions[static_cast<std::size_t>(same) % functions.size()];
  std::string source = operand(k, step(k).needs.front());
  std::string text;
  for (std::int64_t i = 0; i < step(k).count; ++i) {
    text += fmt::format("{}{}.approx.ftz.f32 v{}, {};\n", guard(k), function, k, source);
    source = fmt::format("v{}", k);
  }
  return text;
}

std::string LoopCode::address(std::size_t k) const {
  std::string text = addresses_->in_iteration(k, operands(k, address_needs(step(k))));
  if (guard(k) != fmt::format("@takes_part{} ", k)) return text;
  const auto* gather = std::get_if<Gather>(&step(k).access->pattern);
  const std::string other =
      gather == nullptr ? fmt::format("active{}", k) : guard(static_cast<std::size_t>(gather->index)).substr(1);
  return text + fmt::format("and.pred takes_part{}, lanes{}, {};\n", k, step(k).lanes, other);
}

std::string LoopCode::load(std::size_t k) const {
  const kernel::Access& access = *step(k).access;
  const std::string load =
      fmt::format("{}ld.global{}{}, [a{}];\n", guard(k), cache_operator(access.cache), loaded(access.element, k), k);
  if (kernel_->timed != static_cast<std::int64_t>(k)) return address(k) + load + addresses_->advance(k);
  // The second clock is read after an instruction that needs the result.
  return address(k) + "mov.u64 begin, %clock64;\n" + load +
         fmt::format("setp.eq.u32 p, v{0}, unlikely;\n@p st.volatile.shared.u32 [shared_base+12], v{0};\n", k) +
         "mov.u64 now, %clock64;\nsub.u64 now, now, begin;\nadd.u64 latency, latency, now;\n" + addresses_->advance(k);
}

std::string LoopCode::store(std::size_t k) const {
  const kernel::Access& access = *step(k).access;
  const std::string value = step(k).needs.empty() ? "i" : operand(k, step(k).needs.front());
  return address(k) +
         fmt::format("{}st.global{} [a{}], {};\n", guard(k), type_of(access.element), k,
                     stored(access.element, value)) +
         addresses_->advance(k);
}

std::string LoopCode::atomic(std::size_t k) const {
  const std::string value = step(k).needs.empty() ? "1" : operand(k, step(k).needs.front());
  const std::string instruction = is_needed_[k] ? fmt::format("atom.global.add.u32 v{},", k) : "red.global.add.u32";
  return address(k) + fmt::format("{}{} [a{}], {};\n", guard(k), instruction, k, value) + addresses_->advance(k);
}

std::string LoopCode::shared_load(std::size_t k) const {
  std::string text;
  std::string address = "shared_at";
  if (!step(k).needs.empty()) {
    text = fmt::format("and.b32 shared{0}, {1}, zero;\nadd.u32 shared{0}, shared{0}, shared_at;\n", k,
                       operand(k, step(k).needs.front()));
    address = fmt::format("shared{}", k);
  }
  return text +
         fmt::format("{}ld.volatile.shared.u32 v{}, [{}+{}];\n", guard(k), k, address, word * kernel_shared_words);
}

std::string LoopCode::shared_store(std::size_t k) const {
  const std::string value = step(k).needs.empty() ? "i" : operand(k, step(k).needs.front());
  return fmt::format("{}st.volatile.shared.u32 [shared_at+{}], {};\n", guard(k), word * kernel_shared_words, value);
}

}  // namespace tomograph::cuda
