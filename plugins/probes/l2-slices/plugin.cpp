#include "tomograph/plugin.hpp"

#include "questions.hpp"
#include "tomograph/literal.hpp"

namespace tomograph::l2_slices {

namespace {

using declare::per_device;

struct Slices {
  static constexpr const char* id = "l2-slices/slices";
  static constexpr const char* question = "How many slices does L2 have, and how far are they from each SM?";
  static constexpr double expected_seconds = 0.4;
  static constexpr double time_budget = 30;
  static constexpr auto needs =
      concatenated(std::array{need("l2.line_size")},
                   optional_needs("l2.size", "l2.nominal_size", "l2.partition.of_sm", "l1_data.fetch_granularity"));
  static constexpr std::array provides{
      declare::count("l2.slices", per_device, "Slices of L2 that answer"),
      declare::count("l2.slices_at_least", per_device, "Slices that latencies or both methods surely tell apart"),
      fact_spec("l2.slice_function", TOMOGRAPH_TABLE, "", per_device,
                "How address bits choose the slice: xor-masks, masks-and-remainder, or a table of a 2 MiB page"),
      declare::bytes_per_cycle("l2.bandwidth_per_slice", per_device,
                               "Sectors that one slice delivers if all SMs load lines of it"),
      declare::ratio("l2.atomics_per_slice", per_device,
                     "Atomic additions that one slice serves in a cycle if all SMs add to a few of its lines"),
      declare::capacity("l2.slice_size", per_device, "Capacity of a slice"),
      declare::list("l2.page_lines_by_slice", "1", per_device,
                    "Lines of a page of 2 MiB in each slice; slices that no latency separates share theirs evenly"),
      declare::list(
          "l2.latency_by_sm_and_slice", "cycle", per_device,
          "For each SM the latency of the lines of each slice, or of each group of slices that latency tells apart"),
      declare::list("l2.equal_latency.sm_groups", "", per_device, "SMs that are equally far from every slice"),
      declare::list("l2.parallel_latency.sm_groups", "", per_device,
                    "SMs whose latencies to every slice differ by the same number of cycles")};
  static void run(const Session& session) { find_slices(session); }
};

}  // namespace

}  // namespace tomograph::l2_slices

using namespace tomograph::l2_slices;

TOMOGRAPH_PLUGIN("l2-slices", "1.0.0", "Slices of L2, by latency and by contention", tomograph::Probes<Slices>)
