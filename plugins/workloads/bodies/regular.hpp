#ifndef TOMOGRAPH_WORKLOADS_REGULAR_HPP
#define TOMOGRAPH_WORKLOADS_REGULAR_HPP

#include "bodies/arena.hpp"

/// Workloads whose neighbouring threads access neighbouring memory. Each is written from its algorithm; the names are
/// those of Wang et al. 2019, Table 2. A body is executed by a machine: HostMachine of lanes.hpp or DeviceMachine.
namespace tomograph::workloads {

inline constexpr std::int32_t grid_width = 512;
inline constexpr std::int32_t grid_height = 4096;
inline constexpr std::int32_t grid_cells = grid_width * grid_height;

/// The neighbours of a cell of a grid, at most at the border.
template <typename M>
struct Neighbours {
  using Int = typename M::Int;

  TOMOGRAPH_BODY Neighbours(const M& m, const Int& cell) : x(cell & (grid_width - 1)), y(cell >> 9) {
    left = cell - (x - m.max(x - 1, 0));
    right = cell + (m.min(x + 1, grid_width - 1) - x);
    above = cell - (y - m.max(y - 1, 0)) * grid_width;
    below = cell + (m.min(y + 1, grid_height - 1) - y) * grid_width;
  }

  Int x, y, left, right, above, below;
};

/// One step of heat conduction on a chip: explicit Euler of dT/dt = power + conduction + loss to the surroundings.
struct Hotspot {
  static constexpr const char* name = "hotspot";
  static constexpr std::int32_t threads = grid_cells;
  static constexpr float step = 0.1F, across = 0.4F, loss = 0.05F, surroundings = 80;

  Layout layout = {};
  Array<float> temperature = layout.add<float>(grid_cells);
  Array<float> power = layout.add<float>(grid_cells);
  Array<float> result = layout.add<float>(grid_cells);

  template <typename M>
  TOMOGRAPH_BODY void body(const M& m) const {
    using Float = typename M::Float;
    const auto cell = m.thread();
    const Neighbours<M> near(m, cell);
    const Float own = m.load(temperature, cell);
    const Float horizontal = m.load(temperature, near.left) + m.load(temperature, near.right);
    const Float vertical = m.load(temperature, near.above) + m.load(temperature, near.below);
    Float change = m.load(power, cell);
    change = m.fma(Float(across), m.fma(Float(-4.0F), own, horizontal + vertical), change);
    change = m.fma(Float(loss), Float(surroundings) - own, change);
    m.store(result, cell, m.fma(Float(step), change, own));
  }
};

/// Searches in a tree of order 16: each thread looks for one key, from the root to a leaf.
struct BPlusTree {
  static constexpr const char* name = "b+tree";
  static constexpr std::int32_t threads = 524288, order = 16, levels = 4, keys = 65536;

  Layout layout = {};
  /// Level after level; a node is the smallest keys of its children, without the first.
  Array<std::int32_t> nodes = layout.add<std::int32_t>(order * (2 + order * (1 + order * (1 + order))));
  Array<std::int32_t> queries = layout.add<std::int32_t>(threads);
  Array<std::int32_t> result = layout.add<std::int32_t>(threads);

  template <typename M>
  TOMOGRAPH_BODY void body(const M& m) const {
    using Int = typename M::Int;
    const Int thread = m.thread();
    const Int key = m.load(queries, thread);
    Int node = 0;
    Int first = 0;  // node of the level
    for (std::int32_t level = 0, nodes_of_level = 1; level < levels; ++level, nodes_of_level *= order) {
      Int child = 0;
      m.loop_while([&] { return child < order - 1 && m.load(nodes, (first + node) * order + child + 1) <= key; },
                   [&] { child = child + 1; });
      node = node * order + child;
      first = first + nodes_of_level;
    }
    m.store(result, thread, node);
  }
};

/// The forward pass of a layer of a neural network: weighted sums of 16 inputs, and a sigmoid.
struct BackPropagation {
  static constexpr const char* name = "backprop";
  static constexpr std::int32_t threads = 393216, inputs = 16;

