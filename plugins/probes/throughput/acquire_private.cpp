#include <algorithm>
#include <iterator>

#include "acquire_streaming.hpp"
#include "publish.hpp"
#include "questions.hpp"

namespace tomograph::throughput {

namespace {

using streaming::Operation;

/// So many bytes that the start and the end of a program do not count.
constexpr std::int64_t bytes_per_sm = std::int64_t{8} << 20;
/// The same for one warp that reads constants, one element at a time.
constexpr std::int64_t constants_per_warp = std::int64_t{1} << 14;

/// Half of the cache leaves room for the carve-out of the kernel, and for a policy other than LRU. Much less would
/// leave too little for all threads.
std::int64_t half_of(const Session& session, const char* size) {
  return static_cast<std::int64_t>(session.needed<double>(size) / 2);
}

/// The search over elements of 4, 8 and 16 B of programs like `base`, whose element is not yet set.
void find_bandwidth(const Session& session, const char* key, const streaming::Program& base, const Bounds& bounds) {
  std::vector<streaming::Program> coarse;
  for (const std::int64_t element : {4, 8, 16}) {
    streaming::Program program = base;
    program.element = element;
    std::ranges::move(surface(program, bounds), std::back_inserter(coarse));
  }
  if (coarse.empty()) return session.inconclusive(key, "half of the cache is too small for one access of a warp");
  const Found found = search(executor(session), coarse, bounds, of_sm);
  std::vector<NamedArray> columns;
  append_columns(columns, "", found, of_sm);
  session.evidence(key, columns);
  publish_bandwidth(session, bandwidth_fact(key, found, of_sm, key));
}

/// Each SM reads its own slice of memory through its own cache.
streaming::Program slices(streaming::Load load, std::int64_t footprint, const Bounds& bounds) {
  return {.load = load,
          .bytes = footprint * bounds.sms,
          .distribution = streaming::Distribution::sliced,
          .passes = std::max<std::int64_t>(bytes_per_sm / footprint, 1),
          .carveout = 0};
}

}  // namespace

void find_l1(const Session& session) {
  constexpr const char* key = "l1_data.bandwidth.read";
  const Bounds bounds = bounds_of(session);
  find_bandwidth(session, key, slices(streaming::Load::ca, half_of(session, "l1_data.size"), bounds), bounds);
}

void find_l1_writes(const Session& session) {
  constexpr const char* key = "l1_data.bandwidth.write";
  const Bounds all = bounds_of(session);
  const Bounds alone{.sms = 1, .threads_per_sm = all.threads_per_sm};
  streaming::Program program = slices(streaming::Load::ca, half_of(session, "l1_data.size"), alone);
  program.operation = Operation::write;
  program.sms = {all.sms / 2};
  find_bandwidth(session, key, program, alone);
}

void find_read_only(const Session& session) {
  const Bounds bounds = bounds_of(session);
  find_bandwidth(session, "read_only.bandwidth.read",
                 slices(streaming::Load::nc, half_of(session, "read_only.size"), bounds), bounds);
}

void find_texture(const Session& session) {
  const Bounds bounds = bounds_of(session);
  find_bandwidth(session, "texture.bandwidth.read",
                 slices(streaming::Load::texture, half_of(session, "texture.size"), bounds), bounds);
}

void find_constant(const Session& session) {
  const Bounds bounds = bounds_of(session);
  const std::int64_t footprint = half_of(session, "constant_l1.size");
  find_bandwidth(session, "constant_l1.bandwidth.read",
                 {.load = streaming::Load::constant,
                  .bytes = footprint,
                  .passes = std::max<std::int64_t>(constants_per_warp / footprint, 1)},
                 bounds);
}

}  // namespace tomograph::throughput
