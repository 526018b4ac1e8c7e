#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <string_view>

#include "commands/list.hpp"
#include "commands/new.hpp"
#include "commands/plan.hpp"
#include "commands/run.hpp"
#include "commands/setup.hpp"
#include "commands/show.hpp"
#include "commands/validate.hpp"
#include "conformance/checks.hpp"
#include "process/worker_process.hpp"
#include "running/worker.hpp"
#include "tomograph/documents/input_error.hpp"
#include "version.hpp"

namespace {

namespace host = tomograph::host;

constexpr int bad_input = 2;

std::string version_text() {
  const std::string revision = host::tool_revision;
  return std::string("tomograph ") + host::tool_version + (revision.empty() ? "" : " (" + revision + ")");
}

host::ValidateServices validate_services() {
  return {[](const std::filesystem::path& file, const std::vector<std::filesystem::path>& plugin_dirs) {
            static_cast<void>(host::load_setup({file, plugin_dirs}));
          },
          [](const std::string& device, const std::vector<std::filesystem::path>& plugin_dirs) {
            const host::Setup setup = host::load_setup({{}, plugin_dirs});
            const host::ChosenDevice chosen = host::find_device(setup, device);
            host::Workers workers(host::this_program(), {});
            try {
              static_cast<void>(workers.open(chosen));
            } catch (const std::runtime_error& refusal) {
              throw tomograph::InputError(refusal.what());
            }
            workers.dismiss();
          },
          [](const std::string& device, const std::vector<std::filesystem::path>& plugin_dirs) {
            return host::PluginValidator(host::this_program(), device, [plugin_dirs](const auto& library) {
              return host::load_setup({{}, plugin_dirs, {}, {library}}).catalogue;
            });
          }};
}

int run_verb(int argc, char** argv) {
  CLI::App app(
      "Tomograph discovers the memory hierarchy of a GPU by measurement.\n"
      "Exit codes: 0 everything is measured or skipped for a valid reason, 1 something failed or is inconclusive,\n"
      "2 bad usage, configuration or input, 130 interrupted.",
      "tomograph");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(0, 1);
  std::function<int()> selected;
  host::add_run_command(app, selected);
  host::add_plan_command(app, selected);
  host::add_list_command(app, selected);
  host::add_show_command(app, selected);
  host::add_validate_command(app, selected, validate_services());
  host::add_new_command(app, selected);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : bad_input;
  }
  if (!selected) {
    fmt::print("{}", app.help());
    return 0;
  }
  return selected();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "worker") host::worker_main(argv[2], host::perform_check);
  try {
    return run_verb(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "tomograph: {}\n", error.what());
    return bad_input;
  }
}
