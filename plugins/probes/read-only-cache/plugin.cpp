#include "tomograph/cache/levels.hpp"
#include "tomograph/cache/probes.hpp"

TOMOGRAPH_PLUGIN("read-only-cache", "1.0.0", "The cache behind loads of data that no one writes (ld.global.nc)",
                 tomograph::cache::PrivateCacheProbes<tomograph::cache::read_only>)
