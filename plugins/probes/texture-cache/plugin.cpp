#include "questions.hpp"
#include "tomograph/cache/levels.hpp"
#include "tomograph/cache/probes.hpp"

namespace tomograph::texture_cache {

namespace {

struct Locality {
  static constexpr const char* id = "texture-cache/locality";
  static constexpr const char* question = "Which texels of a two-dimensional texture are fetched and evicted together?";
  static constexpr double expected_seconds = 0.3;
  static constexpr double time_budget = 60;
  static constexpr bool shares_device = true;
  static constexpr std::array needs{need("device.sm_count"), optional_need("texture.line_size"),
                                    optional_need("texture.hit_threshold")};
  static constexpr std::array provides{
      declare::cycles("texture.latency_2d", cache::texture.scope,
                      "Latency of a hit in a two-dimensional texture, from a load to its use"),
      declare::bytes("texture.block_width", cache::texture.scope, "Bytes of a row that one miss fetches"),
      declare::count("texture.block_height", cache::texture.scope, "Rows that one miss fetches"),
      declare::bytes("texture.line_block_width", cache::texture.scope, "Bytes of a row that are evicted as a whole"),
      declare::count("texture.line_block_height", cache::texture.scope, "Rows that are evicted as a whole")};
  static void run(const Session& session) { find_locality(session); }
};

}  // namespace

}  // namespace tomograph::texture_cache

using namespace tomograph::texture_cache;
using namespace tomograph::cache;

TOMOGRAPH_PLUGIN("texture-cache", "1.0.0", "The cache behind textures, and how it holds two-dimensional ones",
                 tomograph::Probes<LatencyProbe<texture>, FetchProbe<texture>, LineProbe<texture>, SizeProbe<texture>,
                                   OrganisationProbe<texture>, TaggingProbe<texture>, Locality>)
