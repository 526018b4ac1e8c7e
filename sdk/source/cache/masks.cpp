#include "tomograph/cache/masks.hpp"

#include <sstream>
#include <string>

namespace tomograph::cache {

Value mask_texts(std::span<const std::uint64_t> masks, std::uint64_t unit) {
  Value texts = Value::list();
  for (const std::uint64_t mask : masks) {
    std::ostringstream text;
    text << "0x" << std::hex << mask * unit;
    texts.push_back(text.str());
  }
  return texts;
}

std::vector<std::uint64_t> masks_in(const Value& texts, std::uint64_t unit) {
  std::vector<std::uint64_t> masks;
  for (const Value& text : texts.elements()) masks.push_back(std::stoull(text.get<std::string>(), nullptr, 16) / unit);
  return masks;
}

}  // namespace tomograph::cache
