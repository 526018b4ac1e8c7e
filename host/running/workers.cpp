#include "running/workers.hpp"

#include <fmt/format.h>

#include <chrono>
#include <stdexcept>
#include <utility>

#include "tomograph/abi/host.h"

namespace tomograph::host {
namespace {

using Kind = CallEnding::Kind;

// Drivers take seconds to wake several GPUs, and wait for each other.
constexpr double enumeration_limit = 30;
constexpr double opening_limit = 120;

LogLevel log_level(tomograph_log_level level) {
  switch (level) {
    case TOMOGRAPH_DEBUG: return LogLevel::debug;
    case TOMOGRAPH_INFO: return LogLevel::info;
    case TOMOGRAPH_WARNING: return LogLevel::warning;
    default: return LogLevel::error;
  }
}

/// The answer of a call that must succeed.
Json expect_answer(CallEnding ending) {
  if (ending.kind == Kind::interrupted) throw Interrupted();
  if (ending.kind != Kind::answered) throw std::runtime_error(ending.reason);
  if (ending.answer.at("status") == TOMOGRAPH_OK) return std::move(ending.answer);
  const std::string reason = ending.answer.at("error");
  throw std::runtime_error(reason.empty() ? "it gave no reason" : reason);
}

}  // namespace

Workers::Workers(std::filesystem::path program, WorkerEvents events, int interruption)
    : program_(std::move(program)), events_(std::move(events)), interruption_(interruption) {}

void Workers::log(LogLevel level, const std::string& plugin, const std::string& text) {
  if (events_.log && allowance_.take()) events_.log(level, plugin, text);
}

void Workers::handle(const Json& message) {
  const auto& is = message.at("is").get_ref<const std::string&>();
  if (is == "log") {
    log(log_level(message.at("level")), message.at("plugin"), message.at("text"));
  } else if (is == "progress" && events_.progress) {
    events_.progress(message.at("fraction"));
  }
}

CallEnding Workers::lost(Kind kind, const std::string& reason) {
  process_.reset();
  is_open_ = false;
  return {kind, {}, reason};
}

CallEnding Workers::call(const std::string& plugin, const Json& request, double time_limit) {
  called_ = plugin;
  allowance_ = {};
  CallEnding ending = answer_to(request, time_limit);
  if (process_) process_->take_output();
  std::uint64_t left_out = allowance_.refused();
  if (ending.kind == Kind::answered) left_out += ending.answer.value("lines_left_out", std::uint64_t{0});
  if (events_.log && left_out > 0) {
    events_.log(LogLevel::warning, plugin, fmt::format("{} more lines are left out", left_out));
  }
  return ending;
}

CallEnding Workers::answer_to(const Json& request, double time_limit) {
  using Status = Channel::Status;
  if (!process_) {
    process_ = std::make_unique<WorkerProcess>(
        program_, [this](const std::string& line) { log(LogLevel::warning, called_, "wrote past the log: " + line); });
  }
  const auto deadline = Channel::Clock::now() +
                        std::chrono::duration_cast<Channel::Clock::duration>(std::chrono::duration<double>(time_limit));
  if (!process_->send(request)) return lost(Kind::crashed, "its process " + process_->ending());
  while (true) {
    Channel::Reception received = process_->receive(deadline, interruption_);
    switch (received.status) {
      case Status::message:
      case Status::bytes: break;
      case Status::timed_out: return lost(Kind::timed_out, fmt::format("it did not end within {:g} s", time_limit));
      case Status::interrupted: return lost(Kind::interrupted, "the run was interrupted");
      case Status::garbage: return lost(Kind::crashed, "its process sent the host " + received.reason);
      case Status::closed: return lost(Kind::crashed, "its process " + process_->ending());
    }
    try {
      if (received.status == Status::bytes) {
        Exchanges exchanges(std::move(received.bytes));
        if (events_.experiments) events_.experiments(std::move(exchanges));
        continue;
      }
      if (received.message.at("is") == "ended") {
        static_cast<void>(received.message.at("status").get<tomograph_status>());
        return {Kind::answered, std::move(received.message), {}};
      }
      handle(received.message);
    } catch (const Json::exception&) {
      return lost(Kind::crashed, "its process sent the host a message that makes no sense");
    } catch (const std::invalid_argument& broken) {
      return lost(Kind::crashed, std::string("its process sent the host ") + broken.what());
    }
  }
}

std::vector<FoundTarget> Workers::targets(const ChosenDevice& device) {
  const Json answer = expect_answer(call(device.plugin->id,
                                         {{"do", "enumerate"},
                                          {"plugin", device.plugin->path.string()},
                                          {"device", device.device->id},
                                          {"parameters", device.parameters}},
                                         enumeration_limit));
  std::vector<FoundTarget> targets;
  for (const Json& target : answer.at("targets")) targets.push_back({target.at("target"), target.at("description")});
  return targets;
}

std::map<std::string, FactRecord> Workers::open(const ChosenDevice& device) {
  const Json answer = expect_answer(call(device.plugin->id,
                                         {{"do", "open"},
                                          {"plugin", device.plugin->path.string()},
                                          {"device", device.device->id},
                                          {"target", device.target},
                                          {"parameters", device.parameters},
                                          {"executors", device.executors},
                                          {"record", static_cast<bool>(events_.experiments)}},
                                         opening_limit));
  device_ = &device;
  is_open_ = true;
  std::map<std::string, FactRecord> facts;
  for (const auto& [key, fact] : answer.at("facts").items()) facts.emplace(key, fact_from_message(fact));
  return facts;
}

CallEnding Workers::run(const PluginDescription& plugin, const ProbeDescription& probe, const Json& parameters,
                        const Json& facts) {
  if (!probe.is_model && device_ != nullptr && !is_open_) {
    try {
      open(*device_);
    } catch (const std::runtime_error& error) {
      throw DeviceGone("device " + device_->name() + " cannot be opened again: " + error.what());
    }
  }
  CallEnding ending = call(plugin.id,
                           {{"do", "run"},
                            {"plugin", plugin.path.string()},
                            {"probe", probe.id},
                            {"parameters", parameters},
                            {"facts", facts}},
                           probe.time_budget);
  if (ending.kind != Kind::answered) return ending;
  if (const std::string changes = ending.answer.value("changes", ""); !changes.empty()) {
    log(LogLevel::warning, plugin.id, probe.id + " " + changes + "; the next probe gets a new process");
    dismiss();
  } else if (ending.answer.value("lost", false)) {
    process_.reset();
    is_open_ = false;
  }
  return ending;
}

CheckResult Workers::check(std::string_view name, const std::filesystem::path& library, double time_limit) {
  dismiss();
  const CallEnding ending =
      call(library.filename(), {{"do", "check"}, {"check", name}, {"plugin", library.string()}}, time_limit);
  switch (ending.kind) {
    case Kind::answered: break;
    case Kind::crashed: return {CheckStatus::crashed, ending.reason};
    case Kind::timed_out: return {CheckStatus::timed_out, ending.reason};
    case Kind::interrupted: throw Interrupted();
  }
  dismiss();
  if (ending.answer.at("status") != TOMOGRAPH_OK) return {CheckStatus::failed, ending.answer.at("error")};
  return {check_status(ending.answer.at("result").get<std::string>()), ending.answer.at("explanation")};
}

void Workers::dismiss() {
  if (process_) process_->dismiss();
  process_.reset();
  is_open_ = false;
}

}  // namespace tomograph::host
