#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "gallery.hpp"
#include "tomograph/exporter.hpp"

namespace {

std::string machine_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// From the environment, which containers and services often leave without it, or else from the user database.
std::string user_name() {
  if (const char* name = std::getenv("USER")) return name;
  const passwd* entry = ::getpwuid(::getuid());
  return entry == nullptr ? "" : entry->pw_name;
}

struct Gallery {
  static constexpr const char* id = "gallery";
  static constexpr const char* description =
      "The topology to publish: without UUIDs, paths, and names of machines and of who exports";
  static constexpr const char* suffix = ".toml";

  static void write(const tomograph::Topology& topology, tomograph::Sink& sink) {
    sink.write(tomograph::gallery::publishable(topology, machine_name(), user_name()));
  }
};

}  // namespace

TOMOGRAPH_PLUGIN("gallery", "1.0.0", "Makes topologies fit to publish", tomograph::Exporters<Gallery>)
