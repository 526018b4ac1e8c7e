#include "running/worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "loading/catalogue.hpp"
#include "loading/descriptors.hpp"
#include "loading/library.hpp"
#include "loading/trust.hpp"
#include "process/channel.hpp"
#include "process/messages.hpp"
#include "process/process_state.hpp"
#include "process/warden.hpp"
#include "running/condition_reader.hpp"
#include "running/executors.hpp"
#include "running/export_output.hpp"
#include "running/host_interface.hpp"

namespace tomograph::host {
namespace {

CallResult failure(const std::string& reason) { return {.status = TOMOGRAPH_FAILED, .error = reason}; }

/// Calls a function of a plugin. An exception counts as failure.
template <typename Call>
CallResult call_plugin(HostInterface& host, Call call) {
  try {
    return host.ended(call());
  } catch (const std::exception& thrown) {
    return failure(std::string("it let an exception cross the plugin boundary: ") + thrown.what());
  } catch (...) {
    return failure("it let an exception cross the plugin boundary");
  }
}

std::map<std::string, std::string> texts(const Json& values) {
  std::map<std::string, std::string> result;
  for (const auto& [name, value] : values.items()) result.emplace(name, value.dump());
  return result;
}

std::map<std::string, std::string> texts(const std::map<std::string, FactRecord>& facts) {
  std::map<std::string, std::string> result;
  for (const auto& [key, record] : facts) result.emplace(key, to_json(record).dump());
  return result;
}

template <typename T>
const T& descriptor(const T* const* all, std::uint32_t count, const std::string& id) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (all[i]->id == id) return *all[i];
  }
  throw std::runtime_error("the plugin no longer has " + id);
}

/// The thread of a plugin with probes or models only.
struct PluginThread {
  CallQueue calls;
  std::thread thread{[this] { calls.serve(); }};
};

/// A probe or model that runs: one of `running`, in line for the device until it ends.
class Runner {
 public:
  Runner(std::atomic<int>& running, DeviceTurns& turns, const ProbeDescription& probe)
      : running_(&running), turns_(&turns), probe_(&probe) {
    ++*running_;
    if (!probe_->is_model) turns_->wait_in_line(probe_->id, probe_->shares_device);
  }
  ~Runner() {
    turns_->leave(probe_->id);
    --*running_;
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

 private:
  std::atomic<int>* running_;
  DeviceTurns* turns_;
  const ProbeDescription* probe_;
};

/// Serves the requests of the host: on the thread that makes `calls`, which is also that of devices, executors and
/// exporters. Each other plugin has a thread for its probes and models, so that they run at the same time.
class Worker {
 public:
  Worker(Channel& channel, CallQueue& calls, PerformCheck perform_check)
      : channel_(&channel), calls_(&calls), perform_check_(perform_check) {}

  /// Answers a request, or lets the plugin's thread do so.
  void serve(const Json& message) {
    const Request request = request_from_json(message);
    const auto* probe = std::get_if<RunRequest>(&request);
    reply(probe == nullptr ? "" : probe->probe, [&] {
      return std::visit([this](const auto& asked) -> std::optional<CallResult> { return answer(asked); }, request);
    });
  }

  /// A device whose conditions are still being read after a second is left open: the process ends anyway.
  void close_device() {
    const bool is_still = reader_ == nullptr || reader_->stop();
    if (device_.descriptor != nullptr && !device_.lost && is_still) {
      executors_->close();
      device_.descriptor->close(device_.session);
    }
  }

 private:
  /// Sends the result of `call`, if it has one. `probe` is the one that runs, if any.
  template <typename Call>
  void reply(const std::string& probe, Call call) {
    std::optional<CallResult> result;
    try {
      result = call();
    } catch (const std::exception& error) {
      result = failure(error.what());
    }
    if (!result) return;
    result->probe = probe;
    if (!channel_->send(to_json(WorkerMessage(*std::move(result))))) std::_Exit(EXIT_FAILURE);
  }

  const tomograph_plugin& load(const std::string& path) {
    if (has_borrowed_rights() && std::filesystem::path(path).parent_path() != installed_plugin_dir()) {
      throw std::runtime_error("the program has more rights than its caller, so it loads installed plugins only");
    }
    auto found = libraries_.find(path);
    if (found == libraries_.end()) found = libraries_.emplace(path, Library(path)).first;
    return found->second.entry();
  }

  CallResult answer(const DescribeRequest& request) { return {.description = to_json(describe(load(request.plugin)))}; }

