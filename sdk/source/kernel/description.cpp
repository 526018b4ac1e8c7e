#include "tomograph/kernel/description.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "embedded_schemas.hpp"
#include "tomograph/documents/nearest_name.hpp"
#include "tomograph/documents/schema.hpp"
#include "tomograph/documents/toml_document.hpp"

namespace tomograph::kernel {

namespace {

using Json = nlohmann::json;
using Names = std::vector<std::string>;

/// In the order of the enumerators.
const Names operations{"integer", "fp32",   "fp64",        "special",      "load",
                       "store",   "atomic", "shared_load", "shared_store", "barrier"};
const Names caches{"ca", "cg", "nc"};

/// Keys of every access, and further ones by pattern.
const Names access_keys{"pattern", "element", "base", "span"};
const std::map<std::string, Names> pattern_keys{
    {"stride", {"lane_stride", "warp_stride", "iteration_stride", "offset"}},
    {"hash", {"group", "block", "seed"}},
    {"gather", {"index"}},
    {"stencil", {"width", "dx", "dy"}},
    {"csr", {"row"}},
    {"column", {"width"}}};

template <typename Enum>
Enum enumerator(const Names& names, const std::string& name) {
  return static_cast<Enum>(std::ranges::find(names, name) - names.begin());
}

/// Reads one description that the schema has accepted.
class Reader {
 public:
  explicit Reader(const TomlDocument& document) : document_(&document), root_(&document.value) {
    const Json& list = root_->at("instruction");
    for (std::size_t k = 0; k < list.size(); ++k) {
      names_.push_back(list[k].value("name", ""));
      const auto first = std::ranges::find(names_, names_.back());
      if (!names_.back().empty() && first != names_.end() - 1) refuse(k, "name", "two instructions have this name");
    }
  }

  Description read() {
    Kernel& kernel = description_.kernel;
    description_.name = root_->at("name").get<std::string>();
    kernel.warps = root_->at("warps");
    kernel.ctas = root_->at("ctas");
    kernel.ctas_per_sm = root_->at("ctas_per_sm");
    kernel.iterations = root_->at("iterations");
    kernel.footprint = root_->at("footprint");
    kernel.warm_passes = root_->value("warm_passes", kernel.warm_passes);
    kernel.carveout = root_->value("carveout", kernel.carveout);
    if (root_->contains("timed")) kernel.timed = number_of(root_->at("timed"), "/timed");
    for (std::size_t k = 0; k < names_.size(); ++k) kernel.loop.push_back(read_step(k));
    if (const auto broken = violation(kernel)) throw InputError(document_->at(pointer_to(*broken), broken->rule));
    return std::move(description_);
  }

 private:
  static std::string pointer_to(std::size_t k, const std::string& key) {
    return "/instruction/" + std::to_string(k) + "/" + key;
  }
  static std::string pointer_to(const Violation& broken) {
    return broken.step < 0 ? "/" + broken.field : pointer_to(static_cast<std::size_t>(broken.step), broken.field);
  }
  [[noreturn]] void refuse(std::size_t k, const std::string& key, const std::string& message) const {
    throw InputError(document_->at(pointer_to(k, key), message));
  }

  std::int64_t number_of(const std::string& name, const std::string& pointer) const {
    const auto found = std::ranges::find(names_, name);
    if (found != names_.end() && !name.empty()) return found - names_.begin();
    throw InputError(document_->at(pointer, "no instruction has the name '" + name + "'" + suggestion(name, names_)));
  }

  Step read_step(std::size_t k) const {
    const Json& table = root_->at("instruction")[k];
    Step step{.operation = enumerator<Operation>(operations, table.at("operation"))};
    expect_meaning(k, table);
    step.count = table.value("count", step.count);
    step.lanes = table.value("lanes", step.lanes);
    add_needs(step, k, "needs", 0);
    add_needs(step, k, "previous", static_cast<std::int64_t>(names_.size()));
    if (table.contains("pattern")) step.access = read_access(k, table);
    return step;
  }

  void add_needs(Step& step, std::size_t k, const char* key, std::int64_t first) const {
    const Json none = Json::array();
    const Json& table = root_->at("instruction")[k];
    const Json& names = table.contains(key) ? table.at(key) : none;
    for (const Json& name : names) step.needs.push_back(first + number_of(name, pointer_to(k, key)));
  }

  Access read_access(std::size_t k, const Json& table) const {
    Access access{.pattern = read_pattern(k, table)};
    access.element = table.value("element", access.element);
    access.cache = enumerator<Cache>(caches, table.value("cache", "ca"));
    access.base = table.value("base", access.base);
    access.span = table.value("span", description_.kernel.footprint - access.base);
    return access;
  }

  Pattern read_pattern(std::size_t k, const Json& table) const {
    const auto kind = table.at("pattern").get<std::string>();
    const auto value = [&](const char* key, std::int64_t fallback) { return table.value(key, fallback); };
    if (kind == "stride") {
      const Stride natural;
      return Stride{value("lane_stride", natural.lane_stride), value("warp_stride", natural.warp_stride),
                    value("iteration_stride", natural.iteration_stride), value("offset", natural.offset)};
    }
    if (kind == "hash") return Hash{value("group", 1), value("block", 32), value("seed", 0)};
    if (kind == "gather") {
      require(k, table, "index");
      return Gather{number_of(table.at("index"), pointer_to(k, "index"))};
    }
    if (kind == "stencil") {
      require(k, table, "width");
      return Stencil{value("width", 0), value("dx", 0), value("dy", 0)};
    }
    if (kind == "csr") {
      require(k, table, "row");
      return Csr{value("row", 0)};
    }
    require(k, table, "width");
    return Column{value("width", 0)};
  }

  void require(std::size_t k, const Json& table, const std::string& key) const {
    if (!table.contains(key)) refuse(k, "pattern", "needs the key " + key);
  }

  /// Refuses keys that the operation or the pattern gives no meaning.
  void expect_meaning(std::size_t k, const Json& table) const {
    const auto operation = table.at("operation").get<std::string>();
    const bool has_access = operation == "load" || operation == "store" || operation == "atomic";
    if (has_access && !table.contains("pattern")) refuse(k, "operation", "needs the key pattern");
    Names allowed{"name", "operation", "count", "lanes", "needs", "previous"};
    std::string what = operation;
    if (has_access) {
      const auto& own = pattern_keys.at(table.at("pattern"));
      allowed.insert(allowed.end(), access_keys.begin(), access_keys.end());
      allowed.insert(allowed.end(), own.begin(), own.end());
      what += " with the pattern " + table.at("pattern").get<std::string>();
    }
    if (operation == "load") allowed.emplace_back("cache");
    for (const auto& [key, value] : table.items()) {
      if (std::ranges::find(allowed, key) == allowed.end()) {
        refuse(k, key, "has no meaning for a " + what + suggestion(key, allowed));
      }
    }
  }

  const TomlDocument* document_;
  const Json* root_;
  Names names_;
  Description description_;
};

Description description_of(const TomlDocument& document) {
  const auto problems = schema_violations(document, embedded_schemas().at("kernel"));
  if (!problems.empty()) throw InputError(problems);
  return Reader(document).read();
}

}  // namespace

Description parse_description(std::string_view text, const std::filesystem::path& file) {
  return description_of(parse_toml(text, file));
}

Description read_description(const std::filesystem::path& file) { return description_of(read_toml(file)); }

}  // namespace tomograph::kernel
