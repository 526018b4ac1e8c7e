#ifndef TOMOGRAPH_WORKLOADS_CTA_SPAN_HPP
#define TOMOGRAPH_WORKLOADS_CTA_SPAN_HPP

#include <cstdint>

namespace tomograph::workloads {

/// When a CTA ran, by the clock of its SM.
struct CtaSpan {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t sm = 0;
};

}  // namespace tomograph::workloads

#endif
