#include "commands/run_several.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <memory>

#include "commands/device_list.hpp"
#include "commands/device_name.hpp"
#include "commands/run_ending.hpp"
#include "documents/writable_file.hpp"
#include "process/interruption.hpp"
#include "process/program_run.hpp"
#include "reporting/progress.hpp"
#include "reporting/table.hpp"
#include "reporting/terminal.hpp"

namespace tomograph::host {
namespace {

void require_writable_files(const RunOptions& options) {
  std::vector<NamedFile> files{
      {"--output", options.output}, {"--evidence", options.evidence}, {"--record", options.record}};
  for (NamedFile& file : files) {
    if (file.path.empty()) continue;
    file.path = output_of_one(file.path);
    require_writable(file.path);
  }
  require_separate(files, {});
}

/// Opens the devices that are named, be it by a file or a UUID, so that a mistake shows before anything is measured.
void require_openable(const RunOptions& options, const Setup& setup, const std::vector<std::string>& devices) {
  for (const std::string& name : devices) {
    const std::string target = parsed_device_name(name).target;
    const bool is_number = target.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number) static_cast<void>(facts_when_opened(name, setup, options.device_parameters));
  }
}

/// Finds what would keep each of several runs from beginning, so that it is said once.
void require_sound(const RunOptions& options, Setup setup, const std::vector<std::string>& devices) {
  for (const std::string& name : devices) {
    const DeviceDescription& device = *find_device(setup, name).device;
    override_device_parameters(setup.configuration, device, options.device_parameters, name);
  }
  const Topology given = read_given(setup, given_files(setup, options.selection));
  check_required(options.require, setup.catalogue.plugins, given);
  static_cast<void>(make_plan(setup.catalogue.plugins, plan_request(setup, options.selection, given)));
  require_writable_files(options);
}

/// One GPU of several and the run that measures it.
struct Part {
  std::string device;
  std::string progress;  ///< "[3/40]"
  std::unique_ptr<ProgramRun> run;
};

class SeveralRuns {
 public:
  SeveralRuns(const RunOptions& options, const std::vector<std::string>& devices) : options_(&options) {
    for (const std::string& device : devices) parts_.push_back({device, {}, {}});
  }

  int execute() {
    for (Part& part : parts_) {
      std::vector<std::string> arguments = arguments_for_one(*options_, part.device);
      arguments.emplace_back("--json");
      part.run =
          std::make_unique<ProgramRun>(this_program(), arguments, [&](const std::string& line) { show(part, line); });
    }
    watch();
    terminal_.status({});
    report();
    int worst = 0;
    for (const Part& part : parts_) worst = std::max(worst, part.run->wait());
    return worst;
  }

 private:
  void watch() {
    std::vector<ProgramRun*> running;
    for (const Part& part : parts_) running.push_back(part.run.get());
    int interruption = interruption_.descriptor();
    while (!running.empty()) {
      if (read_what_comes(running, interruption)) {
        for (const ProgramRun* run : running) run->signal(SIGINT);
        interruption = -1;
      }
      std::erase_if(running, [](const ProgramRun* run) { return run->has_ended(); });
    }
  }

  /// A line of one run. On a terminal, the progress of all shares the status line.
  void show(Part& part, const std::string& line) {
    const auto progress = progress_count(line);
    if (!progress || !terminal_.interactive()) {
      terminal_.line(part.device + ": " + line);
      return;
    }
    part.progress = *progress;
    std::string status;
    for (const Part& each : parts_) {
      if (!each.progress.empty()) status += each.device + " " + each.progress + "  ";
    }
    terminal_.status(status);
  }

  void report() {
    Json topologies = Json::array();
    Table table({"device", "GPU", "facts", "exit", "UUID"});
    for (const Part& part : parts_) {
      const Json topology = Json::parse(part.run->text(), nullptr, false);
      const bool is_written = topology.is_object();
      const auto text = [&](const char* fact) {
        return is_written ? topology.value(Json::json_pointer(std::string("/device/") + fact + "/value"), "") : "";
      };
      const std::size_t measured = is_written ? count_of(topology, "measured") : 0;
      table.add({part.device, text("name"), fmt::format("{} measured", measured), std::to_string(part.run->wait()),
                 text("uuid")});
      if (is_written) topologies.push_back(topology);
    }
    if (options_->json) {
      print_text(stdout, topologies.dump(2) + "\n");
      return;
    }
    print_text(stdout, table.text(Style(use_color(ColorMode::automatic, stdout))) + "\n");
    print_text(stdout, fmt::format("written: {} for {} of {} GPUs\n", with_placeholder(options_->output).string(),
                                   topologies.size(), parts_.size()));
  }

  static std::size_t count_of(const Json& topology, const std::string& status) {
    std::size_t count = 0;
    for (const Json& outcome : topology.at("outcomes")) count += outcome.at("status") == status ? 1 : 0;
    return count;
  }

  const RunOptions* options_;
  Interruption interruption_;
  Terminal terminal_{stderr};
  std::vector<Part> parts_;
};

}  // namespace

int run_several(const RunOptions& options, const Setup& setup, const std::string& list) {
  Terminal terminal(stderr);
  Log log(terminal);
  const std::vector<std::string> devices = devices_of(list, setup, options.device_parameters, log);
  require_sound(options, setup, devices);
  require_openable(options, setup, devices);
  return SeveralRuns(options, devices).execute();
}

}  // namespace tomograph::host
