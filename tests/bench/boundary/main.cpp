// boundary PLUGIN_DIR DEVICE TARGET [PLUGIN...]: measures the cost of the plugin boundary. Runs probes on a device
// within this process, then sends all their experiments and answers through the boundary again, with a device that has
// the answers ready.
#include <dlfcn.h>
#include <malloc.h>
#include <time.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "memory_host.hpp"
#include "plugins.hpp"
#include "tomograph/chase.hpp"
#include "tomograph/plugin.hpp"

using namespace tomograph;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

const tomograph_plugin& load(const std::filesystem::path& file) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const void* entry = dlsym(library, TOMOGRAPH_ENTRY_SYMBOL);
  if (entry == nullptr) throw std::runtime_error(file.string() + " is not a plugin");
  return *static_cast<const tomograph_plugin*>(entry);
}

/// A batch and its answers.
struct Exchange {
  std::vector<Experiment> batch;
  std::vector<Answer> answers;
};

/// Keeps API facts and the facts of probes, as the records that later probes read.
class KeepingHost : public MemoryHost {
 public:
  explicit KeepingHost(std::map<std::string, std::string>& known) : known_(&known), table_(*MemoryHost::abi()) {
    table_.publish = [](void* context, const tomograph_fact* fact) {
      auto& self = *static_cast<KeepingHost*>(static_cast<MemoryHost*>(context));
      (*self.known_)[fact->key] = Json{{"value", Json::parse(fact->value_json)},
                                       {"confidence", fact->confidence},
                                       {"method", fact->method},
                                       {"conditions", Json::parse(fact->conditions_json)}}
                                      .dump();
      return tomograph_status{TOMOGRAPH_OK};
    };
  }
  [[nodiscard]] const tomograph_host* table() const { return &table_; }

 private:
  std::map<std::string, std::string>* known_;
  tomograph_host table_;
};

void declare_parameters(KeepingHost& host, const tomograph_parameter_spec* const* parameters, std::uint32_t count) {
  for (const auto* parameter : std::span(parameters, count)) host.parameters[parameter->name] = parameter->default_json;
}

/// An open device of a plugin.
class OpenedDevice {
 public:
  OpenedDevice(const tomograph_plugin& plugin, const std::string& target, std::map<std::string, std::string>& known)
      : host_(known), descriptor_(plugin.devices[0]) {
    declare_parameters(host_, descriptor_->parameters, descriptor_->parameter_count);
    if (descriptor_->open(host_.table(), target.c_str(), &session_) != TOMOGRAPH_OK) {
      throw std::runtime_error("the device cannot be opened: " + host_.error);
    }
  }
  OpenedDevice(const OpenedDevice&) = delete;
  OpenedDevice& operator=(const OpenedDevice&) = delete;
  ~OpenedDevice() { descriptor_->close(session_); }

  std::vector<Answer> execute(const std::vector<Experiment>& batch) {
    const BatchView view(batch);
    AnswerCollector collector(batch.size());
    if (descriptor_->execute(session_, view.data(), view.size(), collector.sink()) != TOMOGRAPH_OK) {
      throw std::runtime_error("the device executes no more: " + host_.error);
    }
    return collector.take();
  }

 private:
  KeepingHost host_;
  const tomograph_device* descriptor_;
  void* session_ = nullptr;
};

/// Adds the processor time of this thread during its lifetime. Other work on the machine does not count.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(&seconds), begun_(own_seconds()) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { *seconds_ += own_seconds() - begun_; }

 private:
  static double own_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  double* seconds_;
  double begun_;
};

/// Costs of exchanges without the work of the device. `crossing`: a batch and its answers pass through the Session on
/// one side and the thunk of a device on the other. `converting`: chase programs and results become arrays and back.
struct Seconds {
  double crossing = 0;
  double converting = 0;
};

/// The chases of a batch if all of it are chases that were answered; other batches are not converted.
struct Chases {
  std::vector<chase::Program> programs;
  std::vector<chase::Result> results;
};

Chases chases_of(const Exchange& exchange) {
  Chases chases;
  for (std::size_t i = 0; i < exchange.batch.size(); ++i) {
    if (exchange.batch[i].id != TOMOGRAPH_CHASE_ID || exchange.answers[i].status != TOMOGRAPH_OK) return {};
    chases.programs.push_back(chase::decode(exchange.batch[i]));
    chases.results.push_back(chase::decode_result(chases.programs.back(), exchange.answers[i]));
  }
  return chases;
}

