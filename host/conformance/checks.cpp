#include "conformance/checks.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "conformance/elf_file.hpp"
#include "conformance/static_data.hpp"
#include "loading/descriptors.hpp"
#include "loading/library.hpp"
#include "loading/trust.hpp"
#include "process/process_state.hpp"

namespace tomograph::host {
namespace {

using Path = std::filesystem::path;
using Stage = LoadError::Stage;

constexpr const char* it_did_not_load = "it cannot be loaded as a plugin";

CheckResult failed(std::string why) { return {CheckStatus::failed, std::move(why)}; }

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

CheckResult is_library(const Path& path) {
  const auto reason = not_loadable(path);
  return reason ? failed(*reason) : CheckResult{};
}

CheckResult is_trusted(const Path& path) {
  for (const Path& suspect : {path, std::filesystem::absolute(path).parent_path()}) {
    if (const auto reason = distrust(suspect)) return failed(*reason);
  }
  return {};
}

CheckResult exports_entry_alone(const Path& path) {
  const std::vector<std::string> exports = read_elf_file(path).exports;
  if (exports == std::vector<std::string>{TOMOGRAPH_ENTRY_SYMBOL}) return {};
  return failed(exports.empty()
                    ? "it exports nothing"
                    : "it exports " + joined(exports, ", ") + "; link it with a version script that keeps " +
                          TOMOGRAPH_ENTRY_SYMBOL + " alone");
}

/// A plugin that is linked with a library of a GPU's driver or toolkit cannot be described on machines without it.
CheckResult needs_no_driver(const Path& path) {
  for (const std::string& library : read_elf_file(path).libraries) {
    for (const char* vendor : {"libcuda", "libnvidia", "libnvrtc", "libcupti", "libamdhip", "libhsa", "libze_"}) {
      if (library.starts_with(vendor)) {
        return failed("it is linked with " + library +
                      ", without which it cannot even be described; link the runtime " +
                      "statically and load the driver when a device is opened");
      }
    }
  }
  return {};
}

/// Loads the library and never unloads it: the process of a check ends without destructors.
const tomograph_plugin& entry_of(const Path& path) {
  const Library* const library = std::make_unique<Library>(path).release();
  return library->entry();  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): as promised
}

/// Whether loading the library passed this stage.
CheckResult reached(const Path& path, Stage stage) {
  try {
    static_cast<void>(entry_of(path));
    return {};
  } catch (const LoadError& error) {
    if (error.stage() > stage) return {};
    if (error.stage() == stage) return failed(error.what());
    return {CheckStatus::skipped, it_did_not_load};
  }
}

/// Calls `perform` on the entry, if there is one that can be read.
template <typename Perform>
CheckResult with_entry(const Path& path, Perform perform) {
  try {
    return perform(entry_of(path));
  } catch (const LoadError& error) {
    return {CheckStatus::skipped, it_did_not_load};
  }
}

CheckResult keeps_process(const Path& path) {
  const ProcessState before;
  return with_entry(path, [&](const tomograph_plugin&) {
    const auto changes = before.changes(ProcessState());
    return changes.empty() ? CheckResult{} : failed("while it was loaded it " + joined(changes, ", "));
  });
}

/// Redirects standard output and standard error to a file in memory for as long as it lives.
class CapturedOutput {
 public:
  CapturedOutput()
      : file_(::memfd_create("output", MFD_CLOEXEC)), out_(::dup(STDOUT_FILENO)), err_(::dup(STDERR_FILENO)) {
    std::fflush(nullptr);
    ::dup2(file_, STDOUT_FILENO);
    ::dup2(file_, STDERR_FILENO);
  }
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;
  ~CapturedOutput() {
    ::dup2(out_, STDOUT_FILENO);
    ::dup2(err_, STDERR_FILENO);
    for (const int descriptor : {file_, out_, err_}) ::close(descriptor);
  }
  [[nodiscard]] long bytes() const {
    std::fflush(nullptr);
    struct stat status {};
    return ::fstat(file_, &status) == 0 ? status.st_size : 0;
  }

