#include "running/host_interface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <stdexcept>
#include <utility>

#include "process/exchanges.hpp"
#include "process/messages.hpp"
#include "running/checked_fact.hpp"
#include "running/executors.hpp"
#include "tomograph/abi/absences.h"

namespace tomograph::host {
namespace {

/// A fact that breaks a rule.
class RefusedFact : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

LogLevel log_level(tomograph_log_level level) {
  switch (level) {
    case TOMOGRAPH_DEBUG: return LogLevel::debug;
    case TOMOGRAPH_INFO: return LogLevel::info;
    case TOMOGRAPH_WARNING: return LogLevel::warning;
    default: return LogLevel::error;
  }
}

}  // namespace

/// The functions of tomograph_host. Their context is the interface. They let no exception reach the plugin.
struct HostFunctions {
  static HostInterface& of(void* context) { return *static_cast<HostInterface*>(context); }

  /// Runs `body`. A broken rule is logged and returned as INVALID. If the call fails later, it becomes part of the
  /// reason.
  template <typename Body>
  // NOLINTNEXTLINE(bugprone-exception-escape): a worker that cannot even log ends
  static tomograph_status guarded(void* context, Body body) noexcept {
    try {
      body(of(context));
      return TOMOGRAPH_OK;
    } catch (const RefusedFact& broken) {
      return refused(of(context), broken.what(), LogSubject::refused_fact);
    } catch (const std::exception& broken) {
      return refused(of(context), broken.what(), LogSubject::message);
    }
  }
  static tomograph_status refused(HostInterface& host, const char* reason, LogSubject subject) {
    host.log(LogLevel::error, reason, subject);
    host.refusal_ = reason;
    return TOMOGRAPH_INVALID;
  }

