#include "tomograph/instrument.hpp"

#include <stdexcept>

#include "tomograph/session.hpp"

namespace tomograph {

std::vector<Answer> answer_each(std::span<const Experiment> batch,
                                const std::function<Arrays(const Experiment&)>& answer) {
  std::vector<Answer> answers;
  answers.reserve(batch.size());
  for (const Experiment& experiment : batch) {
    try {
      answers.push_back({answer(experiment), TOMOGRAPH_OK, {}});
    } catch (const DeviceLost&) {
      throw;
    } catch (const Refused& refused) {
      answers.push_back({{}, refused.status, refused.what()});
    } catch (const std::invalid_argument& error) {
      answers.push_back({{}, TOMOGRAPH_INVALID, error.what()});
    } catch (const std::exception& error) {
      answers.push_back({{}, TOMOGRAPH_FAILED, error.what()});
    }
  }
  return answers;
}

std::vector<Answer> Instruments::execute(std::span<const Experiment> batch) {
  std::vector<Answer> answers(batch.size());
  std::vector<bool> answered(batch.size());
  for (const auto& instrument : instruments_) {
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (batch[i].id == instrument->id()) own.push_back(i);
    }
    if (own.empty()) continue;
    // Usually all experiments have the same identifier. This avoids a copy of them.
    if (own.size() == batch.size()) return instrument->execute(batch);
    std::vector<Experiment> part;
    for (const std::size_t i : own) part.push_back(batch[i]);
    std::vector<Answer> answers_of_part = instrument->execute(part);
    for (std::size_t i = 0; i < own.size(); ++i) {
      answers[own[i]] = std::move(answers_of_part[i]);
      answered[own[i]] = true;
    }
  }
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (answered[i]) continue;
    answers[i] = {{}, TOMOGRAPH_UNSUPPORTED, device_ + " does not execute the experiment " + batch[i].id};
  }
  return answers;
}

}  // namespace tomograph
