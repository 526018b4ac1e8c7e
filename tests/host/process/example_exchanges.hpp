#ifndef TOMOGRAPH_TESTS_HOST_PROCESS_EXAMPLE_EXCHANGES_HPP
#define TOMOGRAPH_TESTS_HOST_PROCESS_EXAMPLE_EXCHANGES_HPP

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "process/exchanges.hpp"

/// An experiment with its answer.
using Exchange = std::pair<tomograph::Experiment, tomograph::Answer>;

inline Exchange answered(std::int64_t trial) {
  return {
      {"a.question/1",
       {{"trial", std::vector{trial}}, {"odd", std::vector<std::uint32_t>(static_cast<std::size_t>(trial % 7), 5)}}},
      {{{"none", std::vector<double>{}}, {"many", std::vector<double>(100, 0.5 * static_cast<double>(trial))}}}};
}

inline std::string bytes_of(const std::vector<Exchange>& exchanges) {
  tomograph::host::ExchangeWriter writer;
  for (const auto& [experiment, answer] : exchanges) writer.add(experiment, answer);
  return writer.take();
}

#endif
