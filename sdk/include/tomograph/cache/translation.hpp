#ifndef TOMOGRAPH_CACHE_TRANSLATION_HPP
#define TOMOGRAPH_CACHE_TRANSLATION_HPP

#include <span>

#include "tomograph/cache/subject.hpp"

/// Loads of lines all over a shared cache, of whose pages the first TLB holds few. Other programs take pages for 64 KiB
/// or more, as GPUs have them. Where pages are smaller, loads miss the TLB, which passes for a far line or a miss of
/// the cache.
namespace tomograph::cache {

/// Whether visits of lines miss no TLB, by the same visits with their translations known: these do not take longer but
/// for noise. Of each visit, both have what the first load of its line takes longer than the second; of a hundred
/// visits or more.
[[nodiscard]] bool translated_alike(std::span<const double> visits, std::span<const double> translated);

/// Whether visits miss a TLB though another line within 64 KiB has just been loaded. Executes two short programs, and
/// thirty more where noise would hide what a TLB adds. False if the device refuses them: recordings may not have them.
[[nodiscard]] bool has_small_pages(const Executor& execute);

/// Executes programs so that their timed loads hit the first TLB: just before each, another line within its 4 KiB is
/// loaded, which is timed with it and left out of the result. Loads that are timed in total are timed one by one for
/// that. Programs in which several threads are timed, or 4 KiB have no room for such lines, are executed as they are.
[[nodiscard]] Executor with_translations(Executor execute);

}  // namespace tomograph::cache

#endif
