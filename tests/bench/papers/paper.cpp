#include "paper.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

namespace tomograph::bench {

Recovery fact(const std::string& key) {
  return {{key}, [](const std::vector<Json>& values) { return values.front(); }};
}

Recovery fact(const std::string& key, double unit) { return product({key}, unit); }

Recovery sum(const std::vector<std::string>& keys) {
  return {keys,
          [](const std::vector<Json>& values) {
            double sum = 0;
            for (const Json& value : values) sum += value.get<double>();
            return Json(sum);
          },
          true};
}

Recovery difference(std::vector<std::string> keys, const std::string& less) {
  keys.push_back(less);
  return {keys,
          [](const std::vector<Json>& values) {
            double sum = -2 * values.back().get<double>();
            for (const Json& value : values) sum += value.get<double>();
            return Json(sum);
          },
          true};
}

Recovery ratio(const std::string& of, const std::string& to) {
  return {{of, to},
          [](const std::vector<Json>& values) { return Json(values[0].get<double>() / values[1].get<double>()); },
          true};
}

Recovery product(const std::vector<std::string>& keys, double unit) {
  return {keys,
          [unit](const std::vector<Json>& values) {
            double product = 1 / unit;
            for (const Json& value : values) product *= value.get<double>();
            return Json(product);
          },
          keys.size() > 1};
}

Recovery element(const std::string& key, std::size_t place) {
  return {{key}, [place](const std::vector<Json>& values) { return values.front().at(place); }};
}

Recovery count(const std::string& key) {
  return {{key}, [](const std::vector<Json>& values) { return Json(values.front().size()); }};
}

Recovery descending(const std::string& key) {
  return {{key}, [](const std::vector<Json>& values) {
            auto sorted = values.front().get<std::vector<Json>>();
            std::ranges::sort(sorted, std::greater());
            return Json(std::move(sorted));
          }};
}

Recovery at_least(const std::string& key, double bound) {
  return {{key}, [bound](const std::vector<Json>& values) { return Json(values.front().get<double>() >= bound); }};
}

Recovery is(const std::string& key, const std::string& word) {
  return {{key}, [word](const std::vector<Json>& values) { return Json(values.front() == word); }};
}

Recovery sectors_of_a_set(const std::string& cache) {
  return {{cache + ".ways", cache + ".line_size", cache + ".fetch_granularity"},
          [](const std::vector<Json>& values) {
            return Json(values[0].get<std::int64_t>() * values[1].get<std::int64_t>() / values[2].get<std::int64_t>());
          },
          true};
}

Recovery condition(const std::string& key, const std::string& name) {
  Recovery recovery = fact(key);
  recovery.condition = name;
  return recovery;
}

Recovery repeated(Recovery list, std::size_t count) {
  list.from = [from = list.from, count](const std::vector<Json>& values) {
    const Json once = from(values);
    Json all = Json::array();
    while (!once.empty() && all.size() < count) all.push_back(once[all.size() % once.size()]);
    return all;
  };
  return list;
}

Recovery missed_entries() {
  return {{"tlb.l2.missed_pages_by_size"},
          [](const std::vector<Json>& values) {
            Json entries = Json::array();
            std::int64_t too_many = 0;
            for (const Json& pair : values.front()) {
              const Json missed = pair.at(1).get<std::int64_t>() - ++too_many;
              if (entries.empty() || entries.back() != missed) entries.push_back(missed);
            }
            return entries;
          },
          true};
}

Recovery absence(const std::string& key) { return {.keys = {key}, .from = {}, .is_absence = true}; }

}  // namespace tomograph::bench
