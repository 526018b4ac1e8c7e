#include "cuda/kernel/task.hpp"

#include <bit>

namespace tomograph::cuda {

namespace {

using kernel::Access;

std::uint32_t word(std::int64_t value) { return static_cast<std::uint32_t>(value); }

/// a b mod m, without overflow.
std::int64_t product_modulo(std::int64_t a, std::int64_t b, std::int64_t m) { return a % m * (b % m) % m; }

template <typename Value>
void set(KernelAccess& access, Value which, std::int64_t value) {
  access.values[static_cast<std::size_t>(which)] = word(value);
}

/// Fills the values of one pattern. `places` are those of all SMs.
struct Fill {
  const kernel::Kernel* kernel;
  const Access* access;
  std::int64_t places;
  KernelAccess* into;

  void operator()(const kernel::Stride& p) const {
    const std::int64_t elements = access->elements();
    set(*into, StrideValue::lane, p.lane_stride);
    set(*into, StrideValue::warp, p.warp_stride);
    set(*into, StrideValue::offset, p.offset);
    set(*into, StrideValue::iteration_step, p.iteration_stride);
    set(*into, StrideValue::cta_step, product_modulo(places * kernel->warps, p.warp_stride, elements));
  }
  void operator()(const kernel::Hash& p) const {
    into->elements = word(access->span / p.block);
    set(*into, HashValue::block, p.block);
    set(*into, HashValue::group_shift, std::countr_zero(static_cast<std::uint64_t>(p.group)));
    set(*into, HashValue::group_mask, p.group - 1);
    set(*into, HashValue::seed, p.seed);
  }
  void operator()(const kernel::Gather& /*p*/) const {}
  void operator()(const kernel::Stencil& p) const {
    const std::int64_t elements = access->elements();
    const std::int64_t tiles = p.width / kernel::warp_lanes;
    const std::int64_t tile_rows = (kernel->ctas + tiles - 1) / tiles;
    const std::int64_t row_step = product_modulo(places / tiles * kernel->warps, p.width, elements);
    set(*into, StencilValue::tiles, tiles);
    set(*into, StencilValue::shift, ((p.dy * p.width + p.dx) % elements + elements) % elements);
    set(*into, StencilValue::iteration_step, product_modulo(kernel->warps * tile_rows, p.width, elements));
    set(*into, StencilValue::cta_step, (row_step + places % tiles * kernel::warp_lanes) % elements);
    set(*into, StencilValue::width, p.width);
    set(*into, StencilValue::tile_step, places % tiles);
    set(*into, StencilValue::next_row, product_modulo(kernel->warps - 1, p.width, elements));
  }
  void operator()(const kernel::Csr& p) const { set(*into, CsrValue::row, p.row); }
  void operator()(const kernel::Column& p) const {
    const std::int64_t threads = places * kernel->warps * kernel::warp_lanes;
    set(*into, ColumnValue::width, p.width);
    set(*into, ColumnValue::cta_step, product_modulo(threads, p.width, access->elements()));
  }
};

}  // namespace

std::vector<KernelAccess> accesses_of(const kernel::Kernel& kernel, std::int64_t sms, std::uint64_t arena) {
  std::vector<KernelAccess> all;
  for (const kernel::Step& step : kernel.loop) {
    KernelAccess one{};
    if (step.access) {
      one.base = arena + static_cast<std::uint64_t>(step.access->base);
      one.elements = word(step.access->elements());
      std::visit(Fill{&kernel, &*step.access, sms * kernel.ctas_per_sm, &one}, step.access->pattern);
    }
    all.push_back(one);
  }
  return all;
}

}  // namespace tomograph::cuda
