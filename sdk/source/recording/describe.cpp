#include <algorithm>
#include <array>
#include <stdexcept>

#include "tomograph/chase.hpp"
#include "tomograph/recording.hpp"

namespace tomograph {

namespace {

/// Longer lists are cut, so that the description stays one readable line.
constexpr std::size_t most_told = 4;
constexpr std::size_t most_parameters = 8;

template <typename T, typename Tell>
void append_each(std::string& text, const std::string& what, const std::vector<T>& elements, Tell tell) {
  for (std::size_t i = 0; i < std::min(elements.size(), most_told); ++i) {
    text += ", " + what + " " + std::to_string(i) + ": " + tell(elements[i]);
  }
  if (elements.size() > most_told) text += ", " + std::to_string(elements.size() - most_told) + " more " + what + "s";
}

std::string tell_ring(const chase::Ring& ring) {
  std::string text = std::to_string(ring.size()) + " nodes ";
  if (!ring.nodes.empty()) {
    text += "listed from offset " + std::to_string(ring.nodes.front()) + " B";
  } else {
    text += "of stride " + std::to_string(ring.stride) + " B";
    if (ring.start != 0) text += " from offset " + std::to_string(ring.start) + " B";
    if (ring.order == chase::Order::shuffled) text += " shuffled by seed " + std::to_string(ring.seed);
  }
  return ring.array == 0 ? text : text + " in array " + std::to_string(ring.array);
}

std::string tell_path(chase::Path path) {
  switch (path) {
    case chase::Path::global_ca: return "global.ca";
    case chase::Path::global_cg: return "global.cg";
    case chase::Path::global_nc: return "global.nc";
    case chase::Path::texture: return "texture";
    case chase::Path::texture_2d: return "texture_2d";
    case chase::Path::constant: return "constant";
    case chase::Path::shared: return "shared";
    case chase::Path::instruction: return "instruction";
  }
  return "path " + std::to_string(static_cast<std::int64_t>(path));
}

std::string tell_actor(const chase::Actor& actor) {
  std::string text = tell_path(actor.path);
  if (actor.sm != chase::any_sm) text += " on SM " + std::to_string(actor.sm);
  if (actor.threads != 1) text += " by " + std::to_string(actor.threads) + " threads";
  return text;
}

std::string tell_phase(const chase::Phase& phase) {
  static constexpr std::array timings{"untimed", "timed in total", "timed each"};
  std::string text = std::to_string(phase.loads) + " loads " + timings.at(static_cast<std::size_t>(phase.timing));
  if (phase.ring != 0) text += " of ring " + std::to_string(phase.ring);
  if (phase.first != 0) text += " from node " + std::to_string(phase.first);
  if (phase.actor != 0) text += " by actor " + std::to_string(phase.actor);
  return text;
}

std::string tell_program(const chase::Program& program) {
  std::string text;
  append_each(text, "array", program.arrays,
              [](const chase::Array& array) { return std::to_string(array.bytes) + " B"; });
  append_each(text, "ring", program.rings, tell_ring);
  append_each(text, "actor", program.actors, tell_actor);
  append_each(text, "phase", program.phases, tell_phase);
  if (program.carveout != chase::default_carveout) text += ", carve-out " + std::to_string(program.carveout) + " B";
  if (program.alone) text += ", alone";
  if (program.trial != 0) text += ", trial " + std::to_string(program.trial);
  return text;
}

std::string tell_array(const ArrayView& array) {
  const std::string name(array.name());
  if (array.size() != 1) return name + " of " + std::to_string(array.size()) + " numbers";
  return name + " " + array.visit([](auto numbers) { return std::to_string(numbers.front()); });
}

}  // namespace

std::string describe(const Experiment& experiment) {
  if (experiment.id == TOMOGRAPH_CHASE_ID) {
    try {
      return experiment.id + tell_program(chase::decode(experiment));
    } catch (const std::invalid_argument&) {
      // Malformed: described like any other experiment.
    }
  }
  std::string text = experiment.id;
  const std::size_t told = std::min(experiment.parameters.size(), most_parameters);
  for (std::size_t i = 0; i < told; ++i) text += ", " + tell_array(experiment.parameters[i]);
  const std::size_t more = experiment.parameters.size() - told;
  return more == 0 ? text : text + ", " + std::to_string(more) + " more parameters";
}

}  // namespace tomograph
