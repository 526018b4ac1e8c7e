// Ranks send copies of a topology to rank 0, which keeps them as `tomograph-fleet` does: fleet-traffic TOPOLOGY COUNT.
// Prints a row of README.md's table: topologies, MiB that arrived, seconds, processor seconds of rank 0.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "mpi/collector.hpp"
#include "mpi/mailbox.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace tomograph::host;
using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

double processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Sends this rank's share of `count` topologies, each of a GPU of its own, and then how many bytes these were.
void send(const Mpi& mpi, const std::string& topology, int count) {
  std::size_t bytes = 0;
  mpi.send_to_first({{"kind", "begun"}, {"gpus", count / (mpi.size() - 1)}});
  for (int i = mpi.rank() - 1; i < count; i += mpi.size() - 1) {
    const Json message{
        {"kind", "topology"}, {"node", Mpi::node()}, {"device", fmt::format("sim:{}", i)}, {"text", topology}};
    bytes += Json::to_cbor(message).size();
    mpi.send_to_first(message);
  }
  mpi.send_to_first({{"kind", "ended"}, {"bytes", bytes}});
}

/// Returns whether all arrived.
bool receive(const Mpi& mpi, int count) {
  const TemporaryFolder folder;
  const Folder files(folder.path() / "{uuid}.toml");
  Collector collector(files, mpi.size() - 1);
  double bytes = 0;
  const auto begun = Clock::now();
  const double worked = processor_seconds();
  while (!collector.has_all()) {
    const auto message = mpi.received();
    if (message) {
      bytes += static_cast<double>(message->value("bytes", std::size_t{0}));
      collector.take(*message);
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  fmt::print("| {} | {:.1f} | {:.2f} | {:.2f} |\n", count, bytes / 1024 / 1024,
             std::chrono::duration<double>(Clock::now() - begun).count(), processor_seconds() - worked);
  return files.gpus().size() == static_cast<std::size_t>(count);
}

}  // namespace

int main(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  if (argc != 3 || mpi.size() < 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::string topology(std::istreambuf_iterator<char>(file), {});
  const int count = std::stoi(argv[2]);
  if (mpi.rank() == 0) return receive(mpi, count) ? 0 : 1;
  send(mpi, topology, count);
  return 0;
}