  static void log(void* context, tomograph_log_level level, const char* message) {
    of(context).log(log_level(level), message == nullptr ? "" : message);
  }
  static void error(void* context, const char* message) { of(context).error_ = message == nullptr ? "" : message; }
  static void skip(void* context, const char* category, const char* reason) {
    of(context).skip(category == nullptr ? "" : category, reason == nullptr ? "" : reason);
  }
  static const char* text_of(const std::map<std::string, std::string>& texts, const char* name) {
    const auto found = name == nullptr ? texts.end() : texts.find(name);
    return found == texts.end() ? nullptr : found->second.c_str();
  }
  static const char* parameter(void* context, const char* name) {
    return text_of(of(context).caller_.parameters, name);
  }
  static const char* fact(void* context, const char* key) {
    of(context).expect_need(key);
    return text_of(of(context).caller_.facts, key);
  }
  static tomograph_status publish(void* context, const tomograph_fact* fact) {
    return guarded(context, [&](HostInterface& host) {
      if (fact == nullptr) throw std::invalid_argument("a fact that is null");
      host.publish(*fact);
    });
  }
  static tomograph_status inconclusive(void* context, const char* key, const char* reason) {
    return guarded(context, [&](HostInterface& host) { host.settle(host.published_.inconclusive, key, reason); });
  }
  static tomograph_status absent(void* context, const char* key, const char* reason) {
    return guarded(context, [&](HostInterface& host) { host.settle(host.published_.absent, key, reason); });
  }
  static tomograph_status evidence(void* context, const char* name, const tomograph_array* const* columns,
                                   std::uint32_t count) {
    return guarded(context, [&](HostInterface& host) { host.add_evidence(name, columns, count); });
  }
  // NOLINTNEXTLINE(bugprone-exception-escape): a worker that cannot even log ends
  static tomograph_status execute(void* context, const tomograph_experiment* const* batch, std::uint64_t count,
                                  const tomograph_result_sink* sink) noexcept {
    if (sink == nullptr || (batch == nullptr && count > 0)) return TOMOGRAPH_INVALID;
    if (std::find(batch, batch + count, nullptr) != batch + count) return TOMOGRAPH_INVALID;
    try {
      return of(context).execute(batch, count, *sink);
    } catch (const std::exception& error) {
      return of(context).escaped(error.what(), count, *sink);
    } catch (...) {
      return of(context).escaped("of an unknown kind", count, *sink);
    }
  }
  static void progress(void* context, double fraction) { of(context).progress(fraction); }
  static const void* extension(void* context, const char* id) {
    static constexpr tomograph_neighbours neighbours{sizeof(tomograph_neighbours), &watch, &seen};
    static constexpr tomograph_conditions conditions{sizeof(tomograph_conditions), &watch_conditions};
    static constexpr tomograph_absences absences{sizeof(tomograph_absences), &absence};
    const std::string_view asked = id == nullptr ? "" : id;
    const Caller::Kind kind = of(context).caller_.kind;
    if (kind == Caller::Kind::probe || kind == Caller::Kind::model) {
      return asked == TOMOGRAPH_ABSENCES_ID ? &absences : nullptr;
    }
    if (kind != Caller::Kind::device) return nullptr;
    if (asked == TOMOGRAPH_NEIGHBOURS_ID) return &neighbours;
    return asked == TOMOGRAPH_CONDITIONS_ID ? &conditions : nullptr;
  }
  static const char* absence(void* context, const char* key) {
    of(context).expect_need(key);
    return text_of(of(context).caller_.absent, key);
  }
  static void watch_conditions(void* context, void (*read)(void* device, tomograph_reading* reading), void* device) {
    of(context).conditions_ = {read, device};
  }
  static void watch(void* context, std::uint32_t (*in_use)(void* device), void* device) {
    of(context).neighbours_.in_use = in_use;
    of(context).neighbours_.device = device;
  }
  static void seen(void* context, std::uint64_t experiment, tomograph_disturbance disturbance) {
    of(context).neighbours_.seen[experiment] = disturbance;
  }
};

namespace {

/// Log lines that a plugin may send in one call, more than the host shows (LogAllowance), and bytes of a line.
constexpr std::uint64_t most_lines = 1000;
constexpr std::size_t longest_line = 4096;

/// The text with invalid UTF-8 replaced.
std::string valid_utf8(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

}  // namespace

HostInterface::HostInterface(Channel& channel, Caller caller, OpenDevice* device)
    : channel_(&channel),
      caller_(std::move(caller)),
      device_(device),
      table_{sizeof(tomograph_host),       this,
             &HostFunctions::log,          &HostFunctions::error,
             &HostFunctions::skip,         &HostFunctions::parameter,
             &HostFunctions::fact,         &HostFunctions::publish,
             &HostFunctions::inconclusive, &HostFunctions::absent,
             &HostFunctions::evidence,     &HostFunctions::execute,
             &HostFunctions::progress,     &HostFunctions::extension} {}

void HostInterface::log(LogLevel level, const std::string& message, LogSubject subject) {
  if (++lines_ > most_lines) return;
  const LogLine line{level, subject, caller_.plugin, valid_utf8(message.substr(0, longest_line))};
  static_cast<void>(channel_->send(to_json(WorkerMessage(line))));
}

void HostInterface::expect_need(const char* key) {
  if (key == nullptr || caller_.needs.contains(key)) return;
  log(LogLevel::error, caller_.id + " asks for fact " + key + ", which it does not declare as a need",
      LogSubject::broken_rule);
}

void HostInterface::skip(std::string category, std::string reason) {
  std::vector<std::string_view> allowed;
  for (const SkipCategory one : skip_categories_of_plugins) allowed.push_back(to_string(one));
  if (std::ranges::find(allowed, category) == allowed.end()) {
    log(LogLevel::error,
        fmt::format("{} is skipped with the category \"{}\", expected {}", caller_.id, category,
                    fmt::join(allowed, ", ")),
        LogSubject::broken_rule);
  }
  skip_category_ = std::move(category);
  skip_reason_ = std::move(reason);
}

void HostInterface::publish(const tomograph_fact& fact) {
  const std::string key = required(fact.key, "the key of a fact");
  try {
    if (fact.struct_size < sizeof(tomograph_fact)) throw std::invalid_argument("its struct_size is too small");
    if (published_.facts.contains(key)) throw std::invalid_argument("it was published before");
    if (published_.inconclusive.contains(key) || published_.absent.contains(key)) {
      throw std::invalid_argument("it was declared inconclusive or absent before");
    }
    published_.facts.emplace(key, checked_fact(key, fact, caller_));
  } catch (const std::exception& broken) {
    if (caller_.provides.contains(key)) {
      refused_facts_[key] = std::string("it was refused: ") + broken.what();
      published_.facts.erase(key);  // of two values, nobody knows which is right
    }
    throw RefusedFact("fact " + key + " is refused: " + broken.what());
  }
}

void HostInterface::settle(std::map<std::string, std::string>& outcomes, const char* key, const char* reason) const {
  const std::string name = required(key, "the key of a fact without a value");
  const std::string why = required(reason, "the reason why a fact has no value");
  if (!caller_.provides.contains(name)) {
    throw std::invalid_argument("fact " + name + " cannot be settled: " + caller_.id + " does not declare it");
  }
  if (published_.facts.contains(name))
    throw std::invalid_argument("fact " + name + " was published, it does have a value");
  if (why.empty()) throw std::invalid_argument("fact " + name + " has no value, without a reason");
  outcomes[name] = why;
}

void HostInterface::add_evidence(const char* name, const tomograph_array* const* columns, std::uint32_t count) {
  const std::string curve = required(name, "the name of a curve");
  if (curve.empty() || published_.curves.contains(curve)) {
    throw std::invalid_argument("evidence \"" + curve + "\" has no name or was handed in before");
  }
  if (columns == nullptr && count > 0) throw std::invalid_argument("evidence \"" + curve + "\" has null columns");
  std::vector<NamedArray> copied;
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (columns[i] == nullptr) throw std::invalid_argument("evidence \"" + curve + "\" has a null column");
    copied.push_back(copy(*columns[i]));
    required(copied.back().name.c_str(), "the name of a column");
    if (!names.insert(copied.back().name).second) {
      throw std::invalid_argument("evidence \"" + curve + "\" has two columns \"" + copied.back().name + "\"");
    }
  }
  published_.curves.emplace(curve, std::move(copied));
}

tomograph_status HostInterface::execute(const tomograph_experiment* const* batch, std::uint64_t count,
                                        const tomograph_result_sink& sink) {
  if (device_ == nullptr) {
    const std::string why = "only a probe executes experiments";
    log(LogLevel::error, caller_.id + " wants to execute experiments: " + why, LogSubject::broken_rule);
    if (count != 0) sink.refuse(sink.context, 0, TOMOGRAPH_UNSUPPORTED, why.c_str());
    return TOMOGRAPH_UNSUPPORTED;
  }
  experiments_ += count;
  tomograph_status status = TOMOGRAPH_OK;
  std::vector<Answer> answers;
  const auto asked = std::chrono::steady_clock::now();
  if (device_->turns != nullptr) device_->turns->await(caller_.id);
  device_->calls->make([&] {
    waiting_ += std::chrono::steady_clock::now() - asked;
    answers = execute_for_caller({batch, count}, status);
  });
  in_execute_ += std::chrono::steady_clock::now() - asked;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Answer& answer = answers[i];
    if (answer.status != TOMOGRAPH_OK) sink.refuse(sink.context, i, answer.status, answer.reason.c_str());
    for (const ArrayView& array : answer.arrays) sink.array(sink.context, i, &array.crossing());
  }
  // So that the probe can report the reason.
  if (status != TOMOGRAPH_OK && count != 0 && !error_.empty()) sink.refuse(sink.context, 0, status, error_.c_str());
  return status;
}

