#ifndef TOMOGRAPH_SIM_LINKS_FACTS_HPP
#define TOMOGRAPH_SIM_LINKS_FACTS_HPP

#include <vector>

#include "sim/gpu/description.hpp"
#include "tomograph/value.hpp"

namespace tomograph::sim {

/// A fact about links as the vendor's interface would report it.
struct LinkFact {
  const char* key;
  Value value;
  const char* unit;
};

/// What follows from the descriptions of host and node; nothing if neither is described.
[[nodiscard]] std::vector<LinkFact> link_facts(const Gpu& gpu);

}  // namespace tomograph::sim

#endif
