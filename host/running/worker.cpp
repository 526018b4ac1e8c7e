#include "running/worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "loading/catalogue.hpp"
#include "loading/descriptors.hpp"
#include "loading/library.hpp"
#include "loading/trust.hpp"
#include "process/channel.hpp"
#include "process/messages.hpp"
#include "process/process_state.hpp"
#include "process/warden.hpp"
#include "running/executors.hpp"
#include "running/host_interface.hpp"

namespace tomograph::host {
namespace {

Json failure(const std::string& reason) { return {{"is", "ended"}, {"status", TOMOGRAPH_FAILED}, {"error", reason}}; }

/// Calls a function of a plugin. One that breaks the rules and throws has failed.
template <typename Call>
Json call_plugin(HostInterface& host, Call call) {
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

template <typename T>
const T& descriptor(const T* const* all, std::uint32_t count, const std::string& id) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (all[i]->id == id) return *all[i];
  }
  throw std::runtime_error("the plugin no longer has " + id);
}

/// The requests of the host, one after the other.
class Worker {
 public:
  Worker(Channel& channel, PerformCheck perform_check) : channel_(&channel), perform_check_(perform_check) {}

  Json serve(const Json& request) {
    const std::string& what = request.at("do").get_ref<const std::string&>();
    if (what == "check" && !has_borrowed_rights()) return check(request);
    const ProcessState before;
    const tomograph_plugin& plugin = load(request.at("plugin"));
    if (what == "describe") return {{"is", "ended"}, {"status", TOMOGRAPH_OK}, {"plugin", to_json(describe(plugin))}};
    if (what == "enumerate") return enumerate(plugin, request);
    if (what == "open") return open(plugin, request);
    Json answer = run(plugin, request);
    answer["changes"] = fmt::format("{}", fmt::join(before.changes(ProcessState::after_call(before)), ", "));
    return answer;
  }

  void close_device() {
    if (device_.descriptor != nullptr && !device_.lost) {
      executors_->close();
      device_.descriptor->close(device_.session);
    }
    device_ = {};
  }

 private:
  const tomograph_plugin& load(const std::string& path) {
    if (has_borrowed_rights() && std::filesystem::path(path).parent_path() != installed_plugin_dir()) {
      throw std::runtime_error("with rights that the caller has not, only installed plugins are loaded");
    }
    auto found = libraries_.find(path);
    if (found == libraries_.end()) found = libraries_.emplace(path, Library(path)).first;
    return found->second.entry();
  }

  [[nodiscard]] Json check(const Json& request) const {
    const CheckResult result = perform_check_(request.at("check"), request.at("plugin").get<std::string>());
    return {{"is", "ended"},
            {"status", TOMOGRAPH_OK},
            {"result", to_string(result.status)},
            {"explanation", result.explanation}};
  }

  static Caller device_caller(const tomograph_plugin& plugin, const Json& request) {
    return {Caller::Kind::device, plugin.id, request.at("device"), texts(request.at("parameters")), {}, {}};
  }

  Json enumerate(const tomograph_plugin& plugin, const Json& request) {
    const auto id = request.at("device").get<std::string>();
    const auto& device = descriptor(plugin.devices, plugin.device_count, id);
    HostInterface host(*channel_, device_caller(plugin, request), nullptr);
    Json targets = Json::array();
    const auto found = [](void* context, const char* target, const char* description) {
      static_cast<Json*>(context)->push_back({{"target", target}, {"description", description}});
    };
    Json answer = call_plugin(host, [&] { return device.enumerate(host.table(), found, &targets); });
    answer["targets"] = std::move(targets);
    return answer;
  }

  Json open(const tomograph_plugin& plugin, const Json& request) {
    const auto id = request.at("device").get<std::string>();
    const auto& device = descriptor(plugin.devices, plugin.device_count, id);
    device_host_ = std::make_unique<HostInterface>(*channel_, device_caller(plugin, request), nullptr);
    const auto target = request.at("target").get<std::string>();
    void* session = nullptr;
    Json answer =
        call_plugin(*device_host_, [&] { return device.open(device_host_->table(), target.c_str(), &session); });
    if (answer.at("status") == TOMOGRAPH_OK) {
      executors_ = std::make_unique<Executors>(
          *channel_, [this](const std::string& path) -> const tomograph_plugin& { return load(path); }, device.id,
          target, request.at("executors").get<std::map<std::string, std::string>>());
      device_ = {&device, session, device_host_.get(), executors_.get(), request.at("record").get<bool>(), false};
    }
    return answer;
  }

  Json run(const tomograph_plugin& plugin, const Json& request) {
    const std::string id = request.at("probe");
    const PluginDescription described = describe(plugin);
    for (const ProbeDescription& probe : described.probes) {
      if (probe.id != id) continue;
      Caller caller{probe.is_model ? Caller::Kind::model : Caller::Kind::probe,
                    described.id,
                    id,
                    texts(request.at("parameters")),
                    texts(request.at("facts")),
                    {}};
      for (const FactDeclaration& fact : probe.provides) caller.provides.emplace(fact.key, fact);
      HostInterface host(*channel_, std::move(caller),
                         probe.is_model || device_.descriptor == nullptr ? nullptr : &device_);
      const auto call = probe.is_model ? descriptor(plugin.models, plugin.model_count, id).run
                                       : descriptor(plugin.probes, plugin.probe_count, id).run;
      return call_plugin(host, [&] { return call(host.table()); });
    }
    throw std::runtime_error("the plugin no longer has " + id);
  }

  Channel* channel_;
  PerformCheck perform_check_;
  std::map<std::string, Library> libraries_;
  OpenDevice device_;
  std::unique_ptr<HostInterface> device_host_;
  std::unique_ptr<Executors> executors_;
};

void die_with_host(const std::string& host_pid) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // which lets a warden end what plugins left behind
  if (std::to_string(::getppid()) != host_pid) std::_Exit(EXIT_FAILURE);  // it died before the call
  ::fcntl(worker_connection, F_SETFD, FD_CLOEXEC);
}

/// A plugin that takes all memory shall fail or be killed, not the host and not its neighbours. Address space would be
/// the wrong measure: drivers reserve terabytes of it.
void bound_memory() {
#ifndef __SANITIZE_ADDRESS__  // its shadow counts as data
  const auto physical = static_cast<rlim_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  rlimit data{};
  ::getrlimit(RLIMIT_DATA, &data);
  data.rlim_cur = std::min(data.rlim_max, physical);
  ::setrlimit(RLIMIT_DATA, &data);
#endif
  std::ofstream("/proc/self/oom_score_adj") << 500;
}

/// Batches come and go. Memory that the C library gives back to the kernel after each is cleared and mapped anew for
/// the next, which can take longer than all else that crosses the boundary (tests/bench/boundary).
void keep_freed_memory() {
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that is allowed
  ::mallopt(M_TRIM_THRESHOLD, 256 << 20);
}

}  // namespace

void worker_main(const std::string& host_pid, PerformCheck perform_check) {
  die_with_host(host_pid);
  leave_a_warden();
  bound_memory();
  keep_freed_memory();
  Channel channel{Descriptor(worker_connection)};
  Worker worker(channel, perform_check);
  while (true) {
    const Channel::Reception received = channel.receive();
    if (received.status != Channel::Status::message) break;
    Json answer;
    try {
      answer = worker.serve(received.message);
    } catch (const std::exception& error) {
      answer = failure(error.what());
    }
    if (!channel.send(answer)) std::_Exit(EXIT_FAILURE);
  }
  worker.close_device();
  std::_Exit(EXIT_SUCCESS);
}

}  // namespace tomograph::host