 private:
  int file_;
  int out_;
  int err_;
};

CheckResult is_quiet(const Path& path) {
  const CapturedOutput output;
  return with_entry(path, [&](const tomograph_plugin&) {
    const long bytes = output.bytes();
    return bytes == 0
               ? CheckResult{}
               : failed(fmt::format("it wrote {} bytes while it was loaded; the host has a log for that", bytes));
  });
}

/// Measures processor time, which does not depend on other work on the machine.
CheckResult describes_quickly(const Path& path) {
  constexpr double limit = 0.1;  // so that `list` stays fast
  const std::clock_t before = std::clock();
  return with_entry(path, [&](const tomograph_plugin& entry) {
    static_cast<void>(examine(entry));
    const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    if (seconds <= limit) return CheckResult{};
    return CheckResult{
        CheckStatus::warning,
        fmt::format("loading and describing it took {:.2f} s of processor time, 0.1 s is enough", seconds)};
  });
}

CheckResult keeps_rule(const Path& path, Rule rule) {
  return with_entry(path, [&](const tomograph_plugin& entry) {
    std::vector<std::string> broken;
    for (const Violation& violation : examine(entry).violations) {
      if (violation.rule == rule) broken.push_back(violation.text);
    }
    return broken.empty() ? CheckResult{} : failed(joined(broken, "; "));
  });
}

CheckResult has_static_data(const Path& path) {
  return with_entry(path, [&](const tomograph_plugin& entry) {
    if (!examine(entry).violations.empty())
      return CheckResult{CheckStatus::skipped, "its descriptors have other faults"};
    const auto outside = outside_library(entry);
    return outside ? failed(*outside) : CheckResult{};
  });
}

template <Stage stage>
CheckResult reaches(const Path& path) {
  return reached(path, stage);
}
template <Rule rule>
CheckResult keeps(const Path& path) {
  return keeps_rule(path, rule);
}

constexpr std::array<LibraryCheck, 21> all{{
    {"library", "It is a shared library for this machine", &is_library},
    {"trust", "Nobody but its owner or root can change the file or its folder", &is_trusted},
    {"exports", "It exports the entry symbol and nothing else", &exports_entry_alone},
    {"driver-free", "It is linked with no library of a GPU's driver or toolkit", &needs_no_driver},
    {"loads", "It can be loaded with all symbols bound at once", &reaches<Stage::library>},
    {"entry", "It has the entry symbol", &reaches<Stage::symbol>},
    {"magic", "The entry starts with the magic number", &reaches<Stage::magic>},
    {"version", "This program has the ABI that the plugin needs", &reaches<Stage::version>},
    {"entry-size", "The entry is as large as it says", &reaches<Stage::size>},
    {"process", "Loading it leaves locale, descriptors, signals, limits and floating point of the process alone",
     &keeps_process, true},
    {"quiet", "Loading it writes nothing", &is_quiet, true},
    {"quick", "Loading and describing it takes at most 0.1 s of processor time", &describes_quickly, true},
    {"sizes", "Every descriptor is large enough, every count sensible, no element null", &keeps<Rule::sizes>},
    {"strings", "Every string is there, ends, and is UTF-8", &keeps<Rule::strings>},
    {"identifiers", "Ids follow the grammar, begin with the plugin's id and occur once", &keeps<Rule::identifiers>},
    {"questions", "Every probe asks a question", &keeps<Rule::questions>},
    {"facts", "Keys, units, types and scopes of facts and needs are known ones", &keeps<Rule::facts>},
    {"parameters", "Every parameter has a default of its type within its range", &keeps<Rule::parameters>},
    {"times", "Expected seconds and time budgets make sense", &keeps<Rule::times>},
    {"functions", "No function is missing", &keeps<Rule::functions>},
    {"static-data", "All descriptors and strings lie in the library's own static data", &has_static_data},
}};

}  // namespace

std::span<const LibraryCheck> library_checks() { return all; }

CheckResult perform_check(const std::string& name, const Path& library) {
  const auto* const found = std::ranges::find(all, name, &LibraryCheck::name);
  if (found == all.end()) throw std::invalid_argument("there is no check " + name);
  return found->perform(library);
}

}  // namespace tomograph::host
