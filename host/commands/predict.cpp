#include "commands/predict.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "commands/color_option.hpp"
#include "commands/setup.hpp"
#include "predicting/changes.hpp"
#include "predicting/prediction.hpp"
#include "predicting/prediction_text.hpp"
#include "process/worker_process.hpp"
#include "tomograph/documents/input_error.hpp"
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
  bool json = false;
  std::string color = "auto";
};

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream || fs::is_directory(file)) {
    throw InputError(Problem{.file = file.string(), .message = "this kernel cannot be read"});
  }
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The values of the model's parameters. Those named kernel and kernel_file are the text and the name of the file.
Json parameters_of(const PredictOptions& options, const ChosenModel& chosen) {
  const auto stated = stated_parameters("--parameter", chosen.model->id, chosen.model->parameters, options.parameters);
  Json parameters = effective_parameters(chosen.model->parameters, &stated);
  parameters["kernel"] = text_of(options.kernel);
  if (parameters.contains("kernel_file")) parameters["kernel_file"] = options.kernel.string();
  return parameters;
}

Json json_of(const Prediction& prediction) {
  Json facts = Json::object();
  for (const auto& [key, record] : prediction) facts[key] = to_json(record);
  return facts;
}

/// One prediction with the facts as they are, or one for each value of the sweep.
class Predictor {
 public:
  Predictor(const PredictOptions& options, const Setup& setup, Workers& workers)
      : options_(&options),
        workers_(&workers),
        chosen_(find_kernel_model(setup.catalogue, options.model)),
        parameters_(parameters_of(options, chosen_)),
        facts_(read_topology(options.topology).facts) {
    for (const std::string& argument : options.set) {
      for (const FactChange& change : read_changes("--set", argument)) apply(change, chosen_, facts_);
    }
    if (options.sweep.empty()) facts_ = needed_facts(chosen_, facts_, setup.catalogue, options.topology.string());
    catalogue_ = &setup.catalogue;
  }

  void print() const { options_->sweep.empty() ? print_one() : print_sweep(); }

 private:
  void print_one() const {
    const Prediction prediction = predicted(*workers_, chosen_, parameters_, facts_);
    if (options_->json) {
      fmt::print("{}\n", Json{{"model", chosen_.model->id}, {"facts", json_of(prediction)}}.dump(2));
    } else {
      fmt::print("{}", prediction_text(*chosen_.model, prediction, wants_color(options_->color)));
    }
  }

  void print_sweep() const {
    std::vector<std::pair<std::string, Prediction>> predictions;
    const std::vector<FactChange> changes = read_changes("--sweep", options_->sweep);
    for (const FactChange& change : changes) {
      auto facts = facts_;
      apply(change, chosen_, facts);
      facts = needed_facts(chosen_, facts, *catalogue_, options_->topology.string());
      predictions.emplace_back(change.text, predicted(*workers_, chosen_, parameters_, facts));
    }
    if (!options_->json) {
      fmt::print("{}", sweep_text(*chosen_.model, changes.front().key, predictions, wants_color(options_->color)));
      return;
    }
    Json rows = Json::array();
    for (const auto& [value, prediction] : predictions)
      rows.push_back({{"value", value}, {"facts", json_of(prediction)}});
    fmt::print("{}\n", Json{{"model", chosen_.model->id}, {"key", changes.front().key}, {"sweep", rows}}.dump(2));
  }

  const PredictOptions* options_;
  Workers* workers_;
  const Catalogue* catalogue_ = nullptr;
  ChosenModel chosen_;
  Json parameters_;
  Prediction facts_;
};

int predict(const PredictOptions& options) {
  Terminal terminal(stderr);
  Log log(terminal);
  const Setup setup = load_setup(options.setup);
  log_refusals(setup.catalogue, log);
  WorkerEvents events;
  events.log = [&](const LogLine& line) { log.write(line); };
  Workers workers(this_program(), std::move(events));
  try {
    Predictor(options, setup, workers).print();
  } catch (const PredictionFailed& failure) {
    log.write(LogLevel::error, failure.what());
    return 1;
  }
  workers.dismiss();
  return 0;
}

}  // namespace

void add_predict_command(CLI::App& app, std::function<int()>& selected) {
  const auto options = std::make_shared<PredictOptions>();
  CLI::App* verb = app.add_subcommand("predict", "Predict how long a kernel takes, from the facts of a topology");
  verb->add_option("KERNEL", options->kernel, "Kernel description or interval profile (TOML)")->required();
  verb->add_option("--topology", options->topology, "Topology file, or gallery:NAME")->capture_default_str();
  verb->add_option("--set", options->set, "Number or factor for a fact, KEY=VALUE or KEY=2x (repeatable)")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_option("--sweep", options->sweep, "Values of one fact, KEY=VALUE,VALUE,...: a table of predictions");
  verb->add_option("--model", options->model, "Model that predicts; default: the only one");
  verb->add_option("--parameter", options->parameters, "Parameter of the model, NAME=VALUE (repeatable; see list)")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_flag("--json", options->json, "Print the prediction as JSON");
  add_color_option(*verb, options->color);
  add_setup_options(*verb, options->setup);
  verb->callback([options, &selected] { selected = [options] { return predict(*options); }; });
}

}  // namespace tomograph::host
