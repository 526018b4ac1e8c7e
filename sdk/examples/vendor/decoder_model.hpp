#ifndef DECODER_MODEL_HPP
#define DECODER_MODEL_HPP

#include <span>
#include <string_view>
#include <vector>

#include "tomograph/session.hpp"

/// Example Corp.'s own experiment: it decodes compressed blocks one after the other.
///
/// Parameters (I64): "block_bytes", "ratio" (compressed to 1/ratio), "blocks", "cold" (1: no block was decoded before).
/// Answer: "cycles" (U32), of each block.
inline constexpr const char* decode_id = "com.example.lens.decode/1";

/// Answers the experiment on simulated GPUs from the decoder's design model. Real hardware would get another executor,
/// for the device "cuda".
class DecoderModel {
 public:
  static constexpr const char* experiment = decode_id;
  static constexpr const char* device = "sim";
  static constexpr const char* description = "Design model of Example Corp.'s decoder";

  DecoderModel(const tomograph::Session& session, std::string_view target);
  [[nodiscard]] static std::vector<tomograph::Answer> execute(std::span<const tomograph::Experiment> batch);
};

#endif
