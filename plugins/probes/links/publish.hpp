#ifndef TOMOGRAPH_LINKS_PUBLISH_HPP
#define TOMOGRAPH_LINKS_PUBLISH_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "measured.hpp"
#include "tomograph/session.hpp"

namespace tomograph::links {

/// How a fact was measured.
struct Source {
  const char* method;
  std::string evidence;
  Value conditions = Value::table();
  double from_run_to_run = 1;  ///< factor by which values of two runs may differ, beside what repetitions show
};

/// Publishes what undisturbed repetitions show, or that it is inconclusive.
void publish_undisturbed(const Session& session, const std::string& key, const Measured& measured,
                         const Source& source);

/// A quantity of a link: the numbers of its GPUs, as the key lists them, and the repetitions.
struct Entry {
  std::vector<std::int64_t> gpus;
  Measured measured;
};

/// Publishes a list with the GPUs and the value of each entry. Entries that are not certain are left out, with their
/// reasons among the conditions; if all are, the fact is inconclusive.
void publish_entries(const Session& session, const std::string& key, const std::vector<Entry>& entries,
                     const Source& source);

}  // namespace tomograph::links

#endif