tomograph_status HostInterface::escaped(const std::string& what, std::uint64_t count,
                                        const tomograph_result_sink& sink) {
  error_ = "the device let an exception escape: " + what;
  log(LogLevel::error, error_);
  if (count != 0) sink.refuse(sink.context, 0, TOMOGRAPH_FAILED, error_.c_str());
  return TOMOGRAPH_FAILED;
}

std::vector<Answer> HostInterface::execute_for_caller(std::span<const tomograph_experiment* const> batch,
                                                      tomograph_status& status) {
  std::vector<Answer> answers;
  if (device_->lost) {
    status = TOMOGRAPH_DEVICE_LOST;
  } else {
    device_->interface->begin_call();
    answers = answers_to(batch, status);
  }
  if (!device_->interface->error().empty()) error_ = device_->interface->error();
  if (!device_->executors->error().empty()) error_ = device_->executors->error();
  if (status == TOMOGRAPH_DEVICE_LOST) {
    device_->lost = true;
    loss_ = error_;
  }
  if (status != TOMOGRAPH_OK) return {};
  if (device_->record) record(batch, answers);
  return answers;
}

tomograph_status HostInterface::execute_on_device(std::span<const tomograph_experiment* const> batch,
                                                  const tomograph_result_sink& sink) {
  const auto begun = std::chrono::steady_clock::now();
  const tomograph_status status = device_->executors->execute(*device_, batch.data(), batch.size(), sink);
  in_device_ += std::chrono::steady_clock::now() - begun;
  return status;
}

