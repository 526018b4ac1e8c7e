#ifndef TOMOGRAPH_WORKLOADS_DIVERGENT_HPP
#define TOMOGRAPH_WORKLOADS_DIVERGENT_HPP

#include "bodies/arena.hpp"

/// Workloads whose neighbouring threads access memory far apart. As in regular.hpp, each is written from its algorithm.
namespace tomograph::workloads {

/// Fluxes of an unstructured mesh: each cell adds what flows from its four neighbours, anywhere in the mesh.
struct Cfd {
  static constexpr const char* name = "cfd";
  static constexpr std::int32_t threads = 524288, neighbours = 4;

  Layout layout = {};
  Array<std::int32_t> neighbour = layout.add<std::int32_t>(threads * neighbours);
  Array<float> normal = layout.add<float>(threads * neighbours);
  Array<float> density = layout.add<float>(threads);
  Array<float> momentum = layout.add<float>(threads);
  Array<float> energy = layout.add<float>(threads);
  Array<float> result = layout.add<float>(threads);

  template <typename M>
  TOMOGRAPH_BODY void body(const M& m) const {
    using Float = typename M::Float;
    const auto cell = m.thread();
    const Float own_momentum = m.load(momentum, cell);
    const Float own_pressure = m.load(energy, cell) - m.divide(own_momentum * own_momentum, m.load(density, cell));
    Float flux = 0.0F;
    for (std::int32_t i = 0; i < neighbours; ++i) {
      const auto other = m.load(neighbour, cell + i * threads);
      const Float speed = m.load(momentum, other);
      const Float pressure = m.load(energy, other) - m.divide(speed * speed, m.load(density, other));
      flux = m.fma(m.load(normal, cell + i * threads), own_pressure + pressure, flux);
    }
    m.store(result, cell, flux);
  }
};

/// A graph by rows: the edges of node i are edges[begin[i]] up to edges[begin[i + 1]].
struct Graph {
  Array<std::int32_t> begin;
  Array<std::int32_t> edges;
};
inline constexpr std::int32_t most_edges = 15;  ///< of a node; 8 on average
/// Place for the edges of `nodes` nodes, a little more than they have.
constexpr std::int32_t edge_places(std::int32_t nodes) { return nodes * 8 + nodes / 16; }

/// One level of a breadth-first search: nodes of the frontier mark their neighbours that have no level yet.
struct Bfs {
  static constexpr const char* name = "bfs";
  static constexpr std::int32_t threads = 524288, unreached = -1, level = 3;

  Layout layout = {};
  Graph graph = {layout.add<std::int32_t>(threads + 1), layout.add<std::int32_t>(edge_places(threads))};
  Array<std::int32_t> levels = layout.add<std::int32_t>(threads);
  Array<std::int32_t> result = layout.add<std::int32_t>(threads);  ///< 1 for nodes of the next frontier

  template <typename M>
  TOMOGRAPH_BODY void body(const M& m) const {
    using Int = typename M::Int;
    const Int node = m.thread();
    m.when(m.load(levels, node) == Int(level), [&] {
      Int edge = m.load(graph.begin, node);
      const Int end = m.load(graph.begin, node + 1);
      m.loop_while([&] { return edge < end; },
                   [&] {
                     const Int other = m.load(graph.edges, edge);
                     m.when(m.load(levels, other) == Int(unreached), [&] { m.store(result, other, Int(1)); });
                     edge = edge + 1;
                   });
    });
  }
};

/// The rank of each page by its views: how many pages have fewer, by bisection in the sorted numbers of views.
struct PageViewRank {
  static constexpr const char* name = "pvr";
  static constexpr std::int32_t threads = 524288;

  Layout layout = {};
  Array<std::int32_t> views = layout.add<std::int32_t>(threads);
  Array<std::int32_t> sorted = layout.add<std::int32_t>(threads);
  Array<std::int32_t> result = layout.add<std::int32_t>(threads);

