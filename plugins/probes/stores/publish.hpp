#ifndef TOMOGRAPH_STORES_PUBLISH_HPP
#define TOMOGRAPH_STORES_PUBLISH_HPP

#include <span>

#include "analysis_combining.hpp"
#include "analysis_hits.hpp"
#include "analysis_write_back.hpp"
#include "tomograph/session.hpp"

namespace tomograph::stores {

/// Loads of words, by what came before.
struct Observed {
  Hits cold;         ///< nothing
  Hits warm;         ///< a load
  Hits stored;       ///< a store
  Hits overwritten;  ///< a load and a store
  Hits beside;       ///< a load, and a store to the next word
};

/// Keeps the cycles of all loads as evidence.
void keep(const Session& session, std::span<const AccessesAnswer> answers);

/// Publishes what stores do, unless loads that must hit do not, or others do.
void publish(const Session& session, const Observed& observed);

/// Keeps the rates of sectors, of words and of one SM's words, by trial, as evidence.
void keep(const Session& session, std::span<const std::vector<double>> rates);

/// Publishes l1_data.write_combining, or why it is unknown.
void publish(const Session& session, const WriteRates& rates, const Verdict& verdict);

/// Keeps the times as evidence, and publishes l2.write_back or why it is unknown.
void publish(const Session& session, const RefillTimes& times);

}  // namespace tomograph::stores

#endif
