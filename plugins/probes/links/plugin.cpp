#include "tomograph/plugin.hpp"

#include "questions.hpp"

namespace tomograph::links {

namespace {

using declare::per_device;

constexpr tomograph_fact_spec seconds(const char* key, const char* help) {
  return fact_spec(key, TOMOGRAPH_REAL, "s", per_device, help);
}

struct HostLatency {
  static constexpr const char* id = "links/host.latency";
  static constexpr const char* question = "How long does a load from the host's memory take?";
  static constexpr double expected_seconds = 0.2;
  static constexpr double time_budget = 30;
  static constexpr auto uses_links = TOMOGRAPH_LINK_TO_HOST;
  static constexpr std::array needs{need("device.gpus")};
  static constexpr std::array provides{seconds("host.latency", "Latency of a load from page-locked memory")};
  static void run(const Session& session) { find_host_latency(session); }
};

struct HostBandwidth {
  static constexpr const char* id = "links/host.bandwidth";
  static constexpr const char* question = "How fast is the host's memory read, written and copied?";
  static constexpr double expected_seconds = 5;
  static constexpr double time_budget = 60;
  static constexpr auto uses_links = TOMOGRAPH_LINK_TO_HOST;
  static constexpr std::array needs{need("device.gpus"), need("device.gpu"), optional_need("dram.free"),
                                    optional_need("l2.nominal_size")};
  static constexpr std::array provides{
      declare::bytes_per_second("host.bandwidth.read", per_device, "Reads of page-locked memory by SMs"),
      declare::bytes_per_second("host.bandwidth.write", per_device, "Writes of page-locked memory by SMs"),
      declare::bytes_per_second("host.bandwidth.copy_in", per_device, "Copies from page-locked memory"),
      declare::bytes_per_second("host.bandwidth.copy_out", per_device, "Copies to page-locked memory"),
      declare::bytes_per_second("host.bandwidth.both_ways", per_device,
                                "Copies from and to page-locked memory at the same time, both together"),
      declare::bytes_per_second("host.bandwidth.pageable_in", per_device, "Copies from pageable memory"),
      declare::bytes_per_second("host.bandwidth.pageable_out", per_device, "Copies to pageable memory"),
      fact_spec("host.half_peak_size", TOMOGRAPH_REAL, "B", per_device,
                "Size of a copy from page-locked memory that reaches half of the largest rate")};
  static void run(const Session& session) { find_host_bandwidth(session); }
};

struct PageFault {
  static constexpr const char* id = "links/host.page_fault";
  static constexpr const char* question = "What does a page fault in managed memory cost?";
  static constexpr double expected_seconds = 0.5;
  static constexpr double time_budget = 30;
  static constexpr auto uses_links = TOMOGRAPH_LINK_TO_HOST;
  static constexpr std::array needs{need("device.gpus"), optional_need("dram.free")};
  static constexpr std::array provides{
      seconds("host.page_fault", "Time of a load from managed memory whose page the host wrote last")};
  static void run(const Session& session) { find_page_fault(session); }
};

struct LinkLatency {
  static constexpr const char* id = "links/latency";
  static constexpr const char* question = "How long do loads and atomics in the memory of another GPU take?";
  static constexpr double expected_seconds = 0.5;
  static constexpr double time_budget = 60;
  static constexpr auto uses_links = TOMOGRAPH_LINKS_TO_GPUS;
  static constexpr std::array needs{need("device.gpus"), need("device.gpu"), optional_need("device.peer_access"),
                                    optional_need("device.native_atomics")};
  static constexpr std::array provides{
      declare::list("link.latency", "s", per_device, "Pairs: number of a GPU, latency of a load from its memory"),
      declare::list("link.atomic_latency", "s", per_device,
                    "Pairs: number of a GPU, latency of an atomic in its memory")};
  static void run(const Session& session) { find_link_latency(session); }
};

struct LinkBandwidth {
  static constexpr const char* id = "links/bandwidth";
  static constexpr const char* question = "How fast are the memories of other GPUs read, written and copied?";
  static constexpr double expected_seconds = 3;
  static constexpr double time_budget = 120;
  static constexpr auto uses_links = TOMOGRAPH_LINKS_TO_GPUS;
  static constexpr std::array needs{need("device.gpus"), need("device.gpu"), optional_need("device.peer_access"),
                                    optional_need("dram.free"), optional_need("l2.nominal_size")};
  static constexpr std::array provides{
      declare::list("link.bandwidth.read", "B/s", per_device, "Pairs: number of a GPU, reads of its memory by SMs"),
      declare::list("link.bandwidth.write", "B/s", per_device, "Pairs: number of a GPU, writes of its memory by SMs"),
      declare::list("link.bandwidth.copy", "B/s", per_device,
                    "Triples: numbers of two GPUs, copies from the first to the second while other links are idle"),
      declare::list("link.bandwidth.both_ways", "B/s", per_device,
                    "Pairs: number of a GPU, copies to it and from it at the same time, both together"),
      declare::list("link.bandwidth.all_pairs", "B/s", per_device,
                    "Triples: numbers of two GPUs, copies from the first to the second while all others copy as well"),
      declare::list("link.half_peak_size", "B", per_device,
                    "Pairs: number of a GPU, size of a copy to it that reaches half of the largest rate")};
  static void run(const Session& session) { find_link_bandwidth(session); }
};

}  // namespace

}  // namespace tomograph::links

using namespace tomograph::links;

TOMOGRAPH_PLUGIN("links", "1.0.0", "Links to other GPUs and to the host",
                 tomograph::Probes<HostLatency, HostBandwidth, PageFault, LinkLatency, LinkBandwidth>)
