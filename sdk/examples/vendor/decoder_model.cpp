#include "decoder_model.hpp"

#include <stdexcept>

#include "tomograph/instrument.hpp"

namespace {

/// An imagined decoder: these numbers are made up.
constexpr std::int64_t bytes_per_cycle = 16;
constexpr std::int64_t start_cycles = 21;
constexpr std::int64_t dictionary_cycles = 118;  ///< to fetch the dictionary of a cold decoder

tomograph::Arrays decoded(const tomograph::Experiment& experiment) {
  const auto number = [&](const char* name) {
    return tomograph::numbers<std::int64_t>(experiment.parameters, name).front();
  };
  const std::int64_t ratio = number("ratio");
  if (ratio < 1) throw std::invalid_argument("ratio: expected at least 1");
  const std::int64_t warm = start_cycles + number("block_bytes") / bytes_per_cycle + ratio;
  std::vector<std::uint32_t> cycles(static_cast<std::size_t>(number("blocks")), static_cast<std::uint32_t>(warm));
  if (number("cold") != 0 && !cycles.empty()) cycles.front() += dictionary_cycles;
  return {{"cycles", cycles}};
}

}  // namespace

DecoderModel::DecoderModel(const tomograph::Session& /*session*/, std::string_view /*target*/) {}

std::vector<tomograph::Answer> DecoderModel::execute(std::span<const tomograph::Experiment> batch) {
  return tomograph::answer_each(batch, decoded);
}
