#include "fleet/fingerprint.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <charconv>
#include <cmath>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::host {
namespace {

constexpr double interval_in_errors = 3;

/// The numbers of a list, or of a list of lists. Nothing for any other text.
std::optional<std::vector<double>> numbers_in(std::string_view list) {
  std::vector<double> numbers;
  for (const char* at = list.data(); at != list.data() + list.size();) {
    if (std::string_view("[], \n").find(*at) != std::string_view::npos) {
      ++at;
      continue;
    }
    const auto [end, error] = std::from_chars(at, list.data() + list.size(), numbers.emplace_back());
    if (error != std::errc()) return std::nullopt;
    at = end;
  }
  return numbers;
}

}  // namespace

std::optional<Fingerprint> fingerprint_of(std::string_view cycles, std::string_view intervals) {
  auto values = numbers_in(cycles);
  const auto bounds = numbers_in(intervals);
  if (!values || !bounds || values->empty() || bounds->size() != 2 * values->size()) return std::nullopt;
  Fingerprint fingerprint{std::move(*values), 0};
  for (std::size_t i = 0; i < bounds->size(); i += 2) {
    const double half = ((*bounds)[i + 1] - (*bounds)[i]) / 2;
    fingerprint.error = std::max(fingerprint.error, half / interval_in_errors);
  }
  return fingerprint;
}

double normal_distance(double probability) {
  return boost::math::quantile(boost::math::complement(boost::math::normal(), probability / 2));
}

bool may_be_one_board(const Fingerprint& a, const Fingerprint& b, double false_alarm_rate) {
  if (a.cycles.size() != b.cycles.size()) return false;
  std::vector<double> differences;
  std::ranges::transform(a.cycles, b.cycles, std::back_inserter(differences), std::minus<>());
  const double shift = analysis::median(differences);
  const auto sms = static_cast<double>(differences.size());
  const double most = normal_distance(false_alarm_rate / sms) * std::hypot(a.error, b.error);
  return std::ranges::all_of(differences, [&](double difference) { return std::abs(difference - shift) <= most; });
}

}  // namespace tomograph::host
