#include "running/workers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tomograph/abi/host.h"

namespace tomograph::host {
namespace {

using Kind = CallEnding::Kind;

/// Seconds. Drivers take seconds to wake several GPUs, and several processes wait for each other.
constexpr double enumeration_limit = 30;
constexpr double opening_limit = 120;

/// The result of a call that must succeed.
CallResult expect_success(CallEnding ending) {
  if (ending.kind == Kind::interrupted) throw Interrupted();
  if (ending.kind != Kind::answered) throw std::runtime_error(ending.reason);
  if (ending.result.status == TOMOGRAPH_OK) return std::move(ending.result);
  throw std::runtime_error(ending.result.error.empty() ? "it gave no reason" : ending.result.error);
}

}  // namespace

Workers::Workers(std::filesystem::path program, WorkerEvents events, int interruption)
    : program_(std::move(program)), events_(std::move(events)), interruption_(interruption) {}

void Workers::log(const LogLine& line) {
  if (events_.log && allowances_[line.plugin].take()) events_.log(line);
}

void Workers::log_left_out_lines(const std::string& plugin, std::uint64_t lines) const {
  if (!events_.log || lines == 0) return;
  events_.log({.subject = LogSubject::omitted_lines,
               .plugin = plugin,
               .text = fmt::format("{} more lines are left out", lines)});
}

void Workers::pass_on(const WorkerMessage& message) {
  if (const auto* line = std::get_if<LogLine>(&message)) log(*line);
  const auto* progress = std::get_if<ProgressReport>(&message);
  if (progress != nullptr && events_.progress) events_.progress(*progress);
  if (std::holds_alternative<ReadingBegins>(message)) is_reading_ = true;
  if (const auto* sample = std::get_if<ConditionSample>(&message)) {
    is_reading_ = false;
    if (events_.conditions) events_.conditions(*sample);
  }
}

CallEnding Workers::lost(Kind kind, const std::string& reason) {
  process_.reset();
  is_open_ = false;
  return {kind, {}, reason};
}

CallEnding Workers::call(const std::string& plugin, const Request& request, double time_limit) {
  ask(plugin, {}, request, time_limit);
  while (!asked_.empty()) await_ending();
  CallEnding ending = std::move(endings_.back().call);
  endings_.pop_back();
  return ending;
}

std::string Workers::joined(std::string Asked::*member, const char* separator) const {
  std::vector<std::string> texts;
  for (const Asked& asked : asked_) texts.push_back(asked.*member);
  return fmt::format("{}", fmt::join(texts, separator));
}

std::string Workers::callees() const {
  if (asked_.empty()) return called_;
  return joined(&Asked::plugin, " or ");
}

void Workers::ask(const std::string& plugin, const std::string& probe, const Request& request, double time_limit) {
  if (!process_) {
    is_reading_ = false;
    process_ = std::make_unique<WorkerProcess>(program_, [this](const std::string& line) {
      log({.subject = LogSubject::own_output, .plugin = callees(), .text = "wrote past the log: " + line});
    });
  }
  listens_ = process_->send(to_json(request));  // if not, what it sent before may tell why
  const double limit = listens_ ? time_limit : 0;
  called_ = plugin;
  asked_.push_back({plugin, probe, time_limit, WorkerProcess::TimeLimit(*process_, limit)});
}

ProbeEnding Workers::next_ending() {
  while (endings_.empty()) await_ending();
  ProbeEnding ending = std::move(endings_.front());
  endings_.pop_front();
  return ending;
}

void Workers::await_ending() {
  CallEnding answer = next_answer();
  if (answer.kind == Kind::answered) return settle(std::move(answer));
  const bool is_unclear = answer.kind != Kind::interrupted && asked_.size() > 1;
  if (answer.kind == Kind::crashed && is_reading_ && !asked_.front().probe.empty()) {
    reads_conditions_ = false;
    is_reading_ = false;
    log({.level = LogLevel::warning,
         .plugin = device_->plugin->id,
         .text = fmt::format(
             "{} while the conditions of the device were read; they are not read any more, and {} runs again",
             answer.reason, joined(&Asked::probe, ", "))});
    answer.kind = Kind::again;
  }
  if (is_unclear) answer.kind = Kind::again;
  settle_all(answer);
}

CallEnding Workers::next_answer() {
  using Status = Channel::Status;
  while (true) {
    const Asked& first = asked_.front();
    Channel::Received received = process_->receive(first.limit, interruption_);
    switch (received.status) {
      case Status::message:
      case Status::bytes: break;
      case Status::timed_out:
        if (!listens_) return lost(Kind::crashed, "its process does not listen");
        return lost(Kind::timed_out, fmt::format("it did not end within {:g} s", first.time_limit));
      case Status::interrupted: return lost(Kind::interrupted, "the run was interrupted");
      case Status::garbage: return lost(Kind::crashed, "its process sent the host " + received.reason);
      case Status::closed: return lost(Kind::crashed, "its process " + process_->ending());
    }
    try {
      if (received.status == Status::bytes) {
        if (const auto reason = take_bytes(std::move(received.bytes))) return lost(Kind::crashed, *reason);
        continue;
      }
      WorkerMessage message = worker_message_from_json(received.message);
      if (auto* result = std::get_if<CallResult>(&message)) return {Kind::answered, std::move(*result), {}};
      pass_on(message);
    } catch (const Json::exception&) {
      return lost(Kind::crashed, "its process sent the host a message that makes no sense");
    } catch (const std::invalid_argument& broken) {
      return lost(Kind::crashed, std::string("its process sent the host ") + broken.what());
    }
  }
}

void Workers::settle(CallEnding answer) {
  const auto found = std::ranges::find(asked_, answer.result.probe, &Asked::probe);
  if (found == asked_.end()) {
    return settle_all(lost(Kind::crashed, "its process sent the host an answer that nobody asked for"));
  }
  process_->take_output();
  const bool was_first = found == asked_.begin();
  const Asked asked = std::move(*found);
  asked_.erase(found);
  if (was_first && !asked_.empty()) {
    Asked& first = asked_.front();
    first.limit = WorkerProcess::TimeLimit(*process_, first.time_limit);
  }
  for (const auto& [plugin, allowance] : std::exchange(allowances_, {})) {
    log_left_out_lines(plugin, allowance.refused() + (plugin == asked.plugin ? answer.result.lines_left_out : 0));
  }
  const CallResult result = answer.result;
  endings_.push_back({asked.probe, std::move(answer)});
  check_process(asked, result);
}

void Workers::settle_all(const CallEnding& ending) {
  for (const auto& [plugin, allowance] : std::exchange(allowances_, {}))
    log_left_out_lines(plugin, allowance.refused());
  for (const Asked& asked : std::exchange(asked_, {})) endings_.push_back({asked.probe, ending});
}

void Workers::check_process(const Asked& asked, const CallResult& result) {
  if (!result.changes.empty()) {
    const std::string others = asked_.empty() ? "" : " or " + joined(&Asked::probe, " or ");
    log({.subject = LogSubject::changed_process,
         .plugin = asked.plugin,
         .text = asked.probe + others + " " + result.changes + "; the next probe gets a new process"});
    dismiss();
  } else if (result.device_lost) {
    process_.reset();
    is_open_ = false;
  } else {
    return;
  }
  settle_all({Kind::again, {}, {}});
}

std::optional<std::string> Workers::take_bytes(std::string bytes) const {
  if (events_.output) return events_.output(std::move(bytes));
  Exchanges exchanges(std::move(bytes));
  if (events_.experiments) events_.experiments(std::move(exchanges));
  return std::nullopt;
}

std::vector<FoundTarget> Workers::targets(const ChosenDevice& device) {
  const EnumerateRequest request{device.plugin->path.string(), device.device->id, device.parameters};
  return expect_success(call(device.plugin->id, request, enumeration_limit)).targets;
}

std::map<std::string, FactRecord> Workers::open(const ChosenDevice& device) {
  const OpenRequest request{device.plugin->path.string(),
                            device.device->id,
                            device.target,
                            device.parameters,
                            device.executors,
                            static_cast<bool>(events_.experiments),
                            reads_conditions_ && events_.conditions};
  CallResult result = expect_success(call(device.plugin->id, request, opening_limit));
  device_ = &device;
  is_open_ = true;
  return std::move(result.published.facts);
}

void Workers::begin(const PluginDescription& plugin, const ProbeDescription& probe, const Json& parameters,
                    const KnownNeeds& needs) {
  if (!probe.is_model && device_ != nullptr && !is_open_) {
    try {
      open(*device_);
    } catch (const std::runtime_error& error) {
      throw DeviceGone("device " + device_->name() + " cannot be opened again: " + error.what());
    }
  }
  ask(plugin.id, probe.id, RunRequest{plugin.path.string(), probe.id, parameters, needs}, probe.time_budget);
}

CallEnding Workers::run(const PluginDescription& plugin, const ProbeDescription& probe, const Json& parameters,
                        const KnownNeeds& needs) {
  begin(plugin, probe, parameters, needs);
  return next_ending().call;
}

CallEnding Workers::write(const PluginDescription& plugin, const ExporterDescription& exporter, const Json& parameters,
                          const std::vector<ExportDocument>& documents) {
  return call(plugin.id, ExportRequest{plugin.path.string(), exporter.id, parameters, documents}, exporter.time_budget);
}

CheckResult Workers::check(std::string_view name, const std::filesystem::path& library, double time_limit) {
  const CallEnding ending = call(library.filename(), CheckRequest{library.string(), std::string(name)}, time_limit);
  switch (ending.kind) {
    case Kind::answered: break;
    case Kind::crashed:
    case Kind::again: return {CheckStatus::crashed, ending.reason};
    case Kind::timed_out: return {CheckStatus::timed_out, ending.reason};
    case Kind::interrupted: throw Interrupted();
  }
  if (ending.result.status != TOMOGRAPH_OK) return {CheckStatus::failed, ending.result.error};
  return ending.result.check;
}

void Workers::release() {
  if (process_) process_->release();
}

void Workers::dismiss() {
  if (process_) process_->dismiss();
  process_.reset();
  is_open_ = false;
}

}  // namespace tomograph::host
