#include <string>
#include <string_view>

#include "hwloc.hpp"
#include "infos.hpp"

namespace tomograph::hwloc {

namespace {

/// hwloc-annotate and hwloc-info end with 0 even if there is no such object, which then has no output.
constexpr std::string_view beginning = R"sh(#!/bin/sh
# Adds what tomograph found to a GPU in a topology of hwloc: sh SCRIPT INPUT.xml OUTPUT.xml [OBJECT]
# OBJECT is a location as in hwloc(7), e.g. os=cuda0, pci=0000:65:00.0 or root; default: where the GPU was, if known.
)sh";
constexpr std::string_view checks = R"sh(set -eu
[ $# -eq 3 ] || [ $# -eq 2 -a -n "$own" ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
object=${3:-pci=$own}
[ -n "$(hwloc-info --input "$1" "$object")" ] || { echo "$1: no object $object" >&2; exit 2; }
part=$2.part
trap 'rm -f "$part"' EXIT
cp "$1" "$part"
info() { hwloc-annotate --ri "$part" "$part" -- "$object" -- info "$1" "$2"; }
)sh";
constexpr std::string_view end = "mv \"$part\" \"$2\"\n";

/// A word of the shell, whatever it contains.
std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char character : text) {
    if (character == '\'') {
      word += "'\\''";
    } else {
      word += character;
    }
  }
  return word + "'";
}

}  // namespace

std::string annotation_script(const Topology& topology) {
  std::string script(beginning);
  script += "own=" + shell_word(topology.value<std::string>("device.pci_bus_id").value_or("")) + "\n";
  script += checks;
  for (const auto& [name, value] : device_infos(topology))
    script += "info " + shell_word(name) + " " + shell_word(value) + "\n";
  return script.append(end);
}

}  // namespace tomograph::hwloc
