#include <fmt/format.h>
#include <sys/resource.h>
#include <toml++/toml.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "temporary_folder.hpp"

namespace {

/// Seconds of one probe, or of all.
struct Times {
  std::string probe;
  double all = 0;
  double device = 0;
  double plugin = 0;

  [[nodiscard]] double host() const { return all - device - plugin; }
};

/// Seconds of a run.
struct RunTimes {
  double all = 0;
  double processor = 0;
  double opening = 0;
  double closing = 0;  ///< after the results were written
  std::optional<double> gpu_busy;
  std::vector<Times> probes;
};

/// Processor time of all processes that this one started and that have ended.
double processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// The library that lists when a GPU is busy lies beside this program if the CUDA toolkit has CUPTI.
std::filesystem::path gpu_activity_library() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "gpu-activity.so";
}

/// Seconds in which at least one of the activities ran that `file` lists. Nothing if there are none.
std::optional<double> busy_seconds(const std::filesystem::path& file) {
  std::ifstream lines(file);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> activities;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  while (lines >> begin >> end) activities.emplace_back(begin, end);
  if (activities.empty()) return std::nullopt;
  std::ranges::sort(activities);
  std::uint64_t busy = 0;
  std::uint64_t until = 0;
  for (const auto& [from, to] : activities) {
    busy += to - std::clamp(until, from, to);
    until = std::max(until, to);
  }
  return static_cast<double>(busy) / 1e9;
}

double number(toml::node_view<const toml::node> node) { return node.value_or(0.0); }

std::string quoted(const std::string& text) { return "'" + text + "'"; }

RunTimes times_of_run(const std::string& device, const std::vector<std::string>& options) {
  const TemporaryFolder folder;
  const std::string file = (folder / "topology.toml").string();
  const std::filesystem::path activity = folder / "activity";
  std::string command = "TOMOGRAPH_GPU_ACTIVITY=" + quoted(activity.string()) + " ";
  if (const auto library = gpu_activity_library(); std::filesystem::exists(library)) {
    command += "CUDA_INJECTION64_PATH=" + quoted(library.string()) + " ";
  }
  command += "'" TOMOGRAPH_PROGRAM "' run --device " + quoted(device) + " --output " + quoted(file);
  for (const std::string& option : options) command += " " + quoted(option);
  command += " > " + quoted(file + ".log") + " 2>&1";
  RunTimes run;
  const auto begun = std::chrono::steady_clock::now();
  static_cast<void>(std::system(command.c_str()));  // NOLINT(cert-env33-c): a failed probe is no failed bench
  run.all = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  const auto ended = std::filesystem::file_time_type::clock::now();
  run.processor = processor_seconds();
  if (!std::filesystem::exists(file))
    throw std::runtime_error(device + " left no topology: " + content_of(file + ".log"));
  run.closing = std::chrono::duration<double>(ended - std::filesystem::last_write_time(file)).count();
  run.gpu_busy = busy_seconds(activity);
  const toml::table topology = toml::parse_file(file);
  const toml::node_view<const toml::node> provenance = topology["provenance"];
  run.opening = number(provenance["device_seconds"]);
  const toml::table* probes = topology["probes"].as_table();
  if (probes == nullptr) return run;
  for (const auto& [id, probe] : *probes) {
    const toml::node_view<const toml::node> fields(probe);
    run.probes.push_back({std::string(id.str()), number(fields["seconds"]), number(fields["executing_seconds"]),
                          number(fields["plugin_seconds"])});
  }
  return run;
}

void print(const Times& times) {
  fmt::print("{:<40}  {:>8.3f}  {:>8.3f}  {:>8.3f}  {:>8.3f}\n", times.probe, times.all, times.device, times.plugin,
             times.host());
}

void print(const char* what, double seconds) { fmt::print("{:<40}  {:>8.3f}\n", what, seconds); }

void print(RunTimes run) {
  std::ranges::stable_sort(run.probes, std::ranges::greater{}, &Times::all);
  fmt::print("{:<40}  {:>8}  {:>8}  {:>8}  {:>8}\n", "probe", "seconds", "device", "plugin", "host");
  Times sum{.probe = "all probes"};
  for (const Times& probe : run.probes) {
    print(probe);
    sum.all += probe.all;
    sum.device += probe.device;
    sum.plugin += probe.plugin;
  }
  print(sum);
  print("opening the device", run.opening);
  print("after the results, while the device closes", run.closing);
  print("the program itself, less overlap of probes", run.all - sum.all - run.opening - run.closing);
  print("whole run", run.all);
  print("processor time", run.processor);
  if (run.gpu_busy) print("GPU busy", *run.gpu_busy);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Tells where the time of a run goes");
  std::string device = "replay:" TOMOGRAPH_RECORDING;
  std::vector<std::string> options;
  app.add_option("--device", device, "as for tomograph run");
  app.add_option("--option", options, "a further option of tomograph run, such as --only=tlb.*");
  CLI11_PARSE(app, argc, argv);
  try {
    print(times_of_run(device, options));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
