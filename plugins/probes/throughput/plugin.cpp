#include "tomograph/session/plugin.hpp"

#include "level.hpp"

namespace tomograph::throughput {

namespace {

constexpr auto real = TOMOGRAPH_REAL;
constexpr auto per_sm = TOMOGRAPH_PER_SM;
constexpr auto per_device = TOMOGRAPH_PER_DEVICE;

struct L1 {
  static constexpr const char* id = "throughput/l1";
  static constexpr const char* question = "How many bytes per cycle does the L1 data cache deliver to its SM?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 30;
  static constexpr std::array needs{need("device.sm_count"), need("l1_data.caches_global_loads"),
                                    optional_need("l1_data.size"), optional_need("device.max_warps_per_sm")};
  static constexpr std::array provides{
      fact_spec("l1_data.bandwidth.read", real, "B/cycle", per_sm, "What one SM reads from its L1 at best")};
  static void run(const Session& session) { find_l1(session); }
};

struct L2 {
  static constexpr const char* id = "throughput/l2";
  static constexpr const char* question = "How fast do all SMs together, and one alone, read, write and copy in L2?";
  static constexpr double expected_seconds = 0.3;
  static constexpr double time_budget = 60;
  static constexpr std::array needs{need("device.sm_count"),
                                    optional_need("l2.size"),
                                    optional_need("l2.nominal_size"),
                                    optional_need("l2.partition.count"),
                                    optional_need("l2.partition.replicated"),
                                    optional_need("l2.partition.size"),
                                    optional_need("device.max_warps_per_sm")};
  static constexpr std::array provides{
      fact_spec("l2.bandwidth.read", real, "B/s", per_device,
                "Reads that hit, of all SMs, no byte read by two of them"),
      fact_spec("l2.bandwidth.write", real, "B/s", per_device, "Writes that hit, of all SMs"),
      fact_spec("l2.bandwidth.copy", real, "B/s", per_device, "Bytes read plus bytes written, of all SMs"),
      fact_spec("l2.bandwidth.near", real, "B/s", per_device, "Reads of all SMs from their own partitions"),
      fact_spec("l2.bandwidth.read_per_sm", real, "B/cycle", per_sm, "Reads of one SM while the others are idle"),
      fact_spec("l2.saturating_bytes_in_flight", real, "B", per_device,
                "Bytes that all SMs must have asked for, so that reads from L2 come within 5 % of their maximum")};
  static void run(const Session& session) { find_l2(session); }
};

struct Noc {
  static constexpr const char* id = "throughput/noc";
  static constexpr const char* question = "How much does the interconnect between SMs and L2 let through?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 60;
  static constexpr std::array needs{need("device.sm_count"), optional_need("l2.size"), optional_need("l2.nominal_size"),
                                    optional_need("constant_l15.sm_groups"), optional_need("device.max_warps_per_sm")};
  static constexpr std::array provides{
      fact_spec("noc.bandwidth", real, "B/s", per_device,
                "Sum of what the groups of SMs draw from L2, each while all others idle"),
      fact_spec("noc.bandwidth_by_group", TOMOGRAPH_LIST, "B/cycle", per_device,
                "Pairs: SMs of a group, what they draw while all others idle"),
      fact_spec("noc.bandwidth_per_sm", real, "B/cycle", per_sm, "What one SM draws while all others idle")};
  static void run(const Session& session) { find_noc(session); }
};

struct Dram {
  static constexpr const char* id = "throughput/dram";
  static constexpr const char* question = "How fast is global memory read, written and copied, and what does it take?";
  static constexpr double expected_seconds = 0.5;
  static constexpr double time_budget = 120;
  static constexpr std::array needs{need("device.sm_count"),
                                    optional_need("l2.size"),
                                    optional_need("l2.nominal_size"),
                                    optional_need("dram.size"),
                                    optional_need("dram.bandwidth.theoretical"),
                                    optional_need("device.max_warps_per_sm")};
  static constexpr std::array provides{
      fact_spec("dram.bandwidth.read", real, "B/s", per_device, "Reads of all SMs that no cache serves"),
      fact_spec("dram.bandwidth.write", real, "B/s", per_device, "Writes of all SMs that no cache keeps"),
      fact_spec("dram.bandwidth.copy", real, "B/s", per_device, "Bytes read plus bytes written, of all SMs"),
      fact_spec("dram.bandwidth.efficiency", real, "1", per_device, "Reads over the theoretical bandwidth"),
      fact_spec("dram.saturating_bytes_in_flight", real, "B", per_device,
                "Bytes that all SMs must have asked for, so that reads come within 5 % of their maximum")};
  static void run(const Session& session) { find_dram(session); }
};

struct DramByElement {
  static constexpr const char* id = "throughput/dram.element";
  static constexpr const char* question = "How fast is global memory copied by elements of 1 to 16 bytes?";
  static constexpr double expected_seconds = 0.3;
  static constexpr double time_budget = 120;
  static constexpr std::array needs{need("device.sm_count"), optional_need("l2.size"), optional_need("l2.nominal_size"),
                                    optional_need("dram.size"), optional_need("device.max_warps_per_sm")};
  static constexpr std::array provides{fact_spec("dram.bandwidth_by_element", TOMOGRAPH_LIST, "B/s", per_device,
                                                 "Pairs: bytes of an element, bytes read plus written per second")};
  static void run(const Session& session) { find_dram_by_element(session); }
};

}  // namespace

}  // namespace tomograph::throughput

using namespace tomograph::throughput;

TOMOGRAPH_PLUGIN("throughput", "1.0.0", "Bandwidth of L1, L2 and global memory",
                 tomograph::Probes<L1, L2, Noc, Dram, DramByElement>)
