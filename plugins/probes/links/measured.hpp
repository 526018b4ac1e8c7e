#ifndef TOMOGRAPH_LINKS_MEASURED_HPP
#define TOMOGRAPH_LINKS_MEASURED_HPP

#include <optional>
#include <string>
#include <vector>

#include "acquire_chases.hpp"
#include "acquire_transfers.hpp"
#include "tomograph/analysis/undisturbed.hpp"

/// What curves say of a quantity, by repetition.
namespace tomograph::links {

/// Repetitions of one quantity, or the reason why there are none.
struct Measured {
  std::vector<double> values = {};
  analysis::Faster faster = analysis::Faster::more;
  std::string reason = {};
  std::optional<analysis::Undisturbed> derived = {};  ///< what values tell, if it is not one of them

  /// @throws std::invalid_argument if there are no values.
  [[nodiscard]] analysis::Undisturbed undisturbed() const;
};

/// No repetitions, for this reason.
[[nodiscard]] Measured nothing(std::string reason);

/// Bytes per second.
[[nodiscard]] Measured rates_of(const Curve& curve);
[[nodiscard]] Measured rates_of(const SmRates& rates);
/// `rates` of one way, unless they exceed those of `copies` both ways: what is faster than a link does not cross it.
[[nodiscard]] Measured below(Measured rates, const Measured& copies);
/// Bytes per second of two routes together.
[[nodiscard]] Measured sum_of(const std::vector<double>& one, const std::vector<double>& other);
/// Bytes at which a copy reaches half of the largest rate.
[[nodiscard]] Measured half_peak_of(const Curve& curve);
/// Seconds of an access, on the plateau.
[[nodiscard]] Measured latency_of(const Chases& chases);

}  // namespace tomograph::links

#endif
