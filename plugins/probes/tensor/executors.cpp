#include "executors.hpp"

#include "kernels.hpp"

namespace tomograph::tensor {

namespace {

void expect_instruction(const cuda::Gpu& gpu, const Form& form) {
  if (has_instruction(form, gpu.capability())) return;
  throw Refused(TOMOGRAPH_UNSUPPORTED, "the GPU has no such instruction");
}

Arrays fetched(cuda::Gpu& gpu, const std::uint64_t* cycles, std::uint32_t ctas) {
  ProductsAnswer answer;
  for (const std::uint64_t one : gpu.fetch(cycles, ctas)) {
    if (one == 0) throw Refused(TOMOGRAPH_UNSUPPORTED, "the plugin was built for GPUs without this instruction");
    answer.cycles.push_back(static_cast<std::int64_t>(one));
  }
  return encode(answer);
}

}  // namespace

Arrays answer_products(cuda::Gpu& gpu, const Experiment& experiment) {
  const ProductsRequest request = decode_products(experiment);
  expect_instruction(gpu, forms[request.form]);
  const auto ctas = static_cast<std::uint32_t>(gpu.sms());
  auto* cycles = gpu.zeros<std::uint64_t>(ctas);
  cuda::check(multiply({.form = request.form,
                        .warps = static_cast<std::uint32_t>(request.warps),
                        .ilp = static_cast<std::uint32_t>(request.ilp),
                        .laps = static_cast<std::uint32_t>(request.laps),
                        .ctas = ctas,
                        .dynamic_shared = gpu.more_than_half_of_shared_memory(),
                        .stream = gpu.stream()},
                       cycles),
              "launching products");
  return fetched(gpu, cycles, ctas);
}

Arrays answer_warpgroup_products(cuda::Gpu& gpu, const Experiment& experiment) {
  const WarpgroupRequest request = decode_warpgroup_products(experiment);
  if (gpu.capability() / 10 != 9) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "only compute capability 9.x has wgmma");
  }
  const auto ctas = static_cast<std::uint32_t>(gpu.sms());
  auto* cycles = gpu.zeros<std::uint64_t>(ctas);
  cuda::check(multiply({.form = request.form,
                        .warpgroups = static_cast<std::uint32_t>(request.warpgroups),
                        .one_by_one = request.one_by_one,
                        .laps = static_cast<std::uint32_t>(request.laps),
                        .ctas = ctas,
                        .dynamic_shared = gpu.more_than_half_of_shared_memory(),
                        .stream = gpu.stream()},
                       cycles),
              "launching products of warpgroups");
  return fetched(gpu, cycles, ctas);
}

}  // namespace tomograph::tensor
