#include "workload_times.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "all_models.hpp"
#include "bodies/workload.hpp"
#include "facts.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/documents/nearest_name.hpp"
#include "used_facts.hpp"

namespace tomograph::mdm {

namespace {

using workloads::Workload;

constexpr const char* cycles_key = "workloads.predicted_cycles";
constexpr const char* ipc_key = "workloads.predicted_ipc";
constexpr const char* stack_key = "workloads.predicted_stack";

/// The workloads that a text names, separated by commas; all of them if it is empty.
std::vector<const Workload*> chosen(const std::string& names) {
  std::map<std::string, const Workload*> known;
  std::vector<const Workload*> all;
  std::vector<std::string> known_names;
  for (const auto& workload : workloads::all_workloads()) {
    all.push_back(workload.get());
    known_names.emplace_back(workload->name());
    known.emplace(known_names.back(), workload.get());
  }
  if (names.empty()) return all;
  std::vector<const Workload*> some;
  std::istringstream stream(names);
  for (std::string name; std::getline(stream, name, ',');) {
    const auto found = known.find(name);
    if (found == known.end()) {
      throw Refused(TOMOGRAPH_INVALID, "there is no workload '" + name + "'" + suggestion(name, known_names));
    }
    some.push_back(found->second);
  }
  return some;
}

/// Measured cycles by name of the workload; none without the fact.
std::map<std::string, double> measured_cycles(const Facts& facts) {
  std::map<std::string, double> cycles;
  const auto record = facts.record("workloads.cycles");
  if (!record) return cycles;
  for (const auto& [name, value] : record->at("value").get<std::vector<std::pair<std::string, double>>>()) {
    cycles[name] = value;
  }
  return cycles;
}

struct Prediction {
  std::string name;
  SaturationPrediction saturation;
  std::vector<ModelTime> by_model;
};

/// A row for each workload: its name, and the number that each model gives.
Value rows_of(const std::vector<Prediction>& predictions, double ModelTime::*number) {
  Value rows = Value::list();
  for (const Prediction& prediction : predictions) {
    Value row = Value::list(prediction.name);
    for (const ModelTime& time : prediction.by_model) row.push_back(time.*number);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string models_of(const Prediction& prediction) {
  std::string columns = "name";
  for (const ModelTime& time : prediction.by_model) columns.append(", ").append(time.model);
  return columns;
}

/// Measured cycles, NaN where not known, and those of each model.
std::vector<NamedArray> curve_of(const std::vector<Prediction>& predictions,
                                 const std::map<std::string, double>& measured) {
  std::vector<double> number;
  std::vector<double> of_gpu;
  for (const Prediction& prediction : predictions) {
    number.push_back(static_cast<double>(number.size() + 1));
    const auto known = measured.find(prediction.name);
    of_gpu.push_back(known == measured.end() ? std::numeric_limits<double>::quiet_NaN() : known->second);
  }
  std::vector<NamedArray> columns{{"workload", std::move(number)}, {"measured_cycles", std::move(of_gpu)}};
  for (std::size_t i = 0; i < predictions.front().by_model.size(); ++i) {
    std::vector<double> cycles;
    for (const Prediction& prediction : predictions) cycles.push_back(prediction.by_model[i].cycles);
    columns.push_back({std::string(predictions.front().by_model[i].model) + "_cycles", std::move(cycles)});
  }
  return columns;
}

Fact fact_of(const char* key, Value rows, const std::string& columns, std::size_t workloads) {
  Fact fact = derived(key, std::move(rows));
  fact.samples = workloads;
  fact.conditions["rows"] = columns;
  fact.evidence = cycles_key;
  return fact;
}

Fact cycles_fact(const std::vector<Prediction>& predictions) {
  Fact fact =
      fact_of(cycles_key, rows_of(predictions, &ModelTime::cycles), models_of(predictions.front()), predictions.size());
  Value intervals = Value::list();
  for (const Prediction& prediction : predictions) {
    const double cycles = prediction.saturation.cycles;
    intervals.push_back(Value::list(cycles / confidence::models::factor, cycles * confidence::models::factor));
  }
  fact.conditions["intervals"] = std::move(intervals);
  fact.conditions["intervals_of"] = "saturation";
  return fact;
}

Fact stack_fact(const std::vector<Prediction>& predictions) {
  Value rows = Value::list();
  Value limits = Value::list();
  for (const Prediction& prediction : predictions) {
    Value row = Value::list(prediction.name);
    for (const auto& [cause, cycles] : stack_of(prediction.saturation)) row.push_back(cycles);
    rows.push_back(std::move(row));
    limits.push_back(Value::list(prediction.name, prediction.saturation.limit));
  }
  std::string columns = "name";
  for (const auto& [cause, cycles] : stack_of(predictions.front().saturation)) columns.append(", ").append(cause);
  Fact fact = fact_of(stack_key, std::move(rows), columns, predictions.size());
  fact.conditions["limits"] = std::move(limits);
  return fact;
}

}  // namespace

void predict_workloads(const Session& session) {
  const Facts facts = facts_of(session);
  require_known(facts, facts_of_any_kernel());
  const auto selected = chosen(session.parameter<std::string>("workloads"));
  const kernel::ProfiledMachine profiled = profiled_machine_of(facts);
  const Machine machine = machine_of(facts, static_cast<double>(profiled.miss_bytes));
  std::vector<Prediction> predictions;
  for (const Workload* workload : selected) {
    const kernel::Profile profile = kernel::profile(*workload->trace(), profiled);
    const SaturationPrediction saturation = predict_saturation(machine, profile);
    predictions.push_back({std::string(workload->name()), saturation,
                           times_by_model(machine, profile, Scheduler::greedy_then_oldest, saturation)});
    session.progress(static_cast<double>(predictions.size()) / static_cast<double>(selected.size()));
  }
  session.evidence(cycles_key, curve_of(predictions, measured_cycles(facts)));
  session.publish(cycles_fact(predictions));
  session.publish(
      fact_of(ipc_key, rows_of(predictions, &ModelTime::ipc), models_of(predictions.front()), predictions.size()));
  session.publish(stack_fact(predictions));
}

}  // namespace tomograph::mdm
