#ifndef TOMOGRAPH_TENSOR_EXPERIMENTS_HPP
#define TOMOGRAPH_TENSOR_EXPERIMENTS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forms.hpp"
#include "tomograph/experiment.hpp"

/// The experiments of this plugin as values. The arrays of requests and answers have the names of the fields.
namespace tomograph::tensor {

inline constexpr const char* products_id = "tensor.products/1";
inline constexpr const char* warpgroup_id = "tensor.warpgroup_products/1";

/// One CTA on each SM multiplies matrices in registers. Each warp executes `laps` times `products_of_lap` products, in
/// `ilp` chains: a product adds to the sum of the product before it in the chain.
struct ProductsRequest {
  std::size_t form = 0;  ///< index in `forms`
  std::int64_t warps = 1;
  std::int64_t ilp = 1;
  std::int64_t laps = 1;
  std::int64_t trial = 0;
};
/// The same by the instructions of warpgroups, from shared memory. All products of a warpgroup add to one sum.
struct WarpgroupRequest {
  std::size_t form = 0;  ///< index in `warpgroup_forms`
  std::int64_t warpgroups = 1;
  bool one_by_one = false;  ///< a product starts when the one before has ended
  std::int64_t laps = 1;
  std::int64_t trial = 0;
};
/// Of each CTA: the cycles from the start of its first warp to the end of its last one.
struct ProductsAnswer {
  std::vector<std::int64_t> cycles;
};

[[nodiscard]] Experiment encode(const ProductsRequest& request);
[[nodiscard]] Experiment encode(const WarpgroupRequest& request);
/// The request in an experiment. @throws std::invalid_argument naming the parameter that is missing or out of range.
[[nodiscard]] ProductsRequest decode_products(const Experiment& experiment);
[[nodiscard]] WarpgroupRequest decode_warpgroup_products(const Experiment& experiment);
[[nodiscard]] Arrays encode(const ProductsAnswer& answer);
/// The answer to a request. @throws std::invalid_argument if the array is missing, empty or of another type.
[[nodiscard]] ProductsAnswer decode_result(const ProductsRequest& request, const Answer& answer);
[[nodiscard]] ProductsAnswer decode_result(const WarpgroupRequest& request, const Answer& answer);

}  // namespace tomograph::tensor

#endif