std::vector<Answer> HostInterface::answers_to(std::span<const tomograph_experiment* const> batch,
                                              tomograph_status& status) {
  const Neighbours& neighbours = device_->interface->neighbours();
  if (neighbours.in_use == nullptr) return answers_once(batch, status);
  const auto again = [&](std::span<const std::size_t> positions) {
    std::vector<const tomograph_experiment*> part;
    for (const std::size_t position : positions) part.push_back(batch[position]);
    return answers_once(part, status);
  };
  const auto in_use = [&] { return status == TOMOGRAPH_OK && neighbours.in_use(neighbours.device) != 0; };
  return undisturbed(batch.size(), {again, in_use}, device_->time_beside, disturbances_);
}

std::vector<Answer> HostInterface::answers_once(std::span<const tomograph_experiment* const> batch,
                                                tomograph_status& status) {
  if (status != TOMOGRAPH_OK) return std::vector<Answer>(batch.size());
  device_->interface->begin_call();
  AnswerCollector collector(batch.size());
  status = execute_on_device(batch, *collector.sink());
  std::vector<Answer> answers = collector.take();
  for (Answer& answer : answers) answer.disturbance = unseen;
  for (const auto& [position, disturbance] : device_->executors->seen()) {
    if (position < answers.size()) answers[position].disturbance = disturbance;
  }
  return answers;
}

void HostInterface::record(std::span<const tomograph_experiment* const> batch, std::span<const Answer> answers) {
  constexpr std::size_t enough_for_a_frame = std::size_t{16} << 20;  // far below the limit of the channel
  ExchangeWriter exchanges;
  const auto send = [&] {
    if (channel_->send_bytes(exchanges.take())) return;
    log(LogLevel::error, "experiments are too large to be recorded");
  };
  for (std::size_t i = 0; i < answers.size(); ++i) {
    try {
      exchanges.add(borrow(*batch[i]), answers[i]);
    } catch (const std::exception& broken) {
      log(LogLevel::error, std::string("an experiment cannot be recorded: ") + broken.what());
    }
    if (exchanges.size() >= enough_for_a_frame) send();
  }
  if (exchanges.size() > 0) send();
}

void HostInterface::progress(double fraction) {
  const auto now = std::chrono::steady_clock::now();
  if (!std::isfinite(fraction) || now - progress_told_ < std::chrono::milliseconds(50)) return;
  progress_told_ = now;
  static_cast<void>(channel_->send(to_json(WorkerMessage(ProgressReport{caller_.id, std::clamp(fraction, 0.0, 1.0)}))));
}

void HostInterface::drop_facts_without_curve() {
  for (auto fact = published_.facts.begin(); fact != published_.facts.end();) {
    const std::string& curve = fact->second.evidence;
    if (curve.empty() || published_.curves.contains(curve)) {
      ++fact;
      continue;
    }
    const std::string reason = "its evidence \"" + curve + "\" was never handed in";
    log(LogLevel::error, "fact " + fact->first + " is refused: " + reason, LogSubject::refused_fact);
    published_.inconclusive.emplace(fact->first, reason);
    fact = published_.facts.erase(fact);
  }
}

void HostInterface::settle_refused_facts() {
  for (const auto& [key, reason] : refused_facts_) {
    if (!published_.facts.contains(key) && !published_.absent.contains(key)) {
      published_.inconclusive.emplace(key, reason);
    }
  }
}

CallResult HostInterface::ended(tomograph_status status) {
  const std::chrono::duration<double> all = std::chrono::steady_clock::now() - begun_;
  drop_facts_without_curve();
  settle_refused_facts();
  std::string reason = loss_.value_or(error_);
  if (!refusal_.empty() && status != TOMOGRAPH_OK) reason += (reason.empty() ? "" : ": ") + refusal_;
  return {.probe = caller_.id,
          .status = status,
          .error = valid_utf8(reason),
          .skip_category = valid_utf8(skip_category_),
          .skip_reason = valid_utf8(skip_reason_),
          .published = std::move(published_),
          .experiments = experiments_,
          .executing_seconds = in_device_.count(),
          .plugin_seconds = (all - in_execute_).count(),
          .waiting_seconds = waiting_.count(),
          .disturbances = disturbances_,
          .lines_left_out = lines_ > most_lines ? lines_ - most_lines : 0,
          .device_lost = loss_.has_value()};
}

}  // namespace tomograph::host
