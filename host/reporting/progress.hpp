#ifndef TOMOGRAPH_HOST_REPORTING_PROGRESS_HPP
#define TOMOGRAPH_HOST_REPORTING_PROGRESS_HPP

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reporting/terminal.hpp"
#include "topology/topology.hpp"

namespace tomograph::host {

/// The progress of one probe.
struct ProbeProgress {
  double expected_seconds = 0;  ///< as its descriptor says
  double fraction = 0;          ///< done, in [0, 1]
  double seconds = 0;           ///< spent so far
};

/// Estimated seconds until the end of the run: the expected seconds of the rest, scaled by how much faster or slower
/// than expected the run has been so far.
[[nodiscard]] double remaining_seconds(const std::vector<ProbeProgress>& probes);

/// The count that begins a line of a Progress elsewhere than on a terminal, "[3/40]"; nothing for any other line.
[[nodiscard]] std::optional<std::string> progress_count(std::string_view line);

/// Shows the progress of a run: on a terminal as a status line, elsewhere as one line per probe, or per plugin whose
/// probes are skipped for one reason.
class Progress {
 public:
  struct Planned {
    std::string probe;
    double expected_seconds = 0;
  };

  /// `terminal` must outlive the display. `plan` is in the order of the run.
  Progress(Terminal& terminal, const std::vector<Planned>& plan);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void begin(const std::string& probe);
  /// The probe will begin when no other run measures links.
  void wait(const std::string& probe);
  /// Sets how much of the probe is done. Cheap: the line is rewritten at most ten times a second.
  void update(const std::string& probe, double fraction);
  /// The probe has ended, or will not run at all.
  void end(const std::string& probe, const ProbeRun& run);

 private:
  using Clock = std::chrono::steady_clock;
  /// Probes that ended one after the other, of one plugin, were skipped for the same reason and have no line yet.
  struct Skipped {
    std::vector<std::string> probes;
    std::string reason;
    double seconds = 0;
  };
  void show();
  void write_skipped();
  void write_line(const std::string& outcome, double seconds);
  [[nodiscard]] std::size_t index(const std::string& probe) const;

  Terminal* terminal_;
  std::vector<std::string> names_;
  std::vector<ProbeProgress> probes_;
  Skipped skipped_;
  std::size_t ended_ = 0;
  std::size_t current_ = 0;               ///< the probe that was heard of last
  std::vector<Clock::time_point> begun_;  ///< of each probe
  Clock::time_point shown_;
};

}  // namespace tomograph::host

#endif
