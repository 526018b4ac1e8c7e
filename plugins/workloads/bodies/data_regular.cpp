#include <algorithm>
#include <cmath>

#include "bodies/data.hpp"

namespace tomograph::workloads {

namespace {

void fill_randomly(const Array<float>& array, std::byte* memory, float low, float high, std::uint32_t seed) {
  float* values = array.in(memory);
  for (std::uint32_t i = 0; i < array.count; ++i) values[i] = low + (high - low) * random_share(seed + i);
}

/// Counts elements of `result` that differ from `reference(i)`.
template <typename Reference>
std::size_t count_wrong(const float* result, std::int32_t count, Reference reference) {
  std::size_t wrong = 0;
  for (std::int32_t i = 0; i < count; ++i) wrong += is_close(result[i], reference(i)) ? 0 : 1;
  return wrong;
}

/// The cell at column x and row y, or the nearest one of the grid.
float clamped(const float* grid, std::int32_t x, std::int32_t y) {
  return grid[std::clamp(y, 0, grid_height - 1) * grid_width + std::clamp(x, 0, grid_width - 1)];
}

}  // namespace

void fill(const Hotspot& workload, std::byte* memory) {
  fill_randomly(workload.temperature, memory, 60, 90, 1);
  fill_randomly(workload.power, memory, 0, 5, 1U << 30U);
}

std::size_t wrong(const Hotspot& workload, const std::byte* memory) {
  const float* t = workload.temperature.in(memory);
  const float* power = workload.power.in(memory);
  return count_wrong(workload.result.in(memory), grid_cells, [&](std::int32_t i) {
    const std::int32_t x = i % grid_width, y = i / grid_width;
    const float around = clamped(t, x - 1, y) + clamped(t, x + 1, y) + clamped(t, x, y - 1) + clamped(t, x, y + 1);
    const float change =
        power[i] + Hotspot::across * (around - 4 * t[i]) + Hotspot::loss * (Hotspot::surroundings - t[i]);
    return t[i] + Hotspot::step * change;
  });
}

/// Keys are three times the number of their leaf, so that queries also ask for what lies between.
void fill(const BPlusTree& workload, std::byte* memory) {
  constexpr std::int32_t distance = 3;
  std::int32_t* nodes = workload.nodes.in(memory);
  std::int32_t first = 0;
  std::int32_t leaves_of_child = BPlusTree::keys / BPlusTree::order;
  for (std::int32_t of_level = 1; leaves_of_child > 0; of_level *= BPlusTree::order) {
    for (std::int32_t i = 0; i < of_level * BPlusTree::order; ++i) {
      nodes[first * BPlusTree::order + i] = distance * i * leaves_of_child;
    }
    first += of_level;
    leaves_of_child /= BPlusTree::order;
  }
  std::int32_t* queries = workload.queries.in(memory);
  for (std::int32_t i = 0; i < BPlusTree::threads; ++i) {
    queries[i] = random_below(static_cast<std::uint32_t>(i), distance * BPlusTree::keys);
  }
}

std::size_t wrong(const BPlusTree& workload, const std::byte* memory) {
  constexpr std::int32_t distance = 3;
  const std::int32_t* queries = workload.queries.in(memory);
  const std::int32_t* result = workload.result.in(memory);
  std::size_t wrong = 0;
  for (std::int32_t i = 0; i < BPlusTree::threads; ++i) wrong += result[i] == queries[i] / distance ? 0 : 1;
  return wrong;
}

void fill(const BackPropagation& workload, std::byte* memory) {
  fill_randomly(workload.weights, memory, -1, 1, 1);
  fill_randomly(workload.activations, memory, 0, 1, 1U << 30U);
}

std::size_t wrong(const BackPropagation& workload, const std::byte* memory) {
  const float* weights = workload.weights.in(memory);
  const float* activations = workload.activations.in(memory);
  return count_wrong(workload.result.in(memory), BackPropagation::threads, [&](std::int32_t unit) {
    double sum = 0;
    for (std::int32_t i = 0; i < BackPropagation::inputs; ++i) {
      sum += static_cast<double>(weights[i * BackPropagation::threads + unit]) * activations[i];
    }
    return static_cast<float>(1 / (1 + std::exp(-sum)));
  });
}

void fill(const Fdtd3d& workload, std::byte* memory) { fill_randomly(workload.field, memory, -1, 1, 1); }

std::size_t wrong(const Fdtd3d& workload, const std::byte* memory) {
  const float* u = workload.field.in(memory);
  const float* result = workload.result.in(memory);
  std::size_t wrong = 0;
  for (std::int32_t z = 2; z < block_depth + 2; ++z) {
    for (std::int32_t y = 2; y < block_width + 2; ++y) {
      for (std::int32_t x = 2; x < block_width + 2; ++x) {
        const auto at = [&](std::int32_t dx, std::int32_t dy, std::int32_t dz) {
          return u[(z + dz) * Fdtd3d::plane + (y + dy) * Fdtd3d::width + x + dx];
        };
        float sum = Fdtd3d::centre_weight * at(0, 0, 0);
        for (const std::int32_t d : {-2, -1, 1, 2}) {
          const float weight = d * d == 1 ? Fdtd3d::near_weight : Fdtd3d::far_weight;
          sum += weight * (at(d, 0, 0) + at(0, d, 0) + at(0, 0, d));
        }
        wrong += is_close(result[z * Fdtd3d::plane + y * Fdtd3d::width + x], sum) ? 0 : 1;
      }
    }
  }
  return wrong;
}

void fill(const Srad& workload, std::byte* memory) { fill_randomly(workload.image, memory, 1, 2, 1); }

std::size_t wrong(const Srad& workload, const std::byte* memory) {
  const float* image = workload.image.in(memory);
  return count_wrong(workload.result.in(memory), grid_cells, [&](std::int32_t i) {
    const std::int32_t x = i % grid_width, y = i / grid_width;
    const double own = image[i];
    const double north = clamped(image, x, y - 1) - own, south = clamped(image, x, y + 1) - own;
    const double west = clamped(image, x - 1, y) - own, east = clamped(image, x + 1, y) - own;
    const double g = (north * north + south * south + west * west + east * east) / (own * own);
    const double l = (north + south + west + east) / own;
    const double q = (0.5 * g - l * l / 16) / ((1 + l / 4) * (1 + l / 4));
    return static_cast<float>(1 / (1 + (q - Srad::q0_squared) / (Srad::q0_squared * (1 + Srad::q0_squared))));
  });
}

void fill(const RayTracing& workload, std::byte* memory) {
  float* scene = workload.scene.in(memory);
  for (std::uint32_t i = 0; i < RayTracing::spheres; ++i) {
    scene[4 * i] = grid_width * random_share(4 * i);
    scene[4 * i + 1] = grid_height * random_share(4 * i + 1);
    scene[4 * i + 2] = 1000 + 500 * random_share(4 * i + 2);
    scene[4 * i + 3] = 60 + 160 * random_share(4 * i + 3);
  }
}

/// Rays that touch a sphere's edge, or two spheres at almost the same depth, may go either way.
std::size_t wrong(const RayTracing& workload, const std::byte* memory) {
  const float* scene = workload.scene.in(memory);
  return count_wrong(workload.result.in(memory), grid_cells, [&](std::int32_t i) {
    const auto x = static_cast<float>(i % grid_width);
    const auto y = static_cast<float>(i / grid_width);
    float nearest = 1e9F;
    float shade = 0;
    for (std::int32_t s = 0; s < RayTracing::spheres; ++s) {
      const float dx = x - scene[4 * s];
      const float dy = y - scene[4 * s + 1];
      const float radius = scene[4 * s + 3];
      const float inside = radius * radius - (dx * dx + dy * dy);
      if (inside <= 0) continue;
      const float depth = std::sqrt(inside);
      if (scene[4 * s + 2] - depth >= nearest) continue;
      nearest = scene[4 * s + 2] - depth;
      shade = depth / radius;
    }
    return shade;
  });
}

void fill(const Convolution2d& workload, std::byte* memory) {
  fill_randomly(workload.image, memory, 0, 1, 1);
  fill_randomly(workload.filter, memory, -1, 1, 1U << 30U);
}

std::size_t wrong(const Convolution2d& workload, const std::byte* memory) {
  const float* image = workload.image.in(memory);
  const float* filter = workload.filter.in(memory);
  return count_wrong(workload.result.in(memory), grid_cells, [&](std::int32_t cell) {
    const std::int32_t x = cell % grid_width, y = cell / grid_width;
    float sum = 0;
    for (std::int32_t dy = 0; dy < Convolution2d::side; ++dy) {
      for (std::int32_t dx = 0; dx < Convolution2d::side; ++dx) {
        sum += filter[dy * Convolution2d::side + dx] * image[(y + dy) * Convolution2d::width + x + dx];
      }
    }
    return sum;
  });
}

void fill(const Stencil3d& workload, std::byte* memory) { fill_randomly(workload.field, memory, -1, 1, 1); }

std::size_t wrong(const Stencil3d& workload, const std::byte* memory) {
  const float* u = workload.field.in(memory);
  const float* result = workload.result.in(memory);
  std::size_t wrong = 0;
  for (std::int32_t i = 0; i < block_cells; ++i) {
    const std::int32_t x = i % block_width + 1, y = i / block_width % block_width + 1,
                       z = i / block_width / block_width + 1;
    const std::int32_t cell = (z * Stencil3d::width + y) * Stencil3d::width + x;
    float others = 0;
    for (const std::int32_t away : {1, Stencil3d::width, Stencil3d::plane}) others += u[cell - away] + u[cell + away];
    const float reference = Stencil3d::centre_weight * u[cell] + Stencil3d::other_weight * others;
    wrong += is_close(result[cell], reference) ? 0 : 1;
  }
  return wrong;
}

}  // namespace tomograph::workloads
