#include "tomograph/cache/probes.hpp"

namespace {

constexpr tomograph::cache::Level read_only{.prefix = "read_only",
                                            .probe = "read-only-cache/",
                                            .name = "the read-only cache",
                                            .scope = TOMOGRAPH_PER_SM,
                                            .path = tomograph::chase::Path::global_nc};

}  // namespace

TOMOGRAPH_PLUGIN("read-only-cache", "1.0.0", "The cache behind loads of data that no one writes (ld.global.nc)",
                 tomograph::cache::PrivateCacheProbes<read_only>)
