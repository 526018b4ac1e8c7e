#include "reliability.hpp"

#include <cmath>
#include <sstream>

#include "tomograph/analysis/proportion.hpp"

namespace tomograph::bench {

namespace {

constexpr auto& edges = reliability_edges;

Bin bin_of(std::span<const Claim> claims, double low, double high) {
  Bin bin{low, high};
  std::size_t true_claims = 0;
  for (const Claim& claim : claims) {
    const bool last = high == edges.back() && claim.confidence >= high;
    if (claim.confidence < low || (claim.confidence >= high && !last)) continue;
    ++bin.claims;
    bin.claimed += claim.confidence;
    true_claims += claim.holds ? 1 : 0;
  }
  if (bin.claims == 0) return bin;
  bin.claimed /= static_cast<double>(bin.claims);
  bin.observed = static_cast<double>(true_claims) / static_cast<double>(bin.claims);
  bin.likely = analysis::wilson(true_claims, bin.claims, 0.95);
  return bin;
}

/// 1 - p in pixels, on a logarithmic scale from 1 to 1/1000. A linear scale would hide differences near p = 1.
double place(double probability) {
  constexpr double pixels = 400;
  const double doubt = std::max(1e-3, 1 - probability);
  return -std::log10(doubt) / 3 * pixels;
}

}  // namespace

std::vector<Bin> reliability(std::span<const Claim> claims) {
  std::vector<Bin> bins;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const Bin bin = bin_of(claims, edges[i], edges[i + 1]);
    if (bin.claims > 0) bins.push_back(bin);
  }
  return bins;
}

double expected_calibration_error(std::span<const Bin> bins) {
  double sum = 0;
  double claims = 0;
  for (const Bin& bin : bins) {
    sum += static_cast<double>(bin.claims) * std::abs(bin.claimed - bin.observed);
    claims += static_cast<double>(bin.claims);
  }
  return claims > 0 ? sum / claims : 0;
}

std::string diagram(std::span<const Bin> bins) {
  std::ostringstream svg;
  svg << R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="-70 -20 500 480" font-family="sans-serif" font-size="12">)"
      << "\n<title>Observed against claimed confidence; doubt on logarithmic scales</title>\n"
      << R"(<rect width="400" height="400" fill="none" stroke="black"/>)"
      << "\n"
      << R"(<line x1="0" y1="400" x2="400" y2="0" stroke="gray" stroke-dasharray="4"/>)"
      << "\n";
  for (const double tick : {0.0, 0.5, 0.9, 0.99, 0.999}) {
    svg << "<text x=\"" << place(tick) << "\" y=\"418\" text-anchor=\"middle\">" << tick << "</text><text x=\"-8\" y=\""
        << 404 - place(tick) << "\" text-anchor=\"end\">" << tick << "</text>\n";
  }
  for (const Bin& bin : bins) {
    const double x = place(bin.claimed);
    svg << "<line x1=\"" << x << "\" x2=\"" << x << "\" y1=\"" << 400 - place(bin.likely.low) << "\" y2=\""
        << 400 - place(bin.likely.high) << "\" stroke=\"black\"/><circle cx=\"" << x << "\" cy=\""
        << 400 - place(bin.observed) << "\" r=\"4\"><title>" << bin.claims << " claims at " << bin.claimed << ", true "
        << bin.observed << "</title></circle>\n";
  }
  svg << "<text x=\"200\" y=\"445\" text-anchor=\"middle\">claimed confidence</text>\n"
      << "<text x=\"-50\" y=\"200\" text-anchor=\"middle\" transform=\"rotate(-90 -50 200)\">share of true "
         "claims</text>\n"
      << "</svg>\n";
  return svg.str();
}

}  // namespace tomograph::bench