/// Sends a batch and receives its prepared answers.
void send(const Exchange& exchange, Seconds& seconds) {
  Chases chases = chases_of(exchange);
  std::vector<Experiment> batch = exchange.batch;
  std::vector<Answer> answers = exchange.answers;
  if (!chases.programs.empty()) {
    batch.clear();
    answers.clear();
    const Stopwatch converting(seconds.converting);
    ArrayMemory memory;
    for (const chase::Program& program : chases.programs) batch.push_back(chase::encode(program, memory));
  }
  std::vector<Experiment> received;
  AnswerCollector collector(batch.size());
  {
    const Stopwatch crossing(seconds.crossing);
    const BatchView view(batch);
    received.reserve(view.size());
    for (std::uint64_t i = 0; i < view.size(); ++i) received.push_back(borrow(*view.data()[i]));
  }
  if (!chases.programs.empty()) {
    const Stopwatch converting(seconds.converting);
    for (const Experiment& experiment : received) static_cast<void>(chase::decode(experiment));
    ArrayMemory memory;
    for (const chase::Result& result : chases.results) answers.push_back({chase::encode(result, memory)});
  }
  {
    const Stopwatch crossing(seconds.crossing);
    detail::deliver(answers, *collector.sink());
    received = {};
    answers = collector.take();
  }
  {
    const Stopwatch converting(seconds.converting);
    for (std::size_t i = 0; i < chases.programs.size(); ++i) {
      static_cast<void>(chase::decode_result(chases.programs[i], answers[i]));
    }
  }
  const Stopwatch crossing(seconds.crossing);
  batch = {};
  answers = {};
}

struct Cost {
  double run = 0;
  Seconds seconds;
  std::size_t experiments = 0;
};

Cost measure(const tomograph_probe& probe, OpenedDevice& device, std::map<std::string, std::string>& known) {
  KeepingHost host(known);
  for (const tomograph_need* need : bench::needs(probe)) {
    const auto fact = known.find(need->key);
    if (fact != known.end()) {
      host.facts[need->key] = fact->second;
    } else if (need->optional == 0) {
      return {};
    }
  }
  declare_parameters(host, probe.parameters, probe.parameter_count);
  std::vector<Exchange> exchanges;
  double keeping = 0;
  host.device = [&](const std::vector<Experiment>& batch, const tomograph_result_sink& sink) {
    std::vector<Answer> answers = device.execute(batch);
    detail::deliver(answers, sink);
    const auto start = Clock::now();
    exchanges.push_back({batch, std::move(answers)});
    keeping += seconds_since(start);
    return tomograph_status{TOMOGRAPH_OK};
  };
  const auto start = Clock::now();
  static_cast<void>(probe.run(host.table()));
  Cost cost{seconds_since(start) - keeping, {}, 0};
  for (const Exchange& exchange : exchanges) {
    send(exchange, cost.seconds);
    cost.experiments += exchange.batch.size();
  }
  return cost;
}

void print(const std::string& name, const Cost& cost) {
  std::printf("%-40s %9.4f %11zu %11.3f %8.3f %13.3f\n", name.c_str(), cost.run, cost.experiments,
              1e3 * cost.seconds.crossing, cost.run > 0 ? 100 * cost.seconds.crossing / cost.run : 0,
              1e3 * cost.seconds.converting);
}

int run(const std::filesystem::path& folder, const std::string& device_id, const std::string& target,
        std::set<std::string> plugins) {
  std::map<std::string, std::string> known;
  OpenedDevice device(load(folder / (device_id + ".so")), target, known);
  std::vector<const tomograph_probe*> probes;
  std::set<std::string> wanted;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!plugins.empty() && !plugins.contains(entry.path().stem())) continue;
    const tomograph_plugin& plugin = load(entry.path());
    for (const auto* probe : std::span(plugin.probes, plugin.probe_count)) {
      if (probe->method != nullptr) continue;
      probes.push_back(probe);
      for (const auto* fact : bench::provides(*probe)) wanted.insert(fact->key);
    }
  }
  std::set<std::string> stated;
  for (const auto& [key, record] : known) stated.insert(key);
  std::printf("%-40s %9s %11s %11s %8s %13s\n", "probe", "run/s", "experiments", "crossing/ms", "share/%",
              "converting/ms");
  Cost all;
  for (const tomograph_probe* probe : bench::select_and_order(probes, wanted, stated)) {
    const Cost cost = measure(*probe, device, known);
    print(probe->id, cost);
    all = {all.run + cost.run,
           {all.seconds.crossing + cost.seconds.crossing, all.seconds.converting + cost.seconds.converting},
           all.experiments + cost.experiments};
  }
  print("all", all);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: boundary PLUGIN_DIR DEVICE TARGET [PLUGIN...]\n", stderr);
    return 2;
  }
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);  // as in the process where probes run
  ::mallopt(M_TRIM_THRESHOLD, 256 << 20);
  try {
    return run(argv[1], argv[2], argv[3], {argv + 4, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
