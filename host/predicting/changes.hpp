#ifndef TOMOGRAPH_HOST_PREDICTING_CHANGES_HPP
#define TOMOGRAPH_HOST_PREDICTING_CHANGES_HPP

#include <map>
#include <string>
#include <vector>

#include "predicting/model.hpp"

namespace tomograph::host {

/// A number to take in place of a fact, or a factor by which to multiply it: the argument of --set.
struct FactChange {
  std::string key;
  std::string text;  ///< as the user wrote it: "2x", "4.8e12"
  double number = 1;
  bool is_factor = false;
};

/// The changes that "KEY=VALUE" or "KEY=VALUE,VALUE,..." stands for; `option` is its name for errors.
/// @throws InputError unless each value is a positive number, or one followed by "x".
[[nodiscard]] std::vector<FactChange> read_changes(const std::string& option, const std::string& argument);

/// Applies a change. A fact that the topology lacks can be given a number, not a factor.
/// @throws InputError if the model does not read the fact (with the nearest name that it does), or if it is no number.
void apply(const FactChange& change, const ChosenModel& chosen, std::map<std::string, FactRecord>& facts);

}  // namespace tomograph::host

#endif
