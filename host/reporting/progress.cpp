#include "reporting/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tomograph::host {
namespace {

using namespace std::chrono_literals;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string time_left(double seconds) {
  if (seconds < 1) return "less than 1 s left";
  if (seconds < 100) return fmt::format("about {:.0f} s left", seconds);
  return fmt::format("about {:.0f} min left", seconds / 60);
}

std::string_view plugin_of(std::string_view probe) { return probe.substr(0, probe.find('/')); }

}  // namespace

double remaining_seconds(const std::vector<ProbeProgress>& probes) {
  double expected_done = 0;
  double spent = 0;
  double expected_open = 0;
  for (const ProbeProgress& probe : probes) {
    const double fraction = std::clamp(probe.fraction, 0.0, 1.0);
    expected_done += fraction * probe.expected_seconds;
    expected_open += (1 - fraction) * probe.expected_seconds;
    spent += probe.seconds;
  }
  // The expected times count like a tenth of the run that took exactly as long as expected, so that the estimate does
  // not jump during the first probes.
  const double trust = 0.1 * (expected_done + expected_open);
  const double pace = trust > 0 ? (spent + trust) / (expected_done + trust) : 1;
  return expected_open * pace;
}

std::optional<std::string> progress_count(std::string_view line) {
  const std::size_t end = line.find(']');
  if (!line.starts_with('[') || end == std::string_view::npos) return std::nullopt;
  const std::string_view count = line.substr(1, end - 1);
  if (count.find('/') == std::string_view::npos) return std::nullopt;
  if (count.find_first_not_of("0123456789/") != std::string_view::npos) return std::nullopt;
  return std::string(line.substr(0, end + 1));
}

Progress::Progress(Terminal& terminal, const std::vector<Planned>& plan) : terminal_(&terminal) {
  for (const Planned& planned : plan) {
    names_.push_back(planned.probe);
    probes_.push_back({.expected_seconds = planned.expected_seconds});
  }
  begun_.resize(plan.size());
}

Progress::~Progress() {
  write_skipped();
  terminal_->status({});
}

void Progress::begin(const std::string& probe) {
  current_ = index(probe);
  begun_[current_] = Clock::now();
  probes_[current_].fraction = 0;
  show();
}

void Progress::wait(const std::string& probe) {
  const std::string line = fmt::format("[{}/{}] {} waits for runs on other GPUs of this node, since links need quiet",
                                       ended_, names_.size(), names_[index(probe)]);
  terminal_->interactive() ? terminal_->status(line) : terminal_->line(line);
}

void Progress::update(const std::string& probe, double fraction) {
  current_ = index(probe);
  ProbeProgress& progress = probes_[current_];
  progress.fraction = std::max(progress.fraction, fraction);
  progress.seconds = seconds_since(begun_[current_]);
  if (Clock::now() - shown_ > 100ms) show();
}

void Progress::end(const std::string& probe, const ProbeRun& run) {
  ProbeProgress& progress = probes_[index(probe)];
  const bool is_skipped = run.status == OutcomeStatus::skipped;
  const bool joins = is_skipped && !skipped_.probes.empty() && run.reason == skipped_.reason &&
                     plugin_of(probe) == plugin_of(skipped_.probes.back());
  if (!joins) write_skipped();
  progress.fraction = 1;
  progress.seconds = run.seconds;
  ++ended_;
  if (terminal_->interactive()) return show();
  if (is_skipped) {
    skipped_.probes.push_back(probe);
    skipped_.reason = run.reason;
    skipped_.seconds += run.seconds;
    return;
  }
  const std::string reason = run.reason.empty() ? "" : ": " + run.reason;
  write_line(fmt::format("{}: {}{}", probe, to_string(run.status), reason), run.seconds);
}

void Progress::write_skipped() {
  const Skipped skipped = std::exchange(skipped_, {});
  if (skipped.probes.empty()) return;
  const std::size_t count = skipped.probes.size();
  const std::string& probe = skipped.probes.back();
  const std::string outcome = count == 1
                                  ? fmt::format("{}: skipped: {}", probe, skipped.reason)
                                  : fmt::format("{}: {} probes skipped: {}", plugin_of(probe), count, skipped.reason);
  write_line(outcome, skipped.seconds);
}

void Progress::write_line(const std::string& outcome, double seconds) {
  std::string line = fmt::format("[{}/{}] {} ({:.2f} s)", ended_, names_.size(), outcome, seconds);
  if (ended_ < names_.size()) line += fmt::format(", {}", time_left(remaining_seconds(probes_)));
  terminal_->line(line);
}

void Progress::show() {
  shown_ = Clock::now();
  if (ended_ == names_.size()) return terminal_->status({});
  terminal_->status(fmt::format("[{}/{}] {}  {:.0f} %, {}", std::min(ended_ + 1, names_.size()), names_.size(),
                                names_[current_], 100 * probes_[current_].fraction,
                                time_left(remaining_seconds(probes_))));
}

std::size_t Progress::index(const std::string& probe) const {
  const auto found = std::ranges::find(names_, probe);
  if (found == names_.end()) throw std::invalid_argument("no probe of this run: " + probe);
  return static_cast<std::size_t>(found - names_.begin());
}

}  // namespace tomograph::host
