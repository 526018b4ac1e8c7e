#ifndef TOMOGRAPH_HOST_PREDICTING_CHANGES_HPP
#define TOMOGRAPH_HOST_PREDICTING_CHANGES_HPP

#include <map>
#include <string>
#include <vector>

#include "predicting/model.hpp"

namespace tomograph::host {

/// A number to take in place of a fact, or a factor by which to multiply it: an argument of --set.
struct FactChange {
  std::string key;
  std::string text;  ///< as the user wrote it: "2x", "4.8e12"
  double number = 1;
  bool is_factor = false;
};

/// The change that "KEY=VALUE" stands for, an argument of --set.
/// @throws InputError unless the value is a positive number, or one followed by "x".
[[nodiscard]] FactChange read_change(const std::string& argument);

/// The changes that "KEY=VALUE,VALUE,..." stands for, an argument of --sweep. "FROM..TO" is FROM, doubled until TO, and
/// TO. @throws InputError for a value as above, and for a range that does not rise.
[[nodiscard]] std::vector<FactChange> read_sweep(const std::string& argument);

/// Applies a change. The condition `in_place_of` of the fact is then the number before all changes. A fact that the
/// topology lacks can be given a number, not a factor.
/// @throws InputError if the model does not read the fact (with the nearest name that it does), if it is no number, or
/// if a factor makes it none.
void apply(const FactChange& change, const ChosenModel& chosen, std::map<std::string, FactRecord>& facts);

}  // namespace tomograph::host

#endif
