#include "document.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tomograph::html {
namespace {

using Json = nlohmann::json;

std::string deflated(std::string_view text) {
  uLongf length = compressBound(text.size());
  std::string bytes(length, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(bytes.data()), &length,
                               reinterpret_cast<const Bytef*>(text.data()), text.size(), Z_BEST_COMPRESSION);
  if (status != Z_OK) throw std::runtime_error("the evidence cannot be compressed");
  bytes.resize(length);
  return bytes;
}

/// RFC 4648.
std::string base64(std::string_view bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t begin = 0; begin < bytes.size(); begin += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = begin; i < begin + 3; ++i) {
      group = group << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u);
    }
    const std::size_t written = std::min<std::size_t>(3, bytes.size() - begin) + 1;
    for (std::size_t i = 0; i < 4; ++i) text += i < written ? letters[group >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

/// JSON in which no text can end the element that it stands in.
std::string without_tags(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string packed(std::string_view text) { return base64(deflated(text)); }

std::string page_data(std::span<const Topology> topologies) {
  Json list = Json::array();
  for (const Topology& topology : topologies) {
    Json evidence;
    if (!topology.evidence_json().empty()) evidence = packed(topology.evidence_json());
    list.push_back({{"name", topology.name()},
                    {"topology", Json::parse(topology.topology_json())},
                    {"findings", Json::parse(topology.findings_json())},
                    {"evidence", std::move(evidence)}});
  }
  return without_tags(Json{{"topologies", std::move(list)}}.dump());
}

}  // namespace tomograph::html
