#include "commands/predict.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>

#include "commands/color_option.hpp"
#include "commands/exit_code.hpp"
#include "commands/repeatable.hpp"
#include "commands/setup.hpp"
#include "documents/writable_file.hpp"
#include "exporting/descriptions.hpp"
#include "exporting/exporter.hpp"
#include "predicting/changes.hpp"
#include "predicting/prediction.hpp"
#include "predicting/prediction_text.hpp"
#include "predicting/sweep.hpp"
#include "process/worker_process.hpp"
#include "reporting/finding.hpp"
#include "reporting/terminal.hpp"
#include "tomograph/documents/atomic_file.hpp"
#include "tomograph/documents/file_content.hpp"
#include "tomograph/documents/input_error.hpp"
#include "tomograph/documents/toml_document.hpp"
#include "topology/topology_file.hpp"

namespace tomograph::host {
namespace {

namespace fs = std::filesystem;

struct PredictOptions {
  SetupOptions setup;
  fs::path kernel;
  fs::path topology = "topology.toml";
  std::string model;
  std::vector<std::string> parameters;
  std::vector<std::string> set;
  std::string sweep;
  fs::path report;
  bool json = false;
  std::string color = "auto";
};

/// @throws InputError if the file cannot be read, or is no TOML: to a model, it goes as JSON text, which must be UTF-8.
std::string text_of(const fs::path& file) {
  std::string text;
  try {
    text = file_content(file);
  } catch (const std::runtime_error& error) {
    throw InputError(Problem{.file = file.string(), .message = "this kernel " + std::string(error.what())});
  }
  static_cast<void>(parse_toml(text, file));
  return text;
}

/// The values of the model's parameters. Those named kernel and kernel_file are the text and the name of the file.
Json parameters_of(const PredictOptions& options, const ChosenModel& chosen) {
  const auto stated = stated_parameters("--parameter", chosen.model->id, chosen.model->parameters, options.parameters);
  Json parameters = effective_parameters(chosen.model->parameters, &stated);
  parameters["kernel"] = text_of(options.kernel);
  if (parameters.contains("kernel_file")) parameters["kernel_file"] = options.kernel.string();
  return parameters;
}

/// One prediction with the facts as they are, or one for each value of the sweep.
class Predictor {
 public:
  Predictor(const PredictOptions& options, const Setup& setup, Workers& workers, Log& log)
      : options_(&options),
        catalogue_(&setup.catalogue),
        workers_(&workers),
        log_(&log),
        chosen_(find_kernel_model(setup.catalogue, options.model)),
        parameters_(parameters_of(options, chosen_)),
        topology_(read_topology(options.topology)) {
    std::set<std::string> set;
    for (const std::string& argument : options.set) {
      const FactChange change = read_change(argument);
      if (!set.insert(change.key).second && !change.is_factor)
        throw InputError("--set " + argument + ": " + change.key + " is set already");
      apply(change, chosen_, topology_.facts);
    }
  }

  void print() const { options_->sweep.empty() ? print_one() : print_sweep(); }

 private:
  [[nodiscard]] Prediction prediction_on(const Topology& topology) const {
    return predicted(*workers_, chosen_, parameters_,
                     known_needs(chosen_, topology, *catalogue_, options_->topology.string()));
  }

  [[nodiscard]] Sweep swept() const {
    Sweep sweep{.kernel = options_->kernel.filename().string(), .key = {}, .unit = {}, .rows = {}};
    for (const FactChange& change : read_sweep(options_->sweep)) {
      if (!change.is_factor) require_not_set(change.key);
      Topology topology = topology_;
      apply(change, chosen_, topology.facts);
      const FactRecord& changed = topology.facts.at(change.key);
      sweep.key = change.key;
      sweep.unit = changed.unit;
      sweep.rows.push_back({change.text, changed.value, prediction_on(topology)});
    }
    return sweep;
  }

  void require_not_set(const std::string& key) const {
    const auto changes = [&](const std::string& argument) { return read_change(argument).key == key; };
    if (std::ranges::any_of(options_->set, changes)) throw InputError("--set and --sweep both change " + key);
  }