  CallResult answer(const CheckRequest& request) {
    if (has_borrowed_rights())
      throw std::runtime_error("the program has more rights than its caller, so it checks no library");
    return {.check = perform_check_(request.check, request.plugin)};
  }

  CallResult answer(const EnumerateRequest& request) {
    const tomograph_plugin& plugin = load(request.plugin);
    const auto& device = descriptor(plugin.devices, plugin.device_count, request.device);
    HostInterface host(*channel_, device_caller(plugin, request.device, request.parameters), nullptr);
    std::vector<FoundTarget> targets;
    const auto found = [](void* context, const char* target, const char* description) {
      static_cast<std::vector<FoundTarget>*>(context)->push_back({target, description});
    };
    CallResult result = call_plugin(host, [&] { return device.enumerate(host.table(), found, &targets); });
    result.targets = std::move(targets);
    return result;
  }

  CallResult answer(const OpenRequest& request) {
    const tomograph_plugin& plugin = load(request.plugin);
    const auto& device = descriptor(plugin.devices, plugin.device_count, request.device);
    device_host_ =
        std::make_unique<HostInterface>(*channel_, device_caller(plugin, request.device, request.parameters), nullptr);
    void* session = nullptr;
    CallResult result = call_plugin(
        *device_host_, [&] { return device.open(device_host_->table(), request.target.c_str(), &session); });
    if (result.status == TOMOGRAPH_OK) {
      executors_ = std::make_unique<Executors>(
          *channel_, [this](const std::string& path) -> const tomograph_plugin& { return load(path); }, device.id,
          request.target, request.executors);
      device_ = {calls_,
                 device.is_real != 0 ? &turns_ : nullptr,
                 &device,
                 session,
                 device_host_.get(),
                 executors_.get(),
                 request.record,
                 false};
      if (request.read_conditions) condition_source_ = device_host_->conditions();
    }
    return result;
  }

  std::optional<CallResult> answer(const RunRequest& request) {
    if (reader_ == nullptr && condition_source_.read != nullptr) {
      reader_ = std::make_unique<ConditionReader>(condition_source_, *channel_);
    }
    const ProcessState before;
    const tomograph_plugin& plugin = load(request.plugin);
    const PluginDescription& described = this->described(request.plugin);
    const auto found = std::ranges::find(described.probes, request.probe, &ProbeDescription::id);
    if (found == described.probes.end()) throw std::runtime_error("the plugin no longer has " + request.probe);
    const ProbeDescription& probe = *found;
    const bool is_alone = running_ == 0;
    auto runner = std::make_shared<std::optional<Runner>>(std::in_place, running_, turns_, probe);
    const auto run_it = [this, request, before, is_alone, count = ++begun_, runner, &plugin, &probe] {
      CallResult result = run(request, plugin, probe);
      runner->reset();
      const bool was_alone = is_alone && count == begun_;
      result.changes = fmt::format("{}", fmt::join(before.changes(ProcessState::after_call(before), was_alone), ", "));
      return result;
    };
    if (!described.devices.empty() || !described.executors.empty()) return run_it();
    auto& thread = threads_[request.plugin];
    if (thread == nullptr) thread = std::make_unique<PluginThread>();
    thread->calls.add([this, run_it, probe = request.probe] { reply(probe, run_it); });
    return std::nullopt;
  }

  CallResult answer(const ExportRequest& request) {
    const tomograph_plugin& plugin = load(request.plugin);
    if (plugin.struct_size < sizeof plugin) throw std::runtime_error("the plugin no longer has " + request.exporter);
    const auto& exporter = descriptor(plugin.exporters, plugin.exporter_count, request.exporter);
    HostInterface host(*channel_,
                       {.kind = Caller::Kind::exporter,
                        .plugin = plugin.id,
                        .id = request.exporter,
                        .parameters = texts(request.parameters)},
                       nullptr);
    std::vector<tomograph_document> documents;
    for (const ExportDocument& document : request.documents) documents.push_back(crossing(document));
    std::vector<const tomograph_document*> pointers;
    for (const tomograph_document& document : documents) pointers.push_back(&document);
    ExportOutput output(*channel_);
    CallResult result = call_plugin(
        host, [&] { return exporter.write(host.table(), pointers.data(), pointers.size(), output.sink()); });
    output.flush();
    return result;
  }

