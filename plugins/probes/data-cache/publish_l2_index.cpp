#include "publish_l2_index.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/binomial.hpp>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/cache/masks.hpp"
#include "tomograph/cache/questions.hpp"
#include "tomograph/column.hpp"

namespace tomograph::data_cache {

namespace {

constexpr const char* key = "l2.index";
/// The share of lines that a published index may put into wrong sets.
constexpr double wrong_share = 0.001;

/// The masks over addresses.
analysis::LinearIndex of_addresses(const PageIndex& index, const l2_lines::Memory& memory) {
  const auto line = static_cast<std::uint64_t>(memory.line_size);
  analysis::Basis masks;
  for (const std::uint64_t mask : index.masks) masks.push_back(mask * line);
  const std::uint64_t varied = (static_cast<std::uint64_t>(memory.lines_per_page()) - 1) * line;
  return analysis::recover_index(analysis::orthogonal_complement(masks, varied), varied);
}

Value value_of(const PageIndex& index, const l2_lines::Memory& memory) {
  if (index.kind == PageIndex::Kind::remainder) return cache::index_value(index.modulus);
  const auto linear = of_addresses(index, memory);
  if (index.kind == PageIndex::Kind::parities) return cache::index_value(linear);
  const std::vector<std::uint64_t> ascending(linear.masks.rbegin(), linear.masks.rend());
  return {{"kind", "partly-hashed"}, {"parities", cache::mask_texts(ascending)}};
}

/// The probability that so few comparisons contradict an index that puts more than `wrong_share` of lines into wrong
/// sets.
double chance_of(std::size_t lines, std::size_t wrong) {
  const boost::math::binomial_distribution<double> contradicting(static_cast<double>(lines), wrong_share);
  return cdf(contradicting, static_cast<double>(std::min(wrong, lines)));
}

/// Masks of the number, its lowest bit first, and of places are those of addresses; the others are of the quotient,
/// with the place above its bits.
Value value_of(const QuotientIndex& index, std::uint64_t line_size) {
  Value::Table value{{"kind", "quotient"},
                     {"number", cache::mask_texts(index.number.masks, line_size)},
                     {"divided_by", index.number.factor},
                     {"places", cache::mask_texts(index.place_masks, line_size)},
                     {"quotient_bits", QuotientIndex::quotient_bits},
                     {"parities", cache::mask_texts(index.parities)},
                     {"undetermined", cache::mask_texts(index.undetermined)}};
  if (index.factor > 1) {
    value.emplace("remainder_by", index.factor);
    value.emplace("remainder_from_bit", index.shift);
    value.emplace("remainder_lowest_bits", cache::mask_texts(std::array{index.lowest, index.second}));
  }
  return value;
}

void publish_quotient(const Session& session, const l2_lines::Memory& memory, const QuotientIndex& index,
                      std::optional<std::int64_t> sets) {
  Fact fact{
      .key = key,
      .value = value_of(index, static_cast<std::uint64_t>(memory.line_size)),
      .method = "quotient-of-number",
      .confidence = confidence::from_error(chance_of(index.lines, index.wrong)),
      .samples = index.lines,
      .conditions = {{"offsets_below", l2_lines::page_bytes}, {"lines", index.lines}, {"wrong_lines", index.wrong}},
      .evidence = key};
  if (sets) fact.conditions["sets"] = *sets;
  session.publish(fact);
}

/// Pages whose lines are evidence: so many show what all do, in a quarter of the bytes.
constexpr std::int64_t shown_pages = 64;

/// Each line of the first pages: its set, its page and its offset there.
void send_evidence(const Session& session, const l2_lines::Memory& memory,
                   std::span<const std::vector<std::int64_t>> lines) {
  std::vector<std::int64_t> set;
  std::vector<std::int64_t> page;
  std::vector<std::int64_t> offset;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const std::int64_t line : lines[i]) {
      if (line >= shown_pages * memory.lines_per_page()) break;
      set.push_back(static_cast<std::int64_t>(i));
      page.push_back(line / memory.lines_per_page());
      offset.push_back(line % memory.lines_per_page());
    }
  }
  const auto number = [](auto value) { return value; };
  session.evidence(key, std::vector{column("set", set, number), column("page", page, number),
                                    column("line_of_page", offset, number)});
}

}  // namespace

std::int64_t sets_told_apart(const PageIndex& index) { return std::int64_t{1} << index.masks.size(); }

void publish_l2_index(const Session& session, const l2_lines::Memory& memory,
                      std::span<const std::vector<std::int64_t>> lines, const FoundIndex& found,
                      std::optional<std::int64_t> sets) {
  send_evidence(session, memory, lines);
  const auto& [index, quotient] = found;
  if (quotient) return publish_quotient(session, memory, *quotient, sets);
  if (!enough_lines(lines, memory.lines_per_page())) {
    return session.inconclusive(key, "fewer than 1,000 lines lie in pages with others of the sets that were found");
  }
  if (!index) {
    return session.inconclusive(key,
                                "the set of a line follows from its offset in a page neither by XORs of address bits "
                                "nor by a remainder in 99.9 % of cases");
  }
  Fact fact{.key = key,
            .value = value_of(*index, memory),
            .method = "offsets-in-pages",
            .confidence = confidence::from_error(chance_of(index->lines, index->wrong)),
            .samples = index->lines,
            .conditions = {{"offsets_below", l2_lines::page_bytes},
                           {"comparisons", index->comparisons},
                           {"wrong_comparisons", index->wrong}},
            .evidence = key};
  if (sets) fact.conditions["sets"] = *sets;
  if (index->kind != PageIndex::Kind::remainder) fact.conditions["sets_told_apart"] = sets_told_apart(*index);
  session.publish(fact);
}

}  // namespace tomograph::data_cache
