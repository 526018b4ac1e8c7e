#ifndef TOMOGRAPH_BENCH_CALIBRATION_CLAIM_HPP
#define TOMOGRAPH_BENCH_CALIBRATION_CLAIM_HPP

#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>
#include <string>

namespace calibration {

/// A published fact of a simulated GPU whose truth is known: a line of the files that benches write with --claims.
struct Claim {
  std::string simulator;  ///< the bench: "accuracy" or "independent"
  std::string family;
  std::uint64_t gpu = 0;  ///< number within the family
  std::string key;
  std::string method;
  double confidence = 0;
  bool holds = false;  ///< the value is right or, if there is an interval, it covers the truth
  bool right = false;  ///< the value is within the bench's tolerance
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Claim, simulator, family, gpu, key, method, confidence, holds, right)

/// Writes claims as JSON, one a line, all of which are there even if the bench is ended.
inline void write(std::ostream& out, std::span<const Claim> claims) {
  for (const Claim& claim : claims) out << nlohmann::json(claim) << "\n";
  out.flush();
}

}  // namespace calibration

#endif
