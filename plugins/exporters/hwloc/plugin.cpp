#include <array>
#include <string>

#include "hwloc.hpp"
#include "tomograph/exporter.hpp"

namespace {

struct Hwloc {
  static constexpr const char* id = "hwloc";
  static constexpr const char* description = "XML topology of hwloc 2 for lstopo, or a script that annotates a host's";
  static constexpr const char* suffix = ".xml";
  static constexpr std::array parameters{
      tomograph::parameter("form", TOMOGRAPH_TEXT, "\"topology\"", 0, 0,
                           "topology: the GPU in XML; annotate: a shell script that adds its facts to a host's XML")};

  static void write(const tomograph::Topology& topology, tomograph::Sink& sink, const tomograph::Session& session) {
    const auto form = session.parameter<std::string>("form");
    if (form == "topology") {
      sink.write(tomograph::hwloc::topology_xml(topology));
    } else if (form == "annotate") {
      sink.write(tomograph::hwloc::annotation_script(topology));
    } else {
      throw tomograph::Refused(TOMOGRAPH_INVALID, "form: expected topology or annotate, found '" + form + "'");
    }
  }
};

}  // namespace

TOMOGRAPH_PLUGIN("hwloc", "1.0.0", "Writes topologies for hwloc", tomograph::Exporters<Hwloc>)
