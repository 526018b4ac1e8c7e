#ifndef TOMOGRAPH_DOCUMENTS_INPUT_ERROR_HPP
#define TOMOGRAPH_DOCUMENTS_INPUT_ERROR_HPP

#include <stdexcept>
#include <string>
#include <vector>

namespace tomograph::documents {

/// One thing that is wrong with what the user gave us, and where. Empty or zero fields are not known.
struct Problem {
  std::string file = {};
  unsigned line = 0;
  unsigned column = 0;
  std::string key = {};      ///< as the user would write it, e.g. probes."data-cache/l1.size".max_bytes
  std::string message = {};  ///< what was expected, and the nearest right name where there is one

  bool operator==(const Problem&) const = default;
};

/// "file:line:column: key: message", without the parts that are not known.
[[nodiscard]] std::string to_string(const Problem& problem);

/// Bad usage, configuration or input: `main` prints `what()` and exits with 2, nothing having been touched.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message);
  explicit InputError(Problem problem);
  /// One line per problem; `problems` is not empty.
  explicit InputError(std::vector<Problem> problems);

  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

}  // namespace tomograph::documents

#endif
