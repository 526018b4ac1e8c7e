#include "mpi/fleet_run.hpp"

#include <fmt/format.h>

#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "commands/device_list.hpp"
#include "commands/device_name.hpp"
#include "commands/exit_code.hpp"
#include "documents/writable_file.hpp"
#include "fleet/fleet_file.hpp"
#include "mpi/collector.hpp"
#include "process/program_run.hpp"
#include "reporting/terminal.hpp"
#include "tomograph/documents/atomic_file.hpp"
#include "tomograph/documents/input_error.hpp"

namespace tomograph::host {
namespace {

namespace fs = std::filesystem;

constexpr int something_odd = 1;
/// Greater exit codes are of processes that a signal killed.
constexpr int first_signal_code = 128;
/// How long a rank waits for its GPUs before it looks for messages.
constexpr int pause_milliseconds = 20;

/// A GPU of this rank and the run that measures it.
struct Measurement {
  std::string device;
  std::string last_line;  ///< of what it said, the reason if it fails
  std::unique_ptr<ProgramRun> run;
};

/// The share of this rank in what rank 0 asks for.
class Rank {
 public:
  Rank(const Mpi& mpi, const FleetRunOptions& options, const std::set<std::string>& known)
      : mpi_(&mpi), options_(options.run), known_(&known) {
    options_.output = "/dev/stdout";
    options_.evidence = "/dev/null";
    options_.resume = false;
  }

  /// Starts all measurements. Returns what is to be told at once.
  std::vector<Json> begin() {
    std::vector<Json> messages;
    try {
      share_devices();
    } catch (const std::exception& error) {
      messages.push_back(failure("its share of the GPUs", error.what()));
    }
    std::erase_if(measurements_, [&](Measurement& one) {
      try {
        start(one);
        return false;
      } catch (const std::exception& error) {
        messages.push_back(failure(one.device, error.what()));
        return true;
      }
    });
    messages.push_back({{"kind", "begun"}, {"gpus", measurements_.size()}});
    return messages;
  }

  [[nodiscard]] bool has_ended() const { return measurements_.empty(); }

  /// Waits a little. Returns what came of measurements that have ended.
  std::vector<Json> wait() {
    std::vector<ProgramRun*> running;
    for (const Measurement& one : measurements_) running.push_back(one.run.get());
    read_what_comes(running, -1, pause_milliseconds);
    std::vector<Json> messages;
    for (auto one = measurements_.begin(); one != measurements_.end();) {
      if (one->run->has_ended()) {
        messages.push_back(result(*one));
        one = measurements_.erase(one);
      } else {
        ++one;
      }
    }
    return messages;
  }

 private:
  /// Chooses what this rank measures among the GPUs of its node.
  void share_devices() {
    const Setup setup = load_setup(options_.setup);
    const std::string list =
        options_.device.empty() ? setup.configuration.device.value_or("cuda:all") : options_.device;
    const std::vector<std::string> devices = devices_of(list, setup, options_.device_parameters, log_);
    const auto step = static_cast<std::size_t>(mpi_->ranks_of_node());
    for (auto i = static_cast<std::size_t>(mpi_->rank_in_node()); i < devices.size(); i += step) {
      if (!is_known(devices[i], setup)) measurements_.push_back({devices[i], {}, {}});
    }
  }

  void start(Measurement& one) const {
    one.run = std::make_unique<ProgramRun>(this_program().parent_path() / "tomograph",
                                           arguments_for_one(options_, one.device),
                                           [&one](const std::string& line) { one.last_line = line; });
  }

  /// Whether rank 0 has the topology of a device. A GPU tells its UUID only once it is open; if it does not open, its
  /// measurement will say why.
  [[nodiscard]] bool is_known(const std::string& name, const Setup& setup) const {
    if (known_->empty()) return false;
    try {
      const auto facts = facts_when_opened(name, setup, options_.device_parameters);
      const auto uuid = facts.find("device.uuid");
      return known_->contains(uuid == facts.end() ? as_file_part(name) : uuid->second.value.get<std::string>());
    } catch (const std::exception&) {
      return false;
    }
  }

  Json result(Measurement& one) const {
    const int code = one.run->wait();
    const std::string& topology = one.run->text();
    const bool is_written = code == 0 || code == something_odd;
    if (!is_written || topology.empty()) return failure(one.device, reason_of(one, code));
    return {{"kind", "topology"}, {"node", Mpi::node()}, {"device", one.device}, {"text", topology}};
  }

