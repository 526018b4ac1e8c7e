#include "cuda/kernel/ptx_addresses.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <type_traits>

#include "cuda/kernel/task.hpp"

namespace tomograph::cuda {

namespace {

using kernel::Access;
using kernel::Column;
using kernel::Csr;
using kernel::Gather;
using kernel::Hash;
using kernel::Stencil;
using kernel::Stride;

template <typename Value>
std::string parameter(std::size_t k, Value value) {
  const std::size_t place = k * sizeof(KernelAccess) + offsetof(KernelAccess, values) +
                            static_cast<std::size_t>(value) * sizeof(std::uint32_t);
  return fmt::format("[accesses+{}]", place);
}

/// Sets `into` to a number of KernelAccess::values.
template <typename Value>
std::string load(const std::string& into, std::size_t k, Value value) {
  return fmt::format("ld.param.u32 {}, {};\n", into, parameter(k, value));
}

std::string load_elements(const std::string& into, std::size_t k) {
  return fmt::format("ld.param.u32 {}, [accesses+{}];\n", into,
                     k * sizeof(KernelAccess) + offsetof(KernelAccess, elements));
}

std::string load_base(const std::string& into, std::size_t k) {
  return fmt::format("ld.param.u64 {}, [accesses+{}];\n", into,
                     k * sizeof(KernelAccess) + offsetof(KernelAccess, base));
}

/// Adds `step` to a residue below `modulus`: the difference wraps around and is the larger one if there is no overflow.
std::string add_modulo(const std::string& residue, const std::string& step, const std::string& modulus) {
  return fmt::format("add.u32 {0}, {0}, {1};\nsub.u32 x, {0}, {2};\nmin.u32 {0}, {0}, x;\n", residue, step, modulus);
}

/// Sets `into` to a modulo elements<k>; b is lost.
std::string modulo(const std::string& into, std::size_t k) {
  return fmt::format("cvt.u64.u32 b, elements{0};\nrem.u64 a, a, b;\ncvt.u32.u64 {1}, a;\n", k, into);
}

/// mix of abi/kernel.h, in place; y is lost.
std::string mix(const std::string& value) {
  return fmt::format(
      "shr.u32 y, {0}, 16;\nxor.b32 {0}, {0}, y;\nmul.lo.u32 {0}, {0}, 0x85ebca6b;\n"
      "shr.u32 y, {0}, 13;\nxor.b32 {0}, {0}, y;\nmul.lo.u32 {0}, {0}, 0xc2b2ae35;\n"
      "shr.u32 y, {0}, 16;\nxor.b32 {0}, {0}, y;\n",
      value);
}

/// Sets `into` to the first element of the row x of a CSR pattern.
std::string row_begin(const std::string& into, std::size_t k) {
  return fmt::format("mov.u32 {0}, x;\n{1}mul.hi.u32 {0}, {0}, width{2};\nmad.lo.u32 {0}, x, width{2}, {0};\n", into,
                     mix(into), k);
}

struct Once {
  std::string operator()(std::size_t k, const Stride& /*pattern*/) const {
    return load(numbered("step", k), k, StrideValue::iteration_step) +
           load(numbered("cta_step", k), k, StrideValue::cta_step);
  }
  std::string operator()(std::size_t k, const Hash& /*pattern*/) const {
    return load(numbered("width", k), k, HashValue::block) + load("x", k, HashValue::group_mask) +
           fmt::format("and.b32 x, lane, x;\nmad.wide.u32 base{0}, x, {1}, base{0};\n", k, element);
  }
  std::string operator()(std::size_t /*k*/, const Gather& /*pattern*/) const { return {}; }
  std::string operator()(std::size_t k, const Stencil& /*pattern*/) const {
    return load(numbered("step", k), k, StencilValue::iteration_step) +
           load(numbered("cta_step", k), k, StencilValue::cta_step) +
           load(numbered("width", k), k, StencilValue::width) + load(numbered("tiles", k), k, StencilValue::tiles);
  }
  std::string operator()(std::size_t k, const Csr& /*pattern*/) const {
    return load(numbered("width", k), k, CsrValue::row);
  }
  std::string operator()(std::size_t k, const Column& /*pattern*/) const {
    return load(numbered("width", k), k, ColumnValue::width) + load(numbered("cta_step", k), k, ColumnValue::cta_step);
  }

