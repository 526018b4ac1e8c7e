#ifndef TOMOGRAPH_DOCUMENTS_INPUT_ERROR_HPP
#define TOMOGRAPH_DOCUMENTS_INPUT_ERROR_HPP

#include <stdexcept>
#include <string>
#include <vector>

namespace tomograph {

/// A mistake in the user's input and its place. Fields that are not known are empty or zero.
struct Problem {
  std::string file = {};
  unsigned line = 0;
  unsigned column = 0;
  std::string key = {};      ///< as the user would write it, e.g. probes."data-cache/l1.size".max_bytes
  std::string message = {};  ///< what was expected, and the nearest right name where there is one

  bool operator==(const Problem&) const = default;
};

/// "file:line:column: key: message". Parts that are not known are left out.
[[nodiscard]] std::string to_string(const Problem& problem);

/// Bad usage, configuration or input. `main` prints `what()` and exits with 2. No file has been changed.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message);
  explicit InputError(Problem problem);
  /// One line for each of the first ten problems, and how many more there are; `problems` is not empty.
  explicit InputError(std::vector<Problem> problems);

  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

}  // namespace tomograph

#endif