  Layout layout = {};
  Array<float> weights = layout.add<float>(threads * inputs);
  Array<float> activations = layout.add<float>(inputs);
  Array<float> result = layout.add<float>(threads);

  template <typename M>
  TOMOGRAPH_BODY void body(const M& m) const {
    using Float = typename M::Float;
    using Int = typename M::Int;
    const Int unit = m.thread();
    Float sum = 0.0F;
    for (std::int32_t i = 0; i < inputs; ++i) {
      sum = m.fma(m.load(weights, unit + i * threads), m.load(activations, Int(i)), sum);
    }
    m.store(result, unit, m.divide(Float(1.0F), Float(1.0F) + m.exp(Float(0.0F) - sum)));
  }
};

inline constexpr std::int32_t block_width = 64;
inline constexpr std::int32_t block_depth = 512;
inline constexpr std::int32_t block_cells = block_width * block_width * block_depth;

/// One step of finite differences in time: a star of radius 2 in three dimensions, on a block of cells with a margin.
struct Fdtd3d {
  static constexpr const char* name = "fdtd3d";
  static constexpr std::int32_t threads = block_cells, radius = 2;
  static constexpr std::int32_t width = block_width + 2 * radius, plane = width * width;
  static constexpr std::int32_t depth = block_depth + 2 * radius;
  static constexpr float centre_weight = 0.5F, near_weight = 0.06F, far_weight = 0.02F;

  Layout layout = {};
  Array<float> field = layout.add<float>(plane * depth);
  Array<float> result = layout.add<float>(plane * depth);

  template <typename M>
  TOMOGRAPH_BODY void body(const M& m) const {
    using Float = typename M::Float;
    const auto thread = m.thread();
    const auto x = (thread & (block_width - 1)) + radius;
    const auto y = ((thread >> 6) & (block_width - 1)) + radius;
    const auto cell = ((thread >> 12) + radius) * plane + y * width + x;
    const float weights[] = {near_weight, far_weight};  // NOLINT(modernize-avoid-c-arrays): for the device
    Float sum = Float(centre_weight) * m.load(field, cell);
    for (std::int32_t distance = 1; distance <= radius; ++distance) {
      for (std::int32_t axis = 0; axis < 3; ++axis) {
        const std::int32_t away = distance * (axis == 0 ? 1 : axis == 1 ? width : plane);
        const Float both = m.load(field, cell - away) + m.load(field, cell + away);
        sum = m.fma(Float(weights[distance - 1]), both, sum);
      }
    }
    m.store(result, cell, sum);
  }
};

/// Diffusion that reduces speckle: the coefficient of each cell from its gradient and Laplacian (Yu & Acton 2002).
struct Srad {
  static constexpr const char* name = "srad";
  static constexpr std::int32_t threads = grid_cells;
  static constexpr float q0_squared = 0.05F;

  Layout layout = {};
  Array<float> image = layout.add<float>(grid_cells);
  Array<float> result = layout.add<float>(grid_cells);

  template <typename M>
  TOMOGRAPH_BODY void body(const M& m) const {
    using Float = typename M::Float;
    const auto cell = m.thread();
    const Neighbours<M> near(m, cell);
    const Float own = m.load(image, cell);
    const Float north = m.load(image, near.above) - own, south = m.load(image, near.below) - own;
    const Float west = m.load(image, near.left) - own, east = m.load(image, near.right) - own;
    const Float squares = m.fma(north, north, m.fma(south, south, m.fma(west, west, east * east)));
    const Float gradient = m.divide(squares, own * own);
    const Float laplacian = m.divide(north + south + west + east, own);
    const Float numerator = m.fma(Float(-0.0625F), laplacian * laplacian, Float(0.5F) * gradient);
    const Float denominator = m.fma(Float(0.25F), laplacian, Float(1.0F));
    const Float q_squared = m.divide(numerator, denominator * denominator);
    const Float excess = (q_squared - Float(q0_squared)) * Float(1 / (q0_squared * (1 + q0_squared)));
    m.store(result, cell, m.divide(Float(1.0F), Float(1.0F) + excess));
  }
};

/// Rays through a scene of spheres: the nearest one that each parallel ray hits, and how directly.
struct RayTracing {
  static constexpr const char* name = "raytracing";
  static constexpr std::int32_t threads = grid_cells, spheres = 24;

