#ifndef TOMOGRAPH_HOST_RUNNING_SCHEDULE_HPP
#define TOMOGRAPH_HOST_RUNNING_SCHEDULE_HPP

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "planning/plan.hpp"

namespace tomograph::host {

/// Decides which probe of a plan begins next. Several run at the same time, so that the host works for one while the
/// device executes for another. Whatever the times, each probe finds the same facts known as if all ran one after the
/// other.
///
/// A probe runs alone if it measures links, since other work of the processor disturbs their times; if its plugin also
/// has devices or executors, since one thread calls a plugin (abi/version.h); or if it is repeated. Such probes come
/// last: begun in the order of the plan, they would part those that could run at the same time. So do probes that keep
/// a GPU: none begins while others share it, for which it would have to wait, and its time would pass.
class Schedule {
 public:
  /// At most `most` probes run at the same time, one of each plugin. `plan` must outlive the schedule.
  Schedule(std::span<const PlannedProbe> plan, std::size_t most);

  /// The number in the plan of the probe that begins next. None, if those that run must end before. While another run
  /// of this node has the link to the host, probes that want it come last.
  [[nodiscard]] std::optional<std::size_t> next(const std::function<bool()>& is_link_to_host_taken) const;

  void begin(std::size_t probe);
  /// The probe has ended or will not run at all.
  void end(std::size_t probe);
  /// The probe, which ran, is to begin once more, and alone.
  void repeat(std::size_t probe);

  [[nodiscard]] bool has_ended() const { return ended_ == probes_.size(); }

 private:
  enum class State { waiting, running, ended };
  struct Probe {
    const PlannedProbe* planned;
    std::vector<std::size_t> earlier;  ///< in the plan, of which one needs a fact of the other
    bool is_alone;
    State state = State::waiting;
  };

  [[nodiscard]] bool has_facts(const Probe& probe) const;
  /// Whether the probe keeps a GPU until it ends.
  [[nodiscard]] static bool keeps_device(const Probe& probe);
  /// Lower for probes that begin first.
  [[nodiscard]] static int place_in_order(const Probe& probe);
  /// Whether the probe may run beside those that run.
  [[nodiscard]] bool has_place(const Probe& probe) const;

  std::vector<Probe> probes_;
  std::size_t most_;
  std::size_t running_ = 0;
  std::size_t ended_ = 0;
};

}  // namespace tomograph::host

#endif
