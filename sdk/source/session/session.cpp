#include "tomograph/session.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "tomograph/abi/absences.h"

namespace tomograph {

namespace {

void expect_ok(tomograph_status status, const std::string& what) {
  if (status != TOMOGRAPH_OK) throw std::logic_error("the host refused " + what);
}

}  // namespace

void Session::log(tomograph_log_level level, const std::string& message) const {
  host_->log(host_->context, level, message.c_str());
}

Value Session::parameter_value(const char* name) const {
  const char* text = host_->parameter(host_->context, name);
  if (text == nullptr) throw std::logic_error(std::string("parameter ") + name + " is not declared");
  return from_json(text);
}

std::optional<Value> Session::fact_record(const std::string& key) const {
  const char* text = host_->fact(host_->context, key.c_str());
  return text == nullptr ? std::nullopt : std::optional<Value>(from_json(text));
}

std::optional<std::string> Session::absence(const std::string& key) const {
  const auto* const absences =
      static_cast<const tomograph_absences*>(host_->extension(host_->context, TOMOGRAPH_ABSENCES_ID));
  const char* reason = absences == nullptr ? nullptr : absences->reason(host_->context, key.c_str());
  return reason == nullptr ? std::nullopt : std::optional<std::string>(reason);
}

void Session::publish(const Fact& fact) const {
  const auto spec = std::ranges::find_if(provides_, [&](const auto* declared) { return declared->key == fact.key; });
  if (spec == provides_.end()) throw std::logic_error("fact " + fact.key + " is not declared");
  const tomograph_status status = send(fact, (*spec)->unit);
  if (status != TOMOGRAPH_INVALID) expect_ok(status, "fact " + fact.key);  // the host has logged why it is INVALID
}

void Session::publish(const Fact& fact, const char* unit) const { expect_ok(send(fact, unit), "fact " + fact.key); }

tomograph_status Session::send(const Fact& fact, const char* unit) const {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const std::string value = to_json(fact.value);
  const std::string conditions = to_json(fact.conditions);
  const tomograph_fact crossing{
      .struct_size = sizeof(tomograph_fact),
      .source = fact.source,
      .key = fact.key.c_str(),
      .value_json = value.c_str(),
      .unit = unit,
      .method = fact.method.c_str(),
      .confidence = fact.confidence,
      .interval_low = fact.interval ? fact.interval->low : none,
      .interval_high = fact.interval ? fact.interval->high : none,
      .samples = fact.samples,
      .conditions_json = conditions.c_str(),
      .evidence = fact.evidence.c_str(),
  };
  return host_->publish(host_->context, &crossing);
}

void Session::inconclusive(const std::string& key, const std::string& reason) const {
  expect_ok(host_->inconclusive(host_->context, key.c_str(), reason.c_str()), "the outcome of " + key);
}

void Session::absent(const std::string& key, const std::string& reason) const {
  expect_ok(host_->absent(host_->context, key.c_str(), reason.c_str()), "the outcome of " + key);
}

void Session::evidence(const std::string& name, std::span<const NamedArray> columns) const {
  const std::vector<ArrayView> views(columns.begin(), columns.end());
  evidence(name, std::span<const ArrayView>(views));
}

void Session::evidence(const std::string& name, const Arrays& columns) const {
  evidence(name, std::span<const ArrayView>(columns));
}

void Session::evidence(const std::string& name, std::span<const ArrayView> columns) const {
  std::vector<const tomograph_array*> pointers;
  pointers.reserve(columns.size());
  for (const ArrayView& column : columns) pointers.push_back(&column.crossing());
  expect_ok(host_->evidence(host_->context, name.c_str(), pointers.data(), static_cast<std::uint32_t>(pointers.size())),
            "the evidence " + name);
}

std::vector<Answer> Session::execute(std::span<const Experiment> batch) const {
  const BatchView view(batch);
  AnswerCollector collector(batch.size());
  const tomograph_status status = host_->execute(host_->context, view.data(), view.size(), collector.sink());
  if (status == TOMOGRAPH_DEVICE_LOST) throw DeviceLost("the device was lost");
  if (status != TOMOGRAPH_OK) {
    const auto answers = collector.take();
    const std::string why = answers.empty() ? "" : ": " + answers.front().reason;
    throw Refused(status, "the device could not execute a batch" + why);
  }
  return collector.take();
}

void Session::expect_result(const Answer& answer) {
  if (answer.status == TOMOGRAPH_DISTURBED) throw Disturbed(answer.reason);
  if (answer.status != TOMOGRAPH_OK) throw Refused(answer.status, answer.reason);
}

void Session::skip_unless_supported(const Answer& answer) {
  if (answer.status == TOMOGRAPH_UNSUPPORTED) throw Skip("device", answer.reason);
  expect_result(answer);
}

Arrays Session::ask(const Experiment& experiment) const {
  Answer answer = std::move(execute(std::span(&experiment, 1)).front());
  skip_unless_supported(answer);
  return std::move(answer.arrays);
}

std::vector<chase::Result> Session::execute(std::span<const chase::Program> batch) const {
  return results(batch, &expect_result);
}

std::vector<streaming::Result> Session::execute(std::span<const streaming::Program> batch) const {
  return results(batch, &expect_result);
}

}  // namespace tomograph