  /// Why a measurement failed: its last words, unless it was killed amid others.
  static std::string reason_of(const Measurement& one, int code) {
    const bool was_killed = code > first_signal_code;
    return was_killed || one.last_line.empty() ? fmt::format("ended with exit code {}", code) : one.last_line;
  }

  [[nodiscard]] Json failure(const std::string& device, const std::string& reason) const {
    return {{"kind", "failure"}, {"node", Mpi::node()}, {"rank", mpi_->rank()}, {"device", device}, {"reason", reason}};
  }

  const Mpi* mpi_;
  RunOptions options_;
  const std::set<std::string>* known_;
  Terminal terminal_{stderr};
  Log log_{terminal_};
  std::list<Measurement> measurements_;
};

int merge(const Folder& folder, const FleetRunOptions& options) {
  std::vector<fs::path> files;
  for (const std::string& gpu : folder.gpus()) files.push_back(folder.file(gpu));
  const MergedFleet merged = merge_fleet(files, options.false_alarm_rate);
  if (merged.fleet.gpus == 0) {
    print_text(stderr, "tomograph-fleet: no GPU was measured\n");
    return something_odd;
  }
  try {
    write_atomically(options.fleet, to_toml(merged));
  } catch (const FileError& failure) {
    print_text(stderr, fmt::format("tomograph-fleet: {}\n", failure.what()));
    return something_odd;
  }
  print_text(stdout, fmt::format("{}written: {}\n", fleet_summary(merged.fleet), options.fleet.string()));
  return merged.fleet.odd.empty() && merged.refused.empty() ? 0 : something_odd;
}

void require_new_fleet(const FleetRunOptions& options, const Setup& setup) {
  require_writable(options.fleet);
  std::vector<NamedFile> inputs;
  for (const fs::path& file : setup.configuration.files) inputs.push_back({"--config", file});
  for (const fs::path& file : given_files(setup, options.run.selection)) inputs.push_back({"--given", file});
  for (const std::string& device : listed_devices(options.run.device)) {
    inputs.push_back({"--device", file_of_device(device)});
  }
  require_separate({{"--fleet", options.fleet}}, inputs);
}

/// What rank 0 tells the others before they begin: what all would stumble over, empty if all is well, and which GPUs
/// are known.
Json order_for_all(const Folder& folder, const FleetRunOptions& options) {
  std::set<std::string> known;
  try {
    folder.require_writable();
    const Setup setup = load_setup(options.run.setup);
    require_new_fleet(options, setup);
    const Topology given = read_given(setup, given_files(setup, options.run.selection));
    static_cast<void>(make_plan(setup.catalogue.plugins, plan_request(setup, options.run.selection, given)));
    if (options.run.resume) known = folder.gpus();
    return {{"obstacle", ""}, {"known", known}};
  } catch (const std::exception& error) {
    return {{"obstacle", error.what()}, {"known", known}};
  }
}

}  // namespace

int run_fleet(const Mpi& mpi, const FleetRunOptions& options) {
  const Folder folder(options.run.output);
  Json order = Json::object();
  if (mpi.rank() == 0) order = order_for_all(folder, options);
  order = mpi.shared(order);
  if (const auto reason = order.at("obstacle").get<std::string>(); !reason.empty()) {
    if (mpi.rank() == 0) throw InputError(reason);
    return bad_input;
  }
  const auto known = order.at("known").get<std::set<std::string>>();

  Collector collector(folder, mpi.size());
  const auto tell = [&](const std::vector<Json>& messages) {
    for (const Json& message : messages) mpi.rank() == 0 ? collector.take(message) : mpi.send_to_first(message);
  };
  Rank rank(mpi, options, known);
  tell(rank.begin());
  bool is_told = false;
  while (!is_told || (mpi.rank() == 0 && !collector.has_all())) {
    tell(rank.wait());
    if (rank.has_ended() && !std::exchange(is_told, true)) tell({{{"kind", "ended"}}});
    if (mpi.rank() != 0) continue;
    while (const auto message = mpi.received()) collector.take(*message);
  }
  if (mpi.rank() != 0) return 0;
  const int code = merge(folder, options);
  return collector.has_failed() ? something_odd : code;
}

}  // namespace tomograph::host