  template <typename M>
  TOMOGRAPH_BODY void body(const M& m) const {
    using Int = typename M::Int;
    const Int page = m.thread();
    const Int own = m.load(views, page);
    Int low = 0;
    Int high = threads;
    m.loop_while([&] { return low < high; },
                 [&] {
                   const Int middle = (low + high) >> 1;
                   const auto is_fewer = m.load(sorted, middle) < own;
                   low = m.select(is_fewer, middle + 1, low);
                   high = m.select(is_fewer, high, middle);
                 });
    m.store(result, page, low);
  }
};

/// Counts views: each thread reads a record of eight words, hashes it to a page, and adds 1 to that page's count.
struct PageViewCount {
  static constexpr const char* name = "pvc";
  static constexpr std::int32_t threads = 524288, words = 8, pages = 65536;

  Layout layout = {};
  Array<std::int32_t> records = layout.add<std::int32_t>(threads * words);
  Array<std::int32_t> result = layout.add<std::int32_t>(pages);

  template <typename M>
  TOMOGRAPH_BODY void body(const M& m) const {
    using Int = typename M::Int;
    const Int record = m.thread() * words;
    Int hash = 0;
    for (std::int32_t i = 0; i < words; ++i) hash = (hash * 31 + m.load(records, record + i)) & 0xffffff;
    m.atomic_add(result, hash & (pages - 1), Int(1));
  }
};

/// An index of links: each thread scans a piece of a document and counts the documents that link to each target.
struct InvertedIndex {
  static constexpr const char* name = "ii";
  static constexpr std::int32_t threads = 131072, words = 32, targets = 65536, link = 1 << 20;

  Layout layout = {};
  Array<std::int32_t> text = layout.add<std::int32_t>(threads * words);
  Array<std::int32_t> result = layout.add<std::int32_t>(targets);

  template <typename M>
  TOMOGRAPH_BODY void body(const M& m) const {
    using Int = typename M::Int;
    const Int piece = m.thread() * words;
    for (std::int32_t i = 0; i < words; ++i) {
      const Int word = m.load(text, piece + i);
      m.when(Int(link) <= word, [&] { m.atomic_add(result, word - link, Int(1)); });
    }
  }
};

/// A sparse matrix times a vector, one thread a row.
struct Spmv {
  static constexpr const char* name = "spmv";
  static constexpr std::int32_t threads = 262144;

  Layout layout = {};
  Graph matrix = {layout.add<std::int32_t>(threads + 1), layout.add<std::int32_t>(edge_places(threads))};
  Array<float> elements = layout.add<float>(edge_places(threads));
  Array<float> vector = layout.add<float>(threads);
  Array<float> result = layout.add<float>(threads);

  template <typename M>
  TOMOGRAPH_BODY void body(const M& m) const {
    using Int = typename M::Int;
    using Float = typename M::Float;
    const Int row = m.thread();
    Int at = m.load(matrix.begin, row);
    const Int end = m.load(matrix.begin, row + 1);
    Float sum = 0.0F;
    m.loop_while([&] { return at < end; },
                 [&] {
                   sum = m.fma(m.load(elements, at), m.load(vector, m.load(matrix.edges, at)), sum);
                   at = at + 1;
                 });
    m.store(result, row, sum);
  }
};

/// The nearest of three centres to each point. The coordinates of a point lie behind each other.
struct KMeans {
  static constexpr const char* name = "kmeans";
  static constexpr std::int32_t threads = 262144, dimensions = 16, centres = 3;

  Layout layout = {};
  Array<float> points = layout.add<float>(threads * dimensions);
  Array<float> means = layout.add<float>(centres * dimensions);
  Array<std::int32_t> result = layout.add<std::int32_t>(threads);

  template <typename M>
  TOMOGRAPH_BODY void body(const M& m) const {
    using Int = typename M::Int;
    using Float = typename M::Float;
    const Int point = m.thread();
    Float own[dimensions];  // NOLINT(modernize-avoid-c-arrays): for the device
    for (std::int32_t i = 0; i < dimensions; ++i) own[i] = m.load(points, point * dimensions + i);
    Float least = 1e30F;
    Int nearest = 0;
    for (std::int32_t centre = 0; centre < centres; ++centre) {
      Float distance = 0.0F;
      for (std::int32_t i = 0; i < dimensions; ++i) {
        const Float difference = own[i] - m.load(means, Int(centre * dimensions + i));
        distance = m.fma(difference, difference, distance);
      }
      const auto is_less = distance < least;
      least = m.select(is_less, distance, least);
      nearest = m.select(is_less, Int(centre), nearest);
    }
    m.store(result, point, nearest);
  }
};

}  // namespace tomograph::workloads

#endif
