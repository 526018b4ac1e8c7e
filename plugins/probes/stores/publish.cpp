#include "publish.hpp"

#include <algorithm>
#include <string>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/proportion.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::stores {

namespace {

constexpr const char* allocates_key = "l1_data.write_allocates";
constexpr const char* hit_key = "l1_data.write_hit";
constexpr const char* combining_key = "l1_data.write_combining";

/// A policy on which each line agrees with others, or not: the least certain of them counts.
double confidence_in(std::initializer_list<Hits> decisive) {
  double least = 1;
  for (const Hits& one : decisive) {
    least = std::min(least, analysis::confidence_from_agreement(one.agreeing(), one.lines, 1));
  }
  return least;
}

std::string effect_on_hit(const Observed& observed) {
  if (observed.overwritten.hit()) return "update";
  return observed.beside.hit() ? "invalidate-word" : "invalidate";
}

Value shares(const Observed& observed) {
  const auto share = [](const Hits& one) { return static_cast<double>(one.hits) / static_cast<double>(one.lines); };
  return {{"after_nothing", share(observed.cold)},
          {"after_load", share(observed.warm)},
          {"after_store", share(observed.stored)},
          {"after_load_and_store", share(observed.overwritten)},
          {"after_load_and_store_beside", share(observed.beside)}};
}

}  // namespace

void keep(const Session& session, std::span<const AccessesAnswer> answers) {
  std::vector<std::int64_t> cycles;
  for (const AccessesAnswer& answer : answers) cycles.insert(cycles.end(), answer.cycles.begin(), answer.cycles.end());
  session.evidence(allocates_key, std::vector<NamedArray>{{"cycles", cycles}});
}

void publish(const Session& session, const Observed& observed) {
  if (observed.cold.hit() || !observed.warm.hit()) {
    constexpr const char* reason = "loads of lines that were loaded before are not told from others";
    session.inconclusive(allocates_key, reason);
    return session.inconclusive(hit_key, reason);
  }
  const auto fact = [&](const char* key, Value value, double confidence) {
    session.publish({.key = key,
                     .value = std::move(value),
                     .method = "load-after-store",
                     .confidence = confidence,
                     .samples = observed.cold.lines,
                     .conditions = {{"share_of_hits", shares(observed)}},
                     .evidence = allocates_key});
  };
  fact(allocates_key, observed.stored.hit(), confidence_in({observed.cold, observed.warm, observed.stored}));
  fact(hit_key, effect_on_hit(observed),
       confidence_in({observed.cold, observed.warm, observed.overwritten, observed.beside}));
}

void keep(const Session& session, std::span<const std::vector<double>> rates) {
  session.evidence(combining_key, std::vector<NamedArray>{{"sectors_per_second", rates[0]},
                                                          {"words_per_second", rates[1]},
                                                          {"words_per_second_alone", rates[2]}});
}

void publish(const Session& session, const WriteRates& rates, const Verdict& verdict) {
  if (verdict.combining == Combining::unknown) return session.inconclusive(combining_key, verdict.reason);
  const auto interval = [](const analysis::Interval& one) { return Value::list(one.low, one.high); };
  session.publish({.key = combining_key,
                   .value = verdict.combining == Combining::yes,
                   .method = "words-against-sectors",
                   .confidence = confidence::stores::policy,
                   .conditions = {{"sectors", interval(rates.sectors)},
                                  {"words", interval(rates.words)},
                                  {"words_alone", interval(rates.words_alone)}},
                   .evidence = combining_key});
}

void publish(const Session& session, const RefillTimes& times) {
  constexpr const char* key = "l2.write_back";
  session.evidence(key, std::vector<NamedArray>{{"seconds_after_loads", times.after_loads},
                                                {"seconds_after_stores", times.after_stores}});
  const auto answer = is_write_back(times);
  if (!answer) return session.inconclusive(key, "loads take hardly longer where lines were stored to");
  session.publish(
      {.key = key,
       .value = *answer,
       .method = "refill-after-stores",
       .confidence = confidence::stores::policy,
       .samples = times.after_stores.size(),
       .conditions = {{"times_as_long", analysis::median(times.after_stores) / analysis::median(times.after_loads)}},
       .evidence = key});
}

}  // namespace tomograph::stores
