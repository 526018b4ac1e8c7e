#ifndef TOMOGRAPH_TLB_PUBLISH_HPP
#define TOMOGRAPH_TLB_PUBLISH_HPP

#include <string>

#include "acquire_level.hpp"
#include "analysis_matrix.hpp"
#include "tomograph/session.hpp"

namespace tomograph::tlb {

/// Publishes the facts of one run, with the conditions that they share.
class Publisher {
 public:
  /// The device's clock counts by `clock_step` cycles.
  Publisher(const Session& session, const Memory& memory, double clock_step);

  /// Keeps the matrix as evidence.
  void matrix(const Matrix& matrix) const;

  /// `prefix` is "tlb.l1." or the like.
  void level(const std::string& prefix, const Findings& found) const;

  /// `doubt` says why levels before the window may be hidden, whose misses cost a part of what lies between the
  /// plateaus; empty if none are.
  void window(const Level& level, const Fill& fill, const std::string& doubt) const;

  /// Says that there is no such level, for this reason; or, if `doubt` says why it may be hidden, that this is unknown.
  void missing_level(const std::string& prefix, const std::string& reason, const std::string& doubt) const;
  void missing_window(const std::string& reason, const std::string& doubt) const;

 private:
  void missing(const std::string& key, const std::string& reason, const std::string& doubt) const;
  void penalty(const std::string& prefix, const Findings& found, const std::string& evidence) const;
  void plateau_penalty(const std::string& key, const Level& level, double confidence) const;
  void visits_penalty(const std::string& key, const Penalty& found, double confidence,
                      const std::string& evidence) const;
  void page_size(const std::string& key, const Findings& found, const std::string& evidence) const;
  void size(const std::string& prefix, const Findings& found, const std::string& evidence) const;
  void sets(const std::string& prefix, const Findings& found, const std::string& evidence) const;
  void replacement(const std::string& prefix, const Findings& found, const std::string& evidence) const;

  const Session& session_;
  const Memory& memory_;
  double clock_step_;
  Value conditions_;
};

}  // namespace tomograph::tlb

#endif