  Layout layout = {};
  Array<float> scene = layout.add<float>(spheres * 4);  ///< x, y, z, radius of each
  Array<float> result = layout.add<float>(grid_cells);

  template <typename M>
  TOMOGRAPH_BODY void body(const M& m) const {
    using Float = typename M::Float;
    using Int = typename M::Int;
    const Int pixel = m.thread();
    const Float x = m.to_float(pixel & (grid_width - 1));
    const Float y = m.to_float(pixel >> 9);
    Float nearest = 1e9F;
    Float shade = 0.0F;
    for (std::int32_t i = 0; i < spheres; ++i) {
      const Float dx = x - m.load(scene, Int(4 * i)), dy = y - m.load(scene, Int(4 * i + 1));
      const Float radius = m.load(scene, Int(4 * i + 3));
      const Float inside = m.fma(radius, radius, Float(0.0F) - m.fma(dx, dx, dy * dy));
      m.when(inside > Float(0.0F), [&] {
        const Float depth = m.sqrt(inside);
        const Float distance = m.load(scene, Int(4 * i + 2)) - depth;
        m.when(distance < nearest, [&] {
          nearest = distance;
          shade = m.divide(depth, radius);
        });
      });
    }
    m.store(result, pixel, shade);
  }
};

/// A convolution with a filter of 5 x 5 elements, on a grid with a margin.
struct Convolution2d {
  static constexpr const char* name = "2dconv";
  static constexpr std::int32_t threads = grid_cells, radius = 2, side = 2 * radius + 1;
  static constexpr std::int32_t width = grid_width + 2 * radius;

  Layout layout = {};
  Array<float> image = layout.add<float>(width * (grid_height + 2 * radius));
  Array<float> filter = layout.add<float>(side * side);
  Array<float> result = layout.add<float>(grid_cells);

  template <typename M>
  TOMOGRAPH_BODY void body(const M& m) const {
    using Float = typename M::Float;
    using Int = typename M::Int;
    const Int cell = m.thread();
    const Int corner = (cell >> 9) * width + (cell & (grid_width - 1));
    Float sum = 0.0F;
    for (std::int32_t i = 0; i < side * side; ++i) {
      sum = m.fma(m.load(filter, Int(i)), m.load(image, corner + (i / side * width + i % side)), sum);
    }
    m.store(result, cell, sum);
  }
};

/// A stencil of seven points in three dimensions, on a block of cells with a margin.
struct Stencil3d {
  static constexpr const char* name = "stencil";
  static constexpr std::int32_t threads = block_cells, width = block_width + 2, plane = width * width;
  static constexpr std::int32_t depth = block_depth + 2;
  static constexpr float centre_weight = 0.4F, other_weight = 0.1F;

  Layout layout = {};
  Array<float> field = layout.add<float>(plane * depth);
  Array<float> result = layout.add<float>(plane * depth);

  template <typename M>
  TOMOGRAPH_BODY void body(const M& m) const {
    using Float = typename M::Float;
    const auto thread = m.thread();
    const auto x = (thread & (block_width - 1)) + 1;
    const auto y = ((thread >> 6) & (block_width - 1)) + 1;
    const auto cell = ((thread >> 12) + 1) * plane + y * width + x;
    const Float across = m.load(field, cell - 1) + m.load(field, cell + 1);
    const Float along = m.load(field, cell - width) + m.load(field, cell + width);
    const Float through = m.load(field, cell - plane) + m.load(field, cell + plane);
    m.store(result, cell,
            m.fma(Float(other_weight), across + along + through, Float(centre_weight) * m.load(field, cell)));
  }
};

}  // namespace tomograph::workloads

#endif