  std::int64_t element = 4;
};

struct OfPlace {
  std::string operator()(std::size_t k, const Stride& /*pattern*/) const {
    return load("x", k, StrideValue::lane) + "mul.wide.u32 a, lane, x;\nmad.lo.u32 y, place, warps, warp;\n" +
           load("x", k, StrideValue::warp) + "mad.wide.u32 a, y, x, a;\n" + load("x", k, StrideValue::offset) +
           "cvt.u64.u32 b, x;\nadd.u64 a, a, b;\n" + modulo(numbered("start", k), k);
  }
  std::string operator()(std::size_t k, const Stencil& /*pattern*/) const {
    return fmt::format(
               "rem.u32 tile{0}, place, tiles{0};\ndiv.u32 x, place, tiles{0};\nmad.lo.u32 x, x, warps, warp;\n"
               "mul.wide.u32 a, x, width{0};\nmad.lo.u32 x, tile{0}, 32, lane;\ncvt.u64.u32 b, x;\nadd.u64 a, a, b;\n",
               k) +
           load("x", k, StencilValue::shift) + "cvt.u64.u32 b, x;\nadd.u64 a, a, b;\n" +
           modulo(numbered("start", k), k);
  }
  std::string operator()(std::size_t k, const Column& /*pattern*/) const {
    return fmt::format("mul.wide.u32 a, thread, width{0};\n", k) + modulo(numbered("start", k), k);
  }
  template <typename Other>
  std::string operator()(std::size_t /*k*/, const Other& /*pattern*/) const {
    return {};
  }
};

struct OfCta {
  std::string operator()(std::size_t k, const Stride& /*pattern*/) const { return copy(k); }
  std::string operator()(std::size_t k, const Stencil& /*pattern*/) const { return copy(k); }
  std::string operator()(std::size_t k, const Hash& /*pattern*/) const {
    return load("x", k, HashValue::group_shift) + fmt::format("shr.u32 element{0}, thread, x;\n", k) +
           load("x", k, HashValue::seed) + fmt::format("add.u32 element{0}, element{0}, x;\n", k) +
           mix(numbered("element", k));
  }
  std::string operator()(std::size_t /*k*/, const Gather& /*pattern*/) const { return {}; }
  std::string operator()(std::size_t k, const Csr& /*pattern*/) const {
    return "mov.u32 x, thread;\n" + row_begin(numbered("start", k), k) + "add.u32 x, x, 1;\n" +
           row_begin(numbered("length", k), k) + fmt::format("sub.u32 length{0}, length{0}, start{0};\n", k);
  }
  std::string operator()(std::size_t k, const Column& /*pattern*/) const {
    return fmt::format("mov.u32 element{0}, 0;\n", k);
  }

  static std::string copy(std::size_t k) { return fmt::format("mov.u32 element{0}, start{0};\n", k); }
};

struct NextCta {
  std::string operator()(std::size_t k, const Stride& /*pattern*/) const { return add(k); }
  std::string operator()(std::size_t k, const Column& /*pattern*/) const { return add(k); }
  /// To the right by places mod tiles, and into the next row of tiles where that passes the last column.
  std::string operator()(std::size_t k, const Stencil& /*pattern*/) const {
    return add(k) + load("x", k, StencilValue::tile_step) +
           fmt::format(
               "add.u32 tile{0}, tile{0}, x;\nsetp.lt.u32 p, tile{0}, tiles{0};\n@p bra SAME_ROW{0};\n"
               "sub.u32 tile{0}, tile{0}, tiles{0};\n",
               k) +
           load("y", k, StencilValue::next_row) + add_modulo(numbered("start", k), "y", numbered("elements", k)) +
           fmt::format("SAME_ROW{}:\n", k);
  }
  template <typename Other>
  std::string operator()(std::size_t /*k*/, const Other& /*pattern*/) const {
    return {};
  }

