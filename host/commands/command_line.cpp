#include "commands/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "commands/completion.hpp"
#include "commands/diff.hpp"
#include "commands/empty_argument.hpp"
#include "commands/exit_code.hpp"
#include "commands/explain.hpp"
#include "commands/export.hpp"
#include "commands/fleet.hpp"
#include "commands/list.hpp"
#include "commands/manual.hpp"
#include "commands/new.hpp"
#include "commands/plan.hpp"
#include "commands/predict.hpp"
#include "commands/run.hpp"
#include "commands/show.hpp"
#include "commands/unexpected_argument.hpp"
#include "commands/validate.hpp"
#include "tomograph/documents/input_error.hpp"
#include "version.hpp"

namespace tomograph::host {

namespace {

std::string version_text() {
  const std::string revision = tool_revision;
  return std::string("tomograph ") + tool_version + (revision.empty() ? "" : " (" + revision + ")");
}

}  // namespace

void add_commands(CLI::App& app, std::function<int()>& selected) {
  app.set_version_flag("--version", version_text());
  app.require_subcommand(0, 1);
  add_run_command(app, selected);
  add_plan_command(app, selected);
  add_list_command(app, selected);
  add_show_command(app, selected);
  add_explain_command(app, selected);
  add_diff_command(app, selected);
  add_fleet_command(app, selected);
  add_predict_command(app, selected);
  add_export_command(app, selected);
  add_report_command(app, selected);
  add_validate_command(app, selected);
  add_new_command(app, selected);
  add_completion_command(app, selected);
  add_manual_command(app, selected);
}

int run_command_line(int argc, char** argv) {
  CLI::App app("Tomograph discovers the memory hierarchy of a GPU by measurement.\n" + exit_code_help(), "tomograph");
  std::function<int()> selected;
  add_commands(app, selected);
  refuse_empty_arguments(app);
  refuse_options_without_value({argv, static_cast<std::size_t>(argc)});
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool is_help = error.get_exit_code() == 0;
    if (const auto mistake = unexpected_argument(app); mistake && !is_help) throw InputError(*mistake);
    return app.exit(error) == 0 ? 0 : bad_input;
  }
  if (!selected) {
    fmt::print("{}", app.help());
    return 0;
  }
  return selected();
}

}  // namespace tomograph::host
