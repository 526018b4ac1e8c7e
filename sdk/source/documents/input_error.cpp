#include "tomograph/documents/input_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

namespace tomograph {
namespace {

/// A screen has room for the first problems beside the command; the others mostly follow from them.
constexpr std::size_t most_lines = 10;

std::string joined(const std::vector<Problem>& problems) {
  if (problems.empty()) throw std::logic_error("an InputError needs a problem");
  std::string lines;
  for (const Problem& problem : std::span(problems).first(std::min(problems.size(), most_lines))) {
    if (!lines.empty()) lines += '\n';
    lines += to_string(problem);
  }
  return problems.size() <= most_lines ? lines : fmt::format("{}\nand {} more", lines, problems.size() - most_lines);
}

}  // namespace

std::string to_string(const Problem& problem) {
  std::string place = problem.file;
  if (problem.line > 0) place += fmt::format("{}{}", place.empty() ? "line " : ":", problem.line);
  if (problem.line > 0 && problem.column > 0) place += fmt::format(":{}", problem.column);
  if (!place.empty()) place += ": ";
  if (!problem.key.empty()) place += problem.key + ": ";
  return place + problem.message;
}

InputError::InputError(const std::string& message) : InputError(Problem{.message = message}) {}
InputError::InputError(Problem problem) : InputError(std::vector{std::move(problem)}) {}
InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(joined(problems)), problems_(std::move(problems)) {}

}  // namespace tomograph
