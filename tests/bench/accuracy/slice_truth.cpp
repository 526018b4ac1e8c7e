#include "slice_truth.hpp"

#include <map>
#include <set>

#include "cache_truth.hpp"
#include "sim/chase/set_function.hpp"
#include "tomograph/analysis/linear_index.hpp"

namespace tomograph::bench {

namespace {

constexpr std::uint64_t page_bytes = std::uint64_t{2} << 20;

/// A function, as a fact states it, in a page that inverts some bits of its number.
class Function {
 public:
  explicit Function(const Json& published)
      : parities_(published_masks({{"masks", published.at("parities")}})),
        factor_(published.value("divided_by", std::uint64_t{1})) {
    if (published.contains("number")) number_ = published_masks({{"masks", published.at("number")}});
  }

  [[nodiscard]] std::uint64_t numbers() const { return std::uint64_t{1} << number_.size(); }
  [[nodiscard]] std::uint64_t entry(std::uint64_t address, std::uint64_t inverted) const {
    const std::uint64_t remainder = (analysis::parities(address, number_) ^ inverted) % factor_;
    return remainder << parities_.size() | analysis::parities(address, parities_);
  }

 private:
  std::vector<std::uint64_t> parities_;
  std::vector<std::uint64_t> number_ = {};
  std::uint64_t factor_;
};

/// Whether entries and slices are the same in the first page. An entry of a table may share its slice with others.
bool tells_slices_if(const sim::L2& l2, const Function& function, bool is_table, std::uint64_t inverted) {
  const sim::HomeFunction home(l2);
  std::map<std::uint64_t, std::uint64_t> slice_of_entry;
  std::set<std::uint64_t> slices;
  for (std::uint64_t address = 0; address < page_bytes; address += static_cast<std::uint64_t>(l2.cache.line_size)) {
    const std::uint64_t slice = std::uint64_t{home(address)} << 32U | (*l2.slice_function)(address);
    if (slice_of_entry.try_emplace(function.entry(address, inverted), slice).first->second != slice) return false;
    slices.insert(slice);
  }
  return is_table || slices.size() == slice_of_entry.size();
}

}  // namespace

bool tells_slices(const sim::L2& l2, const Json& published) {
  const Function function(published);
  const bool is_table = published.at("kind") == "table";
  for (std::uint64_t inverted = 0; inverted < function.numbers(); ++inverted) {
    if (tells_slices_if(l2, function, is_table, inverted)) return true;
  }
  return false;
}

}  // namespace tomograph::bench
