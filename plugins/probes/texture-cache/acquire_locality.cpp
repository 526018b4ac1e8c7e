#include "acquire_texture_blocks.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/cache/capacity.hpp"
#include "tomograph/cache/line.hpp"
#include "tomograph/cache/questions.hpp"

namespace tomograph::texture_cache {

namespace {

/// The line in blocks along an axis, with the pairs as evidence.
std::optional<std::int64_t> line_blocks(const Session& session, const char* key, Axis axis, const Block& block,
                                        cache::Subject subject) {
  // Larger than any known texture cache, and small enough for a texture on every SM.
  subject.largest = std::int64_t{4} << 20;
  const auto execute = along(axis, block, cache::executor(session));
  const auto capacity =
      cache::rough_capacity(execute, subject, block.bytes(), cache::small_footprint / 4, subject.largest / 4);
  if (!capacity) return std::nullopt;
  const auto line = cache::evicted_together(execute, subject, block.bytes(), *capacity, 16 * block.bytes());
  keep_pairs(session, key, line, block);
  if (!line.bytes) return std::nullopt;
  return *line.bytes / block.bytes();
}

}  // namespace

void find_locality(const Session& session) {
  const auto execute = cache::executor(session);
  const auto seen = hits_and_misses(execute, session.needed<std::int64_t>("device.sm_count"),
                                    session.fact<double>("texture.hit_threshold"));
  session.evidence("texture.latency_2d",
                   std::vector{cache::column("hit_cycles", seen.hits), cache::column("miss_cycles", seen.misses)});
  if (!seen.threshold) {
    for (const char* fact : {"latency_2d", "block_width", "block_height", "line_block_width", "line_block_height"}) {
      session.absent(std::string("texture.") + fact, "repeated loads of texels take as long as first loads");
    }
    return;
  }
  publish_latency(session, seen);
  const cache::Subject subject{.path = chase::Path::texture_2d, .carveout = 0, .threshold = *seen.threshold};
  const TileMap map = map_tile(execute, subject);
  keep_map(session, map);
  const auto block = fetched_block(map);
  if (!block) {
    for (const char* fact : {"block_width", "block_height", "line_block_width", "line_block_height"}) {
      session.inconclusive(std::string("texture.") + fact, "the texels that one miss fetches form no rectangle");
    }
    return;
  }
  publish_block(session, map, *block);
  keep_walks(session, first_walks(execute, *block));
  const auto across = line_blocks(session, "texture.line_block_width", Axis::x, *block, subject);
  const auto down = line_blocks(session, "texture.line_block_height", Axis::y, *block, subject);
  publish_line_block(session, *block, across, down);
}

}  // namespace tomograph::texture_cache
