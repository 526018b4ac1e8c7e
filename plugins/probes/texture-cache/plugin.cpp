#include "locality.hpp"
#include "tomograph/cache/levels.hpp"
#include "tomograph/cache/probes.hpp"

namespace tomograph::texture_cache {

namespace {

struct Locality {
  static constexpr const char* id = "texture-cache/locality";
  static constexpr const char* question = "Which texels of a two-dimensional texture come and go together?";
  static constexpr double expected_seconds = 0.3;
  static constexpr double time_budget = 60;
  static constexpr std::array needs{need("device.sm_count"), optional_need("texture.line_size")};
  static constexpr std::array provides{
      fact_spec("texture.latency_2d", TOMOGRAPH_REAL, "cycle", TOMOGRAPH_PER_SM,
                "From the load of a texel of a two-dimensional texture to its use, on a hit"),
      fact_spec("texture.block_width", TOMOGRAPH_INTEGER, "B", TOMOGRAPH_PER_SM, "Bytes of a row that one miss brings"),
      fact_spec("texture.block_height", TOMOGRAPH_INTEGER, "1", TOMOGRAPH_PER_SM, "Rows that one miss brings"),
      fact_spec("texture.line_block_width", TOMOGRAPH_INTEGER, "B", TOMOGRAPH_PER_SM,
                "Bytes of a row that are evicted as a whole"),
      fact_spec("texture.line_block_height", TOMOGRAPH_INTEGER, "1", TOMOGRAPH_PER_SM,
                "Rows that are evicted as a whole")};
  static void run(const Session& session) { find_locality(session); }
};

}  // namespace

}  // namespace tomograph::texture_cache

using namespace tomograph::texture_cache;
using namespace tomograph::cache;

TOMOGRAPH_PLUGIN("texture-cache", "1.0.0", "The cache behind textures, and how it holds two-dimensional ones",
                 tomograph::Probes<LatencyProbe<texture>, FetchProbe<texture>, LineProbe<texture>, SizeProbe<texture>,
                                   OrganisationProbe<texture>, TaggingProbe<texture>, Locality>)
