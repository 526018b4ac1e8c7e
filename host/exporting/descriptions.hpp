#ifndef TOMOGRAPH_HOST_EXPORTING_DESCRIPTIONS_HPP
#define TOMOGRAPH_HOST_EXPORTING_DESCRIPTIONS_HPP

#include "loading/catalogue.hpp"

namespace tomograph::host {

/// A topology as JSON, each fact with the `description` that a plugin of the catalogue declares for its key. Facts that
/// no plugin declares, such as those that a device reports, get none.
[[nodiscard]] Json described(Json topology, const Catalogue& catalogue);

}  // namespace tomograph::host

#endif
