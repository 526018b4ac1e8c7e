#include "commands/show.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "commands/color_option.hpp"
#include "reporting/fact_list.hpp"
#include "reporting/finding.hpp"
#include "reporting/overview.hpp"
#include "reporting/terminal.hpp"
#include "topology/topology_file.hpp"

namespace tomograph::host {
namespace {

struct ShowOptions {
  std::filesystem::path file = "topology.toml";
  bool all = false;
  bool json = false;
  std::string color = "auto";
};

int show(const ShowOptions& options) {
  const Topology topology = read_topology(options.file);
  if (options.json) {
    print_text(stdout, Json{{"topology", to_json(topology)}, {"findings", findings_json(topology)}}.dump(2) + "\n");
  } else {
    const bool color = wants_color(options.color);
    print_text(stdout, options.all ? fact_list(topology, color) : overview(topology, color));
  }
  return 0;
}

}  // namespace

void add_show_command(CLI::App& app, std::function<int()>& selected) {
  const auto options = std::make_shared<ShowOptions>();
  CLI::App* verb = app.add_subcommand("show", "Show a topology on one screen, or all of it");
  verb->add_option("FILE", options->file, "Topology file, or gallery:NAME")->capture_default_str();
  verb->add_flag("--all", options->all, "List every fact with its interval, confidence and method");
  verb->add_flag("--json", options->json, "Print the topology and the findings as JSON");
  add_color_option(*verb, options->color);
  verb->callback([options, &selected] { selected = [options] { return show(*options); }; });
}

}  // namespace tomograph::host
