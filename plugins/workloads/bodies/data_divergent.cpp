#include <algorithm>
#include <vector>

#include "bodies/data.hpp"

namespace tomograph::workloads {

namespace {

template <typename T, typename Value>
void fill_with(const Array<T>& array, std::byte* memory, Value value) {
  T* values = array.in(memory);
  for (std::uint32_t i = 0; i < array.count; ++i) values[i] = value(i);
}

/// Rows of 1 to `most_edges` edges to anywhere.
void fill_graph(const Graph& graph, std::byte* memory, std::int32_t nodes) {
  std::int32_t* begin = graph.begin.in(memory);
  begin[0] = 0;
  for (std::int32_t i = 0; i < nodes; ++i) {
    begin[i + 1] = begin[i] + 1 + random_below(static_cast<std::uint32_t>(i), most_edges);
  }
  fill_with(graph.edges, memory, [&](std::uint32_t i) { return random_below(i + (1U << 28U), nodes); });
}

template <typename T>
std::size_t count_different(const T* result, const std::vector<T>& reference) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) wrong += result[i] == reference[i] ? 0 : 1;
  return wrong;
}

}  // namespace

void fill(const Cfd& workload, std::byte* memory) {
  fill_with(workload.neighbour, memory, [](std::uint32_t i) { return random_below(i, Cfd::threads); });
  fill_with(workload.normal, memory, [](std::uint32_t i) { return 2 * random_share(i + (1U << 28U)) - 1; });
  fill_with(workload.density, memory, [](std::uint32_t i) { return 1 + random_share(i + (2U << 28U)); });
  fill_with(workload.momentum, memory, [](std::uint32_t i) { return random_share(i + (3U << 28U)); });
  fill_with(workload.energy, memory, [](std::uint32_t i) { return 2 + random_share(i + (4U << 28U)); });
}

std::size_t wrong(const Cfd& workload, const std::byte* memory) {
  const float* density = workload.density.in(memory);
  const float* momentum = workload.momentum.in(memory);
  const float* energy = workload.energy.in(memory);
  const auto pressure = [&](std::int32_t i) { return energy[i] - momentum[i] * momentum[i] / density[i]; };
  std::size_t wrong = 0;
  for (std::int32_t cell = 0; cell < Cfd::threads; ++cell) {
    float flux = 0;
    for (std::int32_t i = 0; i < Cfd::neighbours; ++i) {
      const std::int32_t face = i * Cfd::threads + cell;
      const std::int32_t other = workload.neighbour.in(memory)[face];
      flux += workload.normal.in(memory)[face] * (pressure(cell) + pressure(other));
    }
    wrong += is_close(workload.result.in(memory)[cell], flux) ? 0 : 1;
  }
  return wrong;
}

/// A third of the nodes are of the frontier, a third were reached before, a third not yet.
void fill(const Bfs& workload, std::byte* memory) {
  fill_graph(workload.graph, memory, Bfs::threads);
  fill_with(workload.levels, memory, [](std::uint32_t i) {
    const std::int32_t third = random_below(i + (2U << 28U), 3);
    return third == 0 ? Bfs::level : third == 1 ? Bfs::level - 1 : Bfs::unreached;
  });
}

std::size_t wrong(const Bfs& workload, const std::byte* memory) {
  const std::int32_t* begin = workload.graph.begin.in(memory);
  const std::int32_t* edges = workload.graph.edges.in(memory);
  const std::int32_t* levels = workload.levels.in(memory);
  std::vector<std::int32_t> reached(Bfs::threads);
  for (std::int32_t node = 0; node < Bfs::threads; ++node) {
    if (levels[node] != Bfs::level) continue;
    for (std::int32_t e = begin[node]; e < begin[node + 1]; ++e) {
      if (levels[edges[e]] == Bfs::unreached) reached[static_cast<std::size_t>(edges[e])] = 1;
    }
  }
  return count_different(workload.result.in(memory), reached);
}

void fill(const PageViewRank& workload, std::byte* memory) {
  fill_with(workload.views, memory, [](std::uint32_t i) { return random_below(i, 1 << 24); });
  std::int32_t* sorted = workload.sorted.in(memory);
  std::copy_n(workload.views.in(memory), PageViewRank::threads, sorted);
  std::sort(sorted, sorted + PageViewRank::threads);
}