  /// What the plugin said about itself when its first probe ran: to ask anew for each probe takes longer than many a
  /// probe does.
  const PluginDescription& described(const std::string& path) {
    auto found = descriptions_.find(path);
    if (found == descriptions_.end()) found = descriptions_.emplace(path, describe(load(path))).first;
    return found->second;
  }

  CallResult run(const RunRequest& request, const tomograph_plugin& plugin, const ProbeDescription& probe) {
    const std::string& id = probe.id;
    Caller caller{.kind = probe.is_model ? Caller::Kind::model : Caller::Kind::probe,
                  .plugin = plugin.id,
                  .id = id,
                  .parameters = texts(request.parameters),
                  .facts = texts(request.needs.facts),
                  .absent = request.needs.absent};
    for (const FactDeclaration& fact : probe.provides) caller.provides.emplace(fact.key, fact);
    for (const NeedDeclaration& need : probe.needs) caller.needs.insert(need.key);
    HostInterface host(*channel_, std::move(caller),
                       probe.is_model || device_.descriptor == nullptr ? nullptr : &device_);
    const auto call = probe.is_model ? descriptor(plugin.models, plugin.model_count, id).run
                                     : descriptor(plugin.probes, plugin.probe_count, id).run;
    return call_plugin(host, [&] { return call(host.table()); });
  }

  static tomograph_document crossing(const ExportDocument& document) {
    return {sizeof(tomograph_document), document.name.c_str(), document.topology.c_str(), document.findings.c_str(),
            document.evidence.empty() ? nullptr : document.evidence.c_str()};
  }

  static Caller device_caller(const tomograph_plugin& plugin, const std::string& device, const Json& parameters) {
    return {.kind = Caller::Kind::device, .plugin = plugin.id, .id = device, .parameters = texts(parameters)};
  }

  Channel* channel_;
  CallQueue* calls_;
  PerformCheck perform_check_;
  std::map<std::string, Library> libraries_;
  std::map<std::string, PluginDescription> descriptions_;
  DeviceTurns turns_;
  OpenDevice device_;
  std::unique_ptr<HostInterface> device_host_;
  std::unique_ptr<Executors> executors_;
  ConditionSource condition_source_;
  std::unique_ptr<ConditionReader> reader_;
  std::map<std::string, std::unique_ptr<PluginThread>> threads_;  ///< by path; they end with the process
  std::atomic<int> running_ = 0;                                  ///< probes and models
  std::atomic<int> begun_ = 0;                                    ///< so far
};

void die_with_host(const std::string& host_pid) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // on which a warden kills what plugins started
  if (std::to_string(::getppid()) != host_pid) std::_Exit(EXIT_FAILURE);  // the host died before the call
  ::fcntl(worker_connection, F_SETFD, FD_CLOEXEC);
}

/// Limits memory, so that a plugin that takes all of it fails or is killed, and no other process. Address space is not
/// limited, since drivers reserve terabytes of it.
void bound_memory() {
#ifndef TOMOGRAPH_SANITIZES_ADDRESSES  // its shadow memory counts as data
  const auto physical = static_cast<rlim_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  rlimit data{};
  ::getrlimit(RLIMIT_DATA, &data);
  data.rlim_cur = std::min(data.rlim_max, physical);
  ::setrlimit(RLIMIT_DATA, &data);
#endif
  // Half of the scale: the kernel prefers this process over any that is not as large.
  std::ofstream("/proc/self/oom_score_adj") << 500;
}

/// Keeps freed memory in the process. Otherwise the C library returns it to the kernel after each batch, and mapping it
/// again can take longer than everything else at the boundary (tests/bench/boundary).
void keep_freed_memory() {
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);   // the largest value that glibc allows
  ::mallopt(M_TRIM_THRESHOLD, 256 << 20);  // more than the largest batch
}

}  // namespace

void worker_main(const std::string& host_pid, PerformCheck perform_check) {
  die_with_host(host_pid);
  leave_a_warden();
  bound_memory();
  keep_freed_memory();
  Channel channel{Descriptor(worker_connection)};
  CallQueue calls;
  Worker worker(channel, calls, perform_check);
  std::thread([&] {
    Channel::Received received = channel.receive();
    for (; received.status == Channel::Status::message; received = channel.receive()) {
      calls.add([&worker, message = std::move(received.message)] { worker.serve(message); });
    }
    calls.add([&calls] { calls.end(); });
  }).detach();
  calls.serve();
  worker.close_device();
  std::_Exit(EXIT_SUCCESS);
}

}  // namespace tomograph::host
