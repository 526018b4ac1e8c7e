#ifndef TOMOGRAPH_EXPORTERS_GALLERY_GALLERY_HPP
#define TOMOGRAPH_EXPORTERS_GALLERY_GALLERY_HPP

#include <string>

#include "tomograph/exporter.hpp"

namespace tomograph::gallery {

/// The topology as TOML without what identifies a machine or a user: UUIDs, paths, addresses, the name of the machine
/// that measured it, and the two names given, of the machine and the user that export it, which may be empty. The first
/// lines say what was removed.
[[nodiscard]] std::string publishable(const Topology& topology, const std::string& machine, const std::string& user);

}  // namespace tomograph::gallery

#endif
