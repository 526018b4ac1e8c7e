#include <filesystem>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/plugin.hpp"
#include "tomograph/recording.hpp"

namespace {

using tomograph::Answer;
using tomograph::Experiment;
using tomograph::ExperimentIdentity;
using tomograph::Fact;
using tomograph::Session;
using tomograph::Value;

Fact api_fact(const Value& record) {
  Fact fact{.key = record.at("key").get<std::string>(),
            .value = record.at("value"),
            .method = record.at("method").get<std::string>()};
  fact.confidence = record.value("confidence", tomograph::confidence::vendor);
  fact.samples = record.value("samples", std::uint64_t{0});
  if (record.contains("conditions")) fact.conditions = record.at("conditions");
  fact.source = TOMOGRAPH_API;
  return fact;
}

/// Answers from a recording of an earlier run.
class Replay {
 public:
  static constexpr const char* id = "replay";
  static constexpr const char* description = "Answers from a recording of an earlier run";
  static constexpr const char* target_help = "path of a recording, as written by run --record";
  static constexpr bool is_real = false;

  /// Recordings can lie anywhere, so none are found.
  static std::vector<tomograph::Target> enumerate(const Session& /*session*/) { return {}; }

  Replay(const Session& session, std::string_view target)
      : path_(target), recording_(tomograph::Recording::read(path_)) {
    for (const Value& record : recording_.header().facts) {
      session.publish(api_fact(record), record.at("unit").get<std::string>().c_str());
    }
  }

  std::vector<Answer> execute(std::span<const Experiment> batch) {
    std::vector<Answer> answers;
    answers.reserve(batch.size());
    bool hinted = false;
    for (const Experiment& experiment : batch) {
      const auto identity = tomograph::identity(experiment);
      if (auto answer = recording_.find(identity, requests_[identity]++)) {
        answers.push_back(*std::move(answer));
        continue;
      }
      answers.push_back(refusal(experiment, identity, !hinted));
      hinted = true;
    }
    return answers;
  }

 private:
  /// The comparison behind the hint reads the whole recording: once per batch is enough, and per experiment, which
  /// several probes may ask.
  [[nodiscard]] Answer refusal(const Experiment& experiment, const ExperimentIdentity& identity, bool with_hint) {
    if (!recording_.holds(experiment.id)) {
      return {{}, TOMOGRAPH_UNSUPPORTED, "recording " + path_.string() + " holds no experiment " + experiment.id};
    }
    std::string reason = "recording " + path_.string() + " does not hold " + tomograph::describe(experiment);
    if (with_hint) {
      std::string& hint = hints_[identity];
      if (hint.empty()) hint = recording_.nearest(experiment);
      reason += "; " + hint;
    }
    return {{}, TOMOGRAPH_FAILED, reason};
  }

  std::filesystem::path path_;
  tomograph::Recording recording_;
  std::map<ExperimentIdentity, std::uint64_t> requests_;
  std::map<ExperimentIdentity, std::string> hints_;
};

}  // namespace

TOMOGRAPH_PLUGIN("replay", "0.1.0", "The replay device: recordings of earlier runs", tomograph::Probes<>,
                 tomograph::Devices<Replay>, tomograph::Models<>)
