#include "measurement.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <string_view>

#include "memory_host.hpp"
#include "sim/gpu/api_facts.hpp"
#include "sim/simulator.hpp"

namespace tomograph::bench {

namespace {

/// Keeps published facts as the records that later probes read.
class RecordingHost : public MemoryHost {
 public:
  std::map<std::string, Json> records;

  RecordingHost() : table_(*MemoryHost::abi()) { table_.publish = &keep; }
  [[nodiscard]] const tomograph_host* abi() const { return &table_; }

 private:
  static tomograph_status keep(void* context, const tomograph_fact* fact) {
    auto& self = *static_cast<RecordingHost*>(static_cast<MemoryHost*>(context));
    self.records[fact->key] = {{"value", Json::parse(fact->value_json)},
                               {"confidence", fact->confidence},
                               {"method", fact->method},
                               {"conditions", Json::parse(fact->conditions_json)}};
    return TOMOGRAPH_OK;
  }

  tomograph_host table_;
};

void deliver(const std::vector<Answer>& answers, const tomograph_result_sink& sink) {
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i].status != TOMOGRAPH_OK) {
      sink.refuse(sink.context, i, answers[i].status, answers[i].reason.c_str());
      continue;
    }
    for (const NamedArray& array : answers[i].arrays) {
      const tomograph_array crossing = view(array);
      sink.array(sink.context, i, &crossing);
    }
  }
}

std::span<const tomograph_need* const> needs(const tomograph_probe& probe) { return {probe.needs, probe.needs_count}; }

std::span<const tomograph_fact_spec* const> provides(const tomograph_probe& probe) {
  return {probe.provides, probe.provides_count};
}

bool provides_key(const tomograph_probe& probe, const char* key) {
  return std::ranges::any_of(provides(probe), [&](const auto* fact) { return std::string_view(fact->key) == key; });
}

/// L1 is measured alone; what is said about L2 draws on how L1 fetches.
bool is_wanted(const tomograph_probe& probe, Level level) {
  const std::string_view first = probe.provides[0]->key;
  if (first.starts_with("l2.")) return level == Level::l2;
  return level == Level::l1 || provides_key(probe, "l1_data.hit_threshold") ||
         provides_key(probe, "l1_data.fetch_granularity");
}

/// Stable order in which every probe comes after those that provide what it needs.
std::vector<const tomograph_probe*> ordered_probes(const tomograph_plugin& plugin, Level level) {
  std::vector<const tomograph_probe*> waiting;
  for (const auto* probe : std::span(plugin.probes, plugin.probe_count)) {
    if (is_wanted(*probe, level)) waiting.push_back(probe);
  }
  std::vector<const tomograph_probe*> ordered;
  while (!waiting.empty()) {
    const auto ready = std::ranges::find_if(waiting, [&](const tomograph_probe* probe) {
      return std::ranges::none_of(needs(*probe), [&](const tomograph_need* need) {
        return std::ranges::any_of(waiting, [&](const auto* other) { return provides_key(*other, need->key); });
      });
    });
    if (ready == waiting.end()) throw std::logic_error("the probes' needs form a cycle");
    ordered.push_back(*ready);
    waiting.erase(ready);
  }
  return ordered;
}

class Run {
 public:
  explicit Run(const sim::Gpu& gpu, std::uint64_t seed) : simulator_(gpu, {.seed = seed}, 1) {
    for (const sim::ApiFact& stated : sim::api_facts(gpu)) {
      result_.facts[stated.key] = {{"value", stated.value}, {"confidence", 1.0}, {"conditions", Json::object()}};
    }
  }

  void probe(const tomograph_probe& probe) {
    RecordingHost host;
    for (const tomograph_need* need : needs(probe)) {
      const auto known = result_.facts.find(need->key);
      if (known != result_.facts.end()) {
        host.facts[need->key] = known->second.dump();
      } else if (need->optional == 0) {
        return leave_out(probe, std::string("blocked: ") + need->key + " is not known");
      }
    }
    for (const auto* parameter : std::span(probe.parameters, probe.parameter_count)) {
      host.parameters[parameter->name] = parameter->default_json;
    }
    host.device = [&](const std::vector<Experiment>& batch, const tomograph_result_sink& sink) {
      deliver(simulator_.execute(batch), sink);
      return tomograph_status{TOMOGRAPH_OK};
    };
    const auto start = std::chrono::steady_clock::now();
    const tomograph_status status = probe.run(host.abi());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    result_.probe_seconds[probe.id] = took.count();
    keep(host, probe, status);
  }

  [[nodiscard]] Measurement take() { return std::move(result_); }

 private:
  void leave_out(const tomograph_probe& probe, const std::string& reason) {
    for (const auto* fact : provides(probe)) result_.unknown[fact->key] = reason;
  }

  void keep(RecordingHost& host, const tomograph_probe& probe, tomograph_status status) {
    if (status == TOMOGRAPH_SKIPPED) leave_out(probe, "skipped: " + host.skip_reason);
    if (status != TOMOGRAPH_OK && status != TOMOGRAPH_SKIPPED) leave_out(probe, "failed: " + host.error);
    for (const auto& [key, reason] : host.inconclusive) result_.unknown[key] = "inconclusive: " + reason;
    for (const auto& [key, reason] : host.absent) result_.unknown[key] = "absent: " + reason;
    result_.facts.merge(host.records);
  }

  sim::Simulator simulator_;
  Measurement result_;
};

}  // namespace

Measurement measure(const tomograph_plugin& plugin, const Case& drawn) {
  Run run(drawn.gpu, drawn.number + 1);
  for (const auto* probe : ordered_probes(plugin, drawn.level)) run.probe(*probe);
  return run.take();
}

}  // namespace tomograph::bench
