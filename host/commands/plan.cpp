#include "commands/plan.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "commands/setup.hpp"
#include "reporting/terminal.hpp"

namespace tomograph::host {
namespace {

struct PlanOptions {
  SetupOptions setup;
  SelectionOptions selection;
  bool json = false;
};

int plan(const PlanOptions& options) {
  Terminal terminal(stderr);
  Log log(terminal);
  const Setup setup = load_setup(options.setup);
  log_refusals(setup.catalogue, log);
  const Topology given = read_given(setup, given_files(setup, options.selection));
  const Plan plan = make_plan(setup.catalogue.plugins, plan_request(setup, options.selection, given));
  print_text(stdout, options.json ? to_json(plan).dump(2) + "\n" : to_text(plan));
  return log_faults(plan, log) ? 1 : 0;
}

}  // namespace

void add_plan_command(CLI::App& app, std::function<int()>& selected) {
  auto* command = app.add_subcommand("plan", "Show which probes a run would execute, in which order and why");
  const auto options = std::make_shared<PlanOptions>();
  add_setup_options(*command, options->setup);
  add_selection_options(*command, options->selection);
  command->add_flag("--json", options->json, "Write JSON");
  command->callback([options, &selected] { selected = [options] { return plan(*options); }; });
}

}  // namespace tomograph::host
