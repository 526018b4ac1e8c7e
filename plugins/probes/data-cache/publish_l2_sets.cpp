#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>

#include "acquire_l2_sets.hpp"
#include "publish_banks.hpp"
#include "publish_l2_index.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/cache/masks.hpp"
#include "tomograph/column.hpp"

namespace tomograph::data_cache {

namespace {

constexpr const char* evidence = "l2.sets";
/// Where each has 140 or 160 lines give or take one, as on an H200 and an H100, they tell their number to 0.3 %.
constexpr std::size_t wanted_sets = 12;
/// Sets whose replacement is watched.
constexpr std::size_t watched_sets = 3;
/// Lines of all pages for each line that L2 holds. A set of 16 ways then has some 256 lines of its own, so that these
/// sets tell their number to a few parts in a thousand.
constexpr std::int64_t lines_per_line_held = 16;
/// The most pages that the experiment offers.
constexpr std::int64_t most_pages = 512;
/// A set of few ways has few lines of sixteen times the capacity. In so many pages, one of 4 MiB in 4 ways has 128: a
/// bank of 48 holds none of them once in 15 times.
constexpr std::int64_t least_pages = 64;
/// The share of lines that all trials evicted but one, not the first, above which the number of members is not
/// believed. If walks evict a line with probability p, of four trials all evict p^4, and the first and two others 3 p^3
/// (1 - p): so p is 0.99 or more.
constexpr double most_doubtful = 0.03;

/// The share by which lines at home and copies may differ: three times what was seen on an H100.
constexpr double most_uneven = 0.05;
/// Numbers of sets that chance makes as likely are not published. A choice: it keeps confidences near 0.75 and above.
constexpr double most_ambiguous = 0.25;

void nothing_known(const Session& session, const std::string& reason) {
  for (const char* name : {"sets", "ways", "set_ways", "index", "replacement", "way_probability"}) {
    session.inconclusive(cache::key(l2, name), reason);
  }
}

/// The SMs that share what L2 holds: those of the first partition if each partition keeps copies, else all.
std::vector<std::int64_t> sharing_sms(const Session& session, bool replicated) {
  std::vector<std::int64_t> sms(static_cast<std::size_t>(session.needed<std::int64_t>("device.sm_count")));
  std::iota(sms.begin(), sms.end(), std::int64_t{0});
  if (!replicated) return sms;
  const auto partition = session.needed<std::vector<std::int64_t>>("l2.partition.of_sm");
  std::erase_if(sms, [&](std::int64_t sm) { return partition[static_cast<std::size_t>(sm)] != partition.front(); });
  return sms;
}

EvictionSetting setting_of(const Session& session, std::int64_t capacity) {
  EvictionSetting setting;
  setting.memory.line_size = session.needed<std::int64_t>("l2.line_size");
  setting.capacity_lines = capacity / setting.memory.line_size;
  const std::int64_t bytes = lines_per_line_held * capacity;
  const auto pages = std::bit_ceil(static_cast<std::uint64_t>(bytes / l2_lines::page_bytes));
  setting.memory.pages = std::clamp(static_cast<std::int64_t>(pages), least_pages, most_pages);
  setting.sms = sharing_sms(session, l2_is_replicated(session));
  setting.limit = std::llround(cache::known_subject(session, l2).threshold.cycles);
  if (l2_is_replicated(session)) setting.partitions = session.needed<std::int64_t>("l2.partition.count");
  return setting;
}

/// Slices that serve these SMs together, and the doubt about them. One if they are not known.
struct Slices {
  std::int64_t count = 1;
  double doubt = 0;
};

/// Partitions with copies have their shares of the slices, if the number can be divided so.
Slices slices_of(const Session& session, const EvictionSetting& setting) {
  const auto record = session.fact_record("l2.slices");
  if (!record) return {};
  const auto slices = record->at("value").get<std::int64_t>();
  const double doubt = 1 - record->at("confidence").get<double>();
  return {slices % setting.partitions == 0 ? slices / setting.partitions : slices, doubt};
}

std::int64_t sum_of(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

std::int64_t ways_of(const std::vector<EvictionSet>& sets) { return std::ssize(sets.front()) - 1; }

void publish_ways(const Session& session, const std::vector<EvictionSet>& sets) {
  session.publish({.key = "l2.ways",
                   .value = ways_of(sets),
                   .method = "eviction-sets",
                   .confidence = confidence::cache::sets_confirmed,
                   .samples = sets.size(),
                   .conditions = {{"eviction_sets", sets.size()}},
                   .evidence = evidence});
}

/// How many of `lines` lines belong to each set.
struct Membership {
  std::vector<std::int64_t> counts;
  std::int64_t lines = 0;
  std::int64_t seen = 0;  ///< members of all sets, at home or not

  [[nodiscard]] double mean() const { return static_cast<double>(sum_of(counts)) / static_cast<double>(counts.size()); }
};

/// Copies go with their neighbours now and then, so lines at home are counted where each partition is the home of its
/// share. Where few pages are shared out by chance, copies count as well.
Membership membership_of(const EvictionSetting& setting, const SetMembers& members) {
  const std::int64_t lines = setting.memory.lines() - setting.memory.pages;
  std::vector<std::int64_t> at_home;
  std::vector<std::int64_t> all;
  for (std::size_t set = 0; set < members.lines.size(); ++set) {
    at_home.push_back(std::ssize(members.lines[set]));
    all.push_back(at_home.back() + std::ssize(members.copies[set]));
  }
  const auto own = static_cast<double>(sum_of(at_home));
  const auto copies = static_cast<double>(sum_of(all)) - own;
  const double expected = own * static_cast<double>(setting.partitions - 1);
  if (std::abs(copies - expected) > most_uneven * own) return {all, lines, sum_of(all)};
  return {at_home, lines / setting.partitions, sum_of(all)};
}

/// The members of each set, at home or not.
std::vector<std::vector<std::int64_t>> all_lines(const SetMembers& members) {
  std::vector<std::vector<std::int64_t>> all(members.lines.size());
  for (std::size_t set = 0; set < all.size(); ++set) {
    std::ranges::merge(members.lines[set], members.copies[set], std::back_inserter(all[set]));
  }
  return all;
}

/// The distance of neighbours in a set. Where the homes of lines alternate, those at home are further apart.
std::optional<std::int64_t> distance_of(const SetMembers& members, std::int64_t lines_per_page) {
  const auto distance = usual_distance(all_lines(members), lines_per_page);
  return distance ? distance : usual_distance(members.lines, lines_per_page);
}

/// The number of sets by which neighbours in a set are apart, if the sets have about as many lines as that makes: pages
/// that each hold two or three lines of a set share them out unevenly, but a multiple would be half as many.
std::optional<SetCount> regular_count(const EvictionSetting& setting, const SetMembers& members,
                                      const Membership& membership) {
  const auto distance = distance_of(members, setting.memory.lines_per_page());
  if (!distance) return std::nullopt;
  constexpr double about = 1.25;  // a choice: far from 2, and twice what 32 pages of two or three lines make
  const auto exact = static_cast<double>(*distance);
  const double ratio = membership.mean() * exact / static_cast<double>(membership.lines);
  if (std::max(ratio, 1 / ratio) > about) return std::nullopt;
  return SetCount{{exact, exact}, *distance};
}

/// The numbers of sets that the size allows.
analysis::Interval sets_by_size(const Value& size, std::int64_t way_bytes) {
  const auto bytes = cache::stated(size).range;
  return {bytes.low / static_cast<double>(way_bytes), bytes.high / static_cast<double>(way_bytes)};
}

/// What an index by the quotient of the number that tells slices says of the number of sets.
std::int64_t publish_count(const Session& session, const Slices& slices, const Membership& membership,
                           const QuotientIndex& index) {
  const std::int64_t sets = slices.count * index.sets();
  session.publish({.key = "l2.sets",
                   .value = sets,
                   .method = "quotient-of-number",
                   .confidence = confidence::not_negative(confidence::cache::sets_confirmed - slices.doubt),
                   .samples = index.lines,
                   .conditions = {{"eviction_sets", membership.counts.size()},
                                  {"lines", membership.lines},
                                  {"members", membership.mean()},
                                  {"slices", slices.count},
                                  {"sets_of_slice", index.sets()}},
                   .evidence = evidence});
  return sets;
}

/// Returns the number of sets, if it is known.
std::optional<std::int64_t> publish_count(const Session& session, const EvictionSetting& setting,
                                          const std::vector<EvictionSet>& sets, const SetMembers& members,
                                          const Membership& membership, const std::optional<PageIndex>& index) {
  constexpr const char* key = "l2.sets";
  const auto leave_open = [&](const std::string& reason) {
    session.inconclusive(key, reason);
    return std::nullopt;
  };
  const auto& [counts, lines, seen] = membership;
  if (static_cast<double>(members.doubtful) > most_doubtful * static_cast<double>(seen)) {
    return leave_open("walks over a set evict its other lines only now and then");
  }
  const Slices slices = slices_of(session, setting);
  const Value size = *session.fact_record(l2_is_replicated(session) ? "l2.partition.size" : "l2.size");
  const std::int64_t way_bytes = ways_of(sets) * setting.memory.line_size;
  const auto is_open = [](const SetCount& count) { return !count.value || count.doubt > most_ambiguous; };
  const SetFactors factors{slices.count, index ? sets_told_apart(*index) : 1};
  auto count = regular_count(setting, members, membership);
  if (!count) count = count_sets(counts, lines, factors);
  if (!count) return leave_open("too few sets were found");
  double doubt_of_size = 0;
  if (is_open(*count)) {
    count = count_sets(counts, lines, factors, sets_by_size(size, way_bytes));
    doubt_of_size = 1 - cache::stated(size).confidence;
  }
  if (count->interval.low > count->interval.high) {
    return leave_open("lines of sets tell another size than the lines that L2 retains");
  }
  if (is_open(*count)) {
    return leave_open("there are " + std::to_string(std::lround(count->interval.low)) + " to " +
                      std::to_string(std::lround(count->interval.high)) +
                      " sets, and nothing tells which number of these");
  }
  const auto bytes = static_cast<double>(*count->value * way_bytes);
  session.publish(
      {.key = key,
       .value = *count->value,
       .method = "members-of-eviction-sets",
       .confidence = analysis::confidence_beside(
           {{bytes, bytes},
            confidence::not_negative(confidence::cache::sets_confirmed - slices.doubt - count->doubt - doubt_of_size)},
           cache::stated(size)),
       .interval = Interval{count->interval.low, count->interval.high},
       .samples = static_cast<std::size_t>(sum_of(counts)),
       .conditions = {{"eviction_sets", sets.size()},
                      {"lines", lines},
                      {"members", membership.mean()},
                      {"slices", slices.count},
                      {"sets_told_apart", factors.told_apart}},
       .evidence = evidence});
  return count->value;
}

void publish_replacement(const Session& session, const EvictionSetting& setting, const SetMembers& members,
                         std::int64_t ways) {
  std::vector<Visits> seen;
  for (std::size_t set = 0; set < members.lines.size() && seen.size() < watched_sets; ++set) {
    const auto lines = visits_to(members.lines[set], ways, set + 1);
    if (lines) seen.push_back(visit(session, setting, *lines, compared_visits(ways)));
  }
  QueuePolicy policy{.reason = "too few lines share a set"};
  if (!seen.empty()) policy = queue_policy(seen, ways);
  if (policy.name.empty()) {
    session.inconclusive("l2.replacement", policy.reason);
    return session.inconclusive("l2.way_probability", policy.reason);
  }
  std::vector<std::uint32_t> hits;
  for (const Visits& visits : seen) hits.insert(hits.end(), visits.hits.begin(), visits.hits.end());
  session.evidence("l2.replacement", std::vector{column("hit", hits, [](auto value) { return value; })});
  // A policy that is neither agrees with LRU in each telling visit by chance.
  const double chance = std::pow(0.5, static_cast<double>(policy.telling));
  session.publish({.key = "l2.replacement",
                   .value = policy.name,
                   .method = "random-visits",
                   .confidence = confidence::from_error(chance),
                   .samples = policy.compared,
                   .conditions = {{"telling_visits", policy.telling}, {"visits_against_lru", policy.unexplained}},
                   .evidence = "l2.replacement"});
  if (policy.name == "not-lru") return session.inconclusive("l2.way_probability", "its victims were not watched");
  session.absent("l2.way_probability", "the policy is " + policy.name + ", which has no weights");
}

/// Drops sets of another size than most: what the experiment itself loads all the time takes a way of some set.
void keep_usual_size(std::vector<EvictionSet>& sets) {
  std::map<std::size_t, std::size_t> sets_of_size;
  for (const EvictionSet& set : sets) ++sets_of_size[set.size()];
  const auto usual = std::ranges::max_element(sets_of_size, {}, [](const auto& entry) { return entry.second; })->first;
  std::erase_if(sets, [&](const EvictionSet& set) { return set.size() != usual; });
}

/// Sets of an L2 that overflows a page, for what else they tell.
struct KnownSets {
  EvictionSetting setting;
  SetMembers members;
};

bool is_complete(const std::optional<PageIndex>& index) {
  return index && index->kind != PageIndex::Kind::partly_parities;
}

/// The number whose remainder tells slices, if they are known to be one.
std::optional<SliceNumber> slice_number(const Session& session, std::int64_t line_size) {
  const auto record = session.fact_record("l2.slice_function");
  if (!record || !record->at("value").contains("number")) return std::nullopt;
  const Value& function = record->at("value");
  const auto line = static_cast<std::uint64_t>(line_size);
  return SliceNumber{.classes = cache::masks_in(function.at("parities"), line),
                     .masks = cache::masks_in(function.at("number"), line),
                     .factor = function.at("divided_by").get<std::int64_t>()};
}

/// The index within slices, where they tell enough of addresses.
std::optional<QuotientIndex> index_by_slices(const Session& session, const l2_lines::Memory& memory,
                                             std::span<const std::vector<std::int64_t>> lines, const Slices& slices,
                                             const Membership& membership) {
  const auto number = slice_number(session, memory.line_size);
  if (!number || membership.seen == 0) return std::nullopt;
  const double sets_of_slice =
      static_cast<double>(membership.lines) / membership.mean() / static_cast<double>(slices.count);
  return index_of_quotient(lines, memory.lines_per_page(), *number, sets_of_slice);
}

/// Sets, with more rounds if there are none: random victims escape a walk now and then.
std::vector<EvictionSet> patient_eviction_sets(const Session& session, EvictionSetting& setting) {
  std::vector<EvictionSet> sets = eviction_sets(session, setting, wanted_sets);
  if (!sets.empty()) return sets;
  setting.rounds = {.first = 2, .most = 32};
  return eviction_sets(session, setting, wanted_sets);
}

/// Leaves the sets of the usual number of ways. Returns whether nearly all have it.
bool are_of_one_size(const Session& session, std::vector<EvictionSet>& sets) {
  const std::size_t found = sets.size();
  keep_usual_size(sets);
  if (4 * sets.size() >= 3 * found) return true;
  for (const char* key : {"l2.sets", "l2.ways", "l2.index", "l2.replacement", "l2.way_probability"}) {
    session.inconclusive(key, "sets have different numbers of ways");
  }
  return false;
}

void publish_sets_and_index(const Session& session, const EvictionSetting& setting,
                            const std::vector<EvictionSet>& sets, const SetMembers& members) {
  const auto lines = all_lines(members);
  const std::int64_t lines_per_page = setting.memory.lines_per_page();
  const auto index = index_in_page(lines, lines_per_page, usual_distance(lines, lines_per_page).value_or(0));
  const Membership membership = membership_of(setting, members);
  session.evidence(evidence, std::vector{column("members", membership.counts, [](auto value) { return value; })});
  FoundIndex found_index{.in_page = index};
  std::optional<std::int64_t> count;
  const Slices slices = slices_of(session, setting);
  if (!is_complete(index)) {
    found_index.of_quotient = index_by_slices(session, setting.memory, lines, slices, membership);
  }
  if (found_index.of_quotient) {
    count = publish_count(session, slices, membership, *found_index.of_quotient);
  } else {
    count = publish_count(session, setting, sets, members, membership, index);
  }
  // A remainder by the number of all sets, where neighbours in a set do not show it.
  if (!found_index.of_quotient && !index && count) found_index.in_page = index_in_page(lines, lines_per_page, *count);
  publish_l2_index(session, setting.memory, lines, found_index, count);
}

std::optional<KnownSets> find_sets(const Session& session) {
  const char* const size = l2_is_replicated(session) ? "l2.partition.size" : "l2.size";
  const auto capacity = session.needed<std::int64_t>(size);
  if (capacity < cache::known_subject(session, l2).indexed_region()) {
    cache::find_organisation(session, l2, size);
    return std::nullopt;
  }
  EvictionSetting setting = setting_of(session, capacity);
  std::vector<EvictionSet> sets;
  try {
    sets = patient_eviction_sets(session, setting);
  } catch (const Skip&) {
    cache::find_organisation(session, l2, size);  // says why it cannot find sets
    return std::nullopt;
  }
  if (sets.empty()) {
    nothing_known(session, "no lines were found that share a set, by as many loads as the search may take");
    return std::nullopt;
  }
  session.inconclusive("l2.set_ways", "only a few sets were measured");
  if (!are_of_one_size(session, sets)) return std::nullopt;
  publish_ways(session, sets);
  const SetMembers members = members_of(session, setting, sets);
  publish_sets_and_index(session, setting, sets, members);
  publish_replacement(session, setting, members, ways_of(sets));
  return KnownSets{setting, members};
}

}  // namespace

void find_l2_organisation(const Session& session) {
  const auto known = find_sets(session);
  if (!known) return leave_banks_open(session, "it is unknown which lines share a set of L2");
  find_banks(session, known->setting, known->members);
}

}  // namespace tomograph::data_cache
