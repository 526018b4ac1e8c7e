#ifndef TOMOGRAPH_EXPORTERS_GALLERY_REMOVAL_HPP
#define TOMOGRAPH_EXPORTERS_GALLERY_REMOVAL_HPP

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

namespace tomograph::gallery {

using Json = nlohmann::json;

/// A name of a machine or a user.
struct Name {
  std::string whose;  ///< "the measuring machine"
  std::string text;   ///< may be empty
};

/// Removes from a topology what identifies a machine or a user.
class Removal {
 public:
  /// `names` are removed where they stand as words of their own in provenance and reasons.
  explicit Removal(const std::vector<Name>& names);

  void clean(Json& topology);

  /// What was removed, and how often.
  [[nodiscard]] const std::map<std::string, std::size_t>& removed() const { return removed_; }

 private:
  struct Pattern {
    std::string what;
    std::regex expression;  ///< its first group stays
  };

  void erase(Json& table, const char* member, const std::string& what);
  void clean_provenance(Json& provenance);
  void clean_reasons(Json& table);
  void clean_texts(Json& value, const std::vector<Pattern>& patterns);

  std::vector<Pattern> forms_;  ///< what is recognised by its form, anywhere
  std::vector<Pattern> names_;
  std::map<std::string, std::size_t> removed_;
};

}  // namespace tomograph::gallery

#endif