std::size_t wrong(const PageViewRank& workload, const std::byte* memory) {
  const std::int32_t* sorted = workload.sorted.in(memory);
  std::vector<std::int32_t> ranks(PageViewRank::threads);
  for (std::int32_t page = 0; page < PageViewRank::threads; ++page) {
    const auto* at = std::lower_bound(sorted, sorted + PageViewRank::threads, workload.views.in(memory)[page]);
    ranks[static_cast<std::size_t>(page)] = static_cast<std::int32_t>(at - sorted);
  }
  return count_different(workload.result.in(memory), ranks);
}

void fill(const PageViewCount& workload, std::byte* memory) {
  fill_with(workload.records, memory, [](std::uint32_t i) { return random_below(i, 128); });
}

std::size_t wrong(const PageViewCount& workload, const std::byte* memory) {
  const std::int32_t* records = workload.records.in(memory);
  std::vector<std::int32_t> counts(PageViewCount::pages);
  for (std::int32_t record = 0; record < PageViewCount::threads; ++record) {
    std::int64_t hash = 0;
    for (std::int32_t i = 0; i < PageViewCount::words; ++i) {
      hash = (hash * 31 + records[record * PageViewCount::words + i]) % (1 << 24);
    }
    ++counts[static_cast<std::size_t>(hash % PageViewCount::pages)];
  }
  return count_different(workload.result.in(memory), counts);
}

/// One word in eight is a link.
void fill(const InvertedIndex& workload, std::byte* memory) {
  fill_with(workload.text, memory, [](std::uint32_t i) {
    const bool is_link = random_below(i, 8) == 0;
    return is_link ? InvertedIndex::link + random_below(i + (1U << 28U), InvertedIndex::targets) : random_below(i, 256);
  });
}

std::size_t wrong(const InvertedIndex& workload, const std::byte* memory) {
  std::vector<std::int32_t> counts(InvertedIndex::targets);
  for (std::uint32_t i = 0; i < workload.text.count; ++i) {
    const std::int32_t word = workload.text.in(memory)[i];
    if (word >= InvertedIndex::link) ++counts[static_cast<std::size_t>(word - InvertedIndex::link)];
  }
  return count_different(workload.result.in(memory), counts);
}

void fill(const Spmv& workload, std::byte* memory) {
  fill_graph(workload.matrix, memory, Spmv::threads);
  fill_with(workload.elements, memory, [](std::uint32_t i) { return random_share(i + (2U << 28U)); });
  fill_with(workload.vector, memory, [](std::uint32_t i) { return random_share(i + (3U << 28U)); });
}

std::size_t wrong(const Spmv& workload, const std::byte* memory) {
  const std::int32_t* begin = workload.matrix.begin.in(memory);
  std::size_t wrong = 0;
  for (std::int32_t row = 0; row < Spmv::threads; ++row) {
    float sum = 0;
    for (std::int32_t e = begin[row]; e < begin[row + 1]; ++e) {
      sum += workload.elements.in(memory)[e] * workload.vector.in(memory)[workload.matrix.edges.in(memory)[e]];
    }
    wrong += is_close(workload.result.in(memory)[row], sum) ? 0 : 1;
  }
  return wrong;
}

void fill(const KMeans& workload, std::byte* memory) {
  fill_with(workload.points, memory, [](std::uint32_t i) { return random_share(i); });
  fill_with(workload.means, memory, [](std::uint32_t i) { return random_share(i + (1U << 28U)); });
}

/// A point that is as far from the chosen centre as from the nearest one, but for rounding, is right.
std::size_t wrong(const KMeans& workload, const std::byte* memory) {
  const float* points = workload.points.in(memory);
  const float* means = workload.means.in(memory);
  const auto distance = [&](std::int32_t point, std::int32_t centre) {
    float sum = 0;
    for (std::int32_t i = 0; i < KMeans::dimensions; ++i) {
      const float difference = points[point * KMeans::dimensions + i] - means[centre * KMeans::dimensions + i];
      sum += difference * difference;
    }
    return sum;
  };
  std::size_t wrong = 0;
  for (std::int32_t point = 0; point < KMeans::threads; ++point) {
    float least = distance(point, 0);
    for (std::int32_t centre = 1; centre < KMeans::centres; ++centre) least = std::min(least, distance(point, centre));
    const std::int32_t chosen = workload.result.in(memory)[point];
    const bool exists = chosen >= 0 && chosen < KMeans::centres;
    wrong += exists && is_close(distance(point, chosen), least) ? 0 : 1;
  }
  return wrong;
}

}  // namespace tomograph::workloads