  static std::string add(std::size_t k) {
    return add_modulo(numbered("start", k), numbered("cta_step", k), numbered("elements", k));
  }
};

/// Sets index<k>, or names another register that holds the index of the element or block.
struct Index {
  std::string text = {};
  std::string index = {};
};
struct IndexOf {
  Index operator()(std::size_t k, const Stride& /*pattern*/) const { return {{}, numbered("element", k)}; }
  Index operator()(std::size_t k, const Stencil& /*pattern*/) const { return {{}, numbered("element", k)}; }
  Index operator()(std::size_t k, const Hash& /*pattern*/) const {
    return {fmt::format("mul.hi.u32 index{0}, element{0}, elements{0};\n", k), numbered("index", k)};
  }
  Index operator()(std::size_t k, const Gather& p) const {
    return {fmt::format("mul.hi.u32 index{0}, v{1}, elements{0};\n", k, p.index), numbered("index", k)};
  }
  Index operator()(std::size_t k, const Csr& /*pattern*/) const {
    return {fmt::format("setp.lt.u32 active{0}, i, length{0};\nadd.u32 index{0}, start{0}, i;\n", k),
            numbered("index", k)};
  }
  Index operator()(std::size_t k, const Column& /*pattern*/) const {
    return {fmt::format("add.u32 index{0}, start{0}, element{0};\n", k), numbered("index", k)};
  }
};

struct Advance {
  std::string operator()(std::size_t k, const Stride& /*pattern*/) const { return step(k); }
  std::string operator()(std::size_t k, const Stencil& /*pattern*/) const { return step(k); }
  std::string operator()(std::size_t k, const Hash& /*pattern*/) const {
    return fmt::format("mad.lo.u32 element{0}, element{0}, 747796405, 2891336453;\n", k);
  }
  std::string operator()(std::size_t k, const Column& /*pattern*/) const {
    return add_modulo(numbered("element", k), "1", numbered("width", k));
  }
  template <typename Other>
  std::string operator()(std::size_t /*k*/, const Other& /*pattern*/) const {
    return {};
  }

  static std::string step(std::size_t k) {
    return add_modulo(numbered("element", k), numbered("step", k), numbered("elements", k));
  }
};

}  // namespace

std::string numbered(const char* name, std::size_t k) { return fmt::format("{}{}", name, k); }

template <typename OfPattern>
std::string AddressCode::of_each(OfPattern of_pattern) const {
  std::string text;
  for (std::size_t k = 0; k < kernel_->loop.size(); ++k) {
    const auto& access = kernel_->loop[k].access;
    if (access) text += std::visit([&](const auto& pattern) { return of_pattern(k, pattern); }, access->pattern);
  }
  return text;
}

std::string AddressCode::registers() const {
  return of_each([](std::size_t k, const auto& /*pattern*/) {
    return fmt::format(
        ".reg .b64 base{0}, a{0};\n.reg .pred active{0};\n.reg .b32 elements{0}, element{0}, start{0}, index{0}, "
        "needed{0}, step{0}, cta_step{0}, width{0}, tile{0}, tiles{0}, length{0};\n",
        k);
  });
}

std::string AddressCode::once() const {
  return of_each([this](std::size_t k, const auto& pattern) {
    return load_base(numbered("base", k), k) + load_elements(numbered("elements", k), k) +
           Once{kernel_->loop[k].access->element}(k, pattern);
  });
}

std::string AddressCode::of_place() const { return of_each(OfPlace{}); }
std::string AddressCode::of_cta() const { return of_each(OfCta{}); }
std::string AddressCode::next_cta() const { return of_each(NextCta{}); }

std::string AddressCode::in_iteration(std::size_t k, const std::vector<std::string>& needs) const {
  const Access& access = *kernel_->loop[k].access;
  auto [text, index] = std::visit([&](const auto& pattern) { return IndexOf{}(k, pattern); }, access.pattern);
  if (!needs.empty()) {
    constexpr const char* or_then_and = "0xa8";  // (a | b) & c as a truth table of lop3
    text += fmt::format("lop3.b32 needed{0}, {1}, {2}, zero, {3};\nadd.u32 index{0}, {4}, needed{0};\n", k,
                        needs.front(), needs.back(), or_then_and, index);
    index = numbered("index", k);
  }
  const bool is_hash = std::holds_alternative<Hash>(access.pattern);
  const std::string width = is_hash ? numbered("width", k) : std::to_string(access.element);
  return text + fmt::format("mad.wide.u32 a{0}, {1}, {2}, base{0};\n", k, index, width);
}

std::string AddressCode::advance(std::size_t k) const {
  return std::visit([&](const auto& pattern) { return Advance{}(k, pattern); }, kernel_->loop[k].access->pattern);
}

}  // namespace tomograph::cuda