  void print_one() const {
    const Prediction prediction = prediction_on(topology_);
    if (options_->json) {
      print_text(stdout, Json{{"model", chosen_.model->id}, {"facts", to_json(prediction)}}.dump(2) + "\n");
    } else {
      print_text(stdout, prediction_text(*chosen_.model, prediction, wants_color(options_->color)));
    }
  }

  void print_sweep() const {
    const Sweep sweep = swept();
    if (!options_->report.empty()) write_report(sweep);
    if (options_->json) {
      print_text(stdout, to_json(*chosen_.model, sweep).dump(2) + "\n");
    } else {
      print_text(stdout, sweep_text(*chosen_.model, sweep, wants_color(options_->color)));
    }
  }

  /// The topology's report, with the sweep in it.
  void write_report(const Sweep& sweep) const {
    const Topology topology = with_sweep(topology_, *chosen_.model, sweep);
    const ExportDocument document{options_->topology.filename().string(),
                                  described(to_json(topology), *catalogue_).dump(), findings_json(topology).dump(),
                                  to_json_text(evidence_of(*chosen_.model, sweep))};
    const ChosenExporter exporter = find_exporter(*catalogue_, "html");
    const Json parameters = effective_parameters(exporter.exporter->parameters, nullptr);
    write_atomically(options_->report, exported_file(exporter, parameters, {document}, *log_));
  }

  const PredictOptions* options_;
  const Catalogue* catalogue_;
  Workers* workers_;
  Log* log_;
  ChosenModel chosen_;
  Json parameters_;
  Topology topology_;
};

void require_new_report(const PredictOptions& options, const Configuration& configuration) {
  require_writable(options.report);
  std::vector<NamedFile> inputs{{"KERNEL", options.kernel}, {"--topology", options.topology}};
  for (const fs::path& file : configuration.files) inputs.push_back({"--config", file});
  require_separate({{"--report", options.report}}, inputs);
}

int predict(const PredictOptions& options) {
  Terminal terminal(stderr);
  Log log(terminal);
  const Setup setup = load_setup(options.setup);
  log_refusals(setup.catalogue, log);
  if (!options.report.empty()) require_new_report(options, setup.configuration);
  WorkerEvents events;
  events.log = [&](const LogLine& line) { log.write(line); };
  Workers workers(this_program(), std::move(events));
  const auto work = [&] {
    Predictor(options, setup, workers, log).print();
    workers.dismiss();
  };
  return exit_code_of(work, log);
}

}  // namespace

void add_predict_command(CLI::App& app, std::function<int()>& selected) {
  const auto options = std::make_shared<PredictOptions>();
  CLI::App* verb = app.add_subcommand("predict", "Predict how long a kernel takes, from the facts of a topology");
  verb->add_option("KERNEL", options->kernel, "Kernel description or interval profile (TOML)")->required();
  verb->add_option("--topology", options->topology, "Topology file, or gallery:NAME")->capture_default_str();
  make_repeatable(
      verb->add_option("--set", options->set, "Number or factor for a fact, KEY=VALUE or KEY=2x (repeatable)"));
  CLI::Option* const sweep = verb->add_option(
      "--sweep", options->sweep, "Values of one fact, KEY=VALUE,VALUE,... or KEY=FROM..TO in doublings: a table");
  verb->add_option("--report", options->report, "Also write the sweep as a report to look at in a browser (HTML)")
      ->needs(sweep);
  verb->add_option("--model", options->model, "Model that predicts; default: the only one");
  make_repeatable(verb->add_option("--parameter", options->parameters,
                                   "Parameter of the model, NAME=VALUE (repeatable; see list)"));
  verb->add_flag("--json", options->json, "Print the prediction as JSON");
  add_color_option(*verb, options->color);
  add_setup_options(*verb, options->setup);
  verb->callback([options, &selected] { selected = [options] { return predict(*options); }; });
}

}  // namespace tomograph::host
