#include "machine.hpp"

#include <algorithm>
#include <cmath>

namespace tomograph::mdm {

double CtaLaunch::cycles_of(double warps_of_cta) const {
  if (warps.empty()) return 0;
  const auto above = std::ranges::lower_bound(warps, warps_of_cta);
  if (above == warps.begin()) return cycles.front();
  if (above == warps.end()) return cycles.back() * warps_of_cta / warps.back();
  const auto next = static_cast<std::size_t>(above - warps.begin());
  const double share = (warps_of_cta - warps[next - 1]) / (*above - warps[next - 1]);
  return cycles[next - 1] + share * (cycles[next] - cycles[next - 1]);
}

double resident_ctas(const Machine& machine, const kernel::Profile& profile) {
  return std::min({static_cast<double>(profile.ctas_per_sm), machine.max_ctas_per_sm,
                   std::floor(machine.max_warps_per_sm / static_cast<double>(profile.warps_per_cta))});
}

}  // namespace tomograph::mdm
