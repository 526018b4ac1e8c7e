#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "format.hpp"
#include "tomograph/documents/file_content.hpp"

namespace tomograph {

namespace {

using recording::Preamble;
using recording::Tag;

std::runtime_error cut_off(std::uint64_t size, const std::string& expected) {
  return std::runtime_error("is cut off: it ends at byte " + std::to_string(size) + " of " + expected);
}

Preamble preamble_of(std::string_view file) {
  const std::string_view start = file.substr(0, recording::magic.size());
  if (start.empty() || start != recording::magic.substr(0, start.size())) {
    throw std::runtime_error("is no recording: it does not start with TOMOREC");
  }
  if (file.size() < recording::payload_offset) {
    throw cut_off(file.size(), "the " + std::to_string(recording::payload_offset) + " of its header alone");
  }
  const auto preamble = ByteReader(file.substr(recording::magic.size())).value<Preamble>();
  if (preamble.version != recording::format_version) {
    throw std::runtime_error("has recording format " + std::to_string(preamble.version) + ", this Tomograph reads " +
                             std::to_string(recording::format_version));
  }
  return preamble;
}

std::uint64_t checksum(std::string_view payload, const Preamble& preamble) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> hash(XXH3_createState(), &XXH3_freeState);
  if (hash == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(hash.get());
  XXH3_64bits_update(hash.get(), payload.data(), payload.size());
  XXH3_64bits_update(hash.get(), &preamble.content_bytes, sizeof preamble.content_bytes);
  XXH3_64bits_update(hash.get(), &preamble.payload_bytes, sizeof preamble.payload_bytes);
  return XXH3_64bits_digest(hash.get());
}

/// The decompressed content of an intact recording.
std::string content_of(std::string_view file) {
  const Preamble preamble = preamble_of(file);
  const std::string_view payload = file.substr(recording::payload_offset);
  if (payload.size() < preamble.payload_bytes) {
    throw cut_off(file.size(), std::to_string(recording::payload_offset + preamble.payload_bytes));
  }
  if (payload.size() > preamble.payload_bytes) {
    throw std::runtime_error("has " + std::to_string(payload.size() - preamble.payload_bytes) + " bytes after its end");
  }
  if (checksum(payload, preamble) != preamble.checksum) {
    throw std::runtime_error("was altered: its checksum does not match its content");
  }
  // Zstandard needs at least four bytes for a block of 128 KiB. A larger ratio shows a damaged size.
  constexpr std::uint64_t most_per_byte = (std::uint64_t{128} << 10) / 4;
  if (preamble.content_bytes / most_per_byte > payload.size()) throw Damaged();
  std::string content(preamble.content_bytes, '\0');
  if (ZSTD_decompress(content.data(), content.size(), payload.data(), payload.size()) != content.size())
    throw Damaged();
  return content;
}

/// An array of an entry: its name and the number under which its content is stored.
struct ArrayReference {
  std::string_view name;
  std::uint32_t number = 0;
};

/// Reads the references of an entry, one after the other, and calls `take` with each.
template <typename Take>
void read_references(ByteReader& reader, Take take) {
  for (auto count = reader.value<std::uint32_t>(); count > 0; --count) {
    const std::string_view name = reader.text();
    take(ArrayReference{name, reader.value<std::uint32_t>()});
  }
}

/// What refers to arrays stays as it is stored: a recording has many times more references than a replay asks for.
struct Entry {
  std::string_view id;
  std::string_view parameters;
  std::string_view arrays;
  tomograph_status status = TOMOGRAPH_OK;
  std::string_view reason;
};

/// An experiment and the number of its entry.
using EntryIdentity = std::pair<ExperimentIdentity, std::size_t>;

RecordingHeader decode_header(ByteReader& reader) {
  const Value header = from_json(reader.text());
  const auto text = [&](const char* key) { return header.at(key).get<std::string>(); };
  return {text("tool_version"), text("device"), text("device_name"), header.at("facts").elements()};
}

/// A parameter of an experiment that is not in the recording.
struct Requested {
  std::string_view name;
  bool is_stored = false;               ///< recordings store the content
  std::optional<std::uint32_t> number;  ///< of the array with this content, if the recording has it
};

/// The names of the parameters in which two experiments differ.
struct Difference {
  std::vector<std::string_view> changed;
  std::vector<std::string_view> only_recorded;
  std::vector<std::string_view> only_requested;

  Difference(std::span<const Requested> requested, std::span<const ArrayReference> recorded) {
    auto next = recorded.begin();  // mostly, both have the same order
    std::size_t found = 0;
    for (const Requested& one : requested) {
      if (!one.is_stored) continue;
      if (next == recorded.end() || next->name != one.name) {
        next = std::ranges::find(recorded, one.name, &ArrayReference::name);
      }
      if (next == recorded.end()) {
        only_requested.push_back(one.name);
        continue;
      }
      if (one.number != next->number) changed.push_back(one.name);
      ++found;
      ++next;
    }
    if (found == recorded.size()) return;
    for (const ArrayReference& one : recorded) {
      if (std::ranges::find(requested, one.name, &Requested::name) == requested.end())
        only_recorded.push_back(one.name);
    }
  }

  [[nodiscard]] std::size_t size() const { return changed.size() + only_recorded.size() + only_requested.size(); }
};

void append_list(std::string& text, std::string_view what, std::span<const std::string_view> names) {
  if (names.empty()) return;
  if (!text.empty()) text += ", ";
  text += what;
  for (const std::string_view& name : names) (text += &name == &names.front() ? " " : ", ") += name;
}

}  // namespace

struct Recording::Content {
  std::string bytes;
  RecordingHeader header;
  std::vector<std::string_view> arrays;  ///< packed, by number
  std::vector<Entry> entries;
  std::set<std::string_view> ids;          ///< of the entries
  std::vector<EntryIdentity> by_identity;  ///< sorted: equal experiments in their order

  explicit Content(std::string content) : bytes(std::move(content)) {
    ByteReader reader(bytes);
    header = decode_header(reader);
    for (auto tag = reader.value<Tag>(); tag != Tag::end; tag = reader.value<Tag>()) {
      if (tag == Tag::array) {
        decode_array(reader);
      } else if (tag == Tag::experiment) {
        decode_entry(reader);
      } else {
        throw Damaged();
      }
    }
    if (reader.value<std::uint64_t>() != entries.size()) throw Damaged();
    std::ranges::sort(by_identity);
  }

  void decode_array(ByteReader& reader) {
    const ByteReader start = reader;
    recording::skip_packed(reader);
    arrays.push_back(start.until(reader));
  }

  void decode_entry(ByteReader& reader) {
    const auto key = reader.value<ExperimentIdentity>();
    Entry entry;
    entry.id = reader.text();
    entry.parameters = checked_references(reader);
    entry.status = reader.value<tomograph_status>();
    entry.reason = reader.text();
    entry.arrays = checked_references(reader);
    if (entries.empty() || entries.back().id != entry.id) ids.insert(entry.id);
    by_identity.emplace_back(key, entries.size());
    entries.push_back(entry);
  }

  /// The bytes of references, each to an array that came before.
  [[nodiscard]] std::string_view checked_references(ByteReader& reader) const {
    const ByteReader start = reader;
    read_references(reader, [&](const ArrayReference& reference) {
      if (reference.number >= arrays.size()) throw Damaged();
    });
    return start.until(reader);
  }

  [[nodiscard]] Numbers numbers(std::uint32_t array) const {
    ByteReader reader(arrays[array]);
    return recording::unpack(reader);
  }

  /// Finds the contents of `parameters`. Equal ones are packed alike, so no array needs to be unpacked.
  [[nodiscard]] std::vector<Requested> locate(const Arrays& parameters) const {
    std::vector<Requested> requested;
    for (const ArrayView& parameter : parameters) {
      Requested& one =
          requested.emplace_back(Requested{parameter.name(), recording::is_stored(parameter), std::nullopt});
      if (!one.is_stored) continue;
      std::string packed;
      recording::pack(parameter, packed);
      const auto array = std::ranges::find(arrays, packed);
      if (array != arrays.end()) one.number = static_cast<std::uint32_t>(array - arrays.begin());
    }
    return requested;
  }
};

Recording::Recording(std::unique_ptr<Content> content) : content_(std::move(content)) {}
Recording::~Recording() = default;
Recording::Recording(Recording&&) noexcept = default;
Recording& Recording::operator=(Recording&&) noexcept = default;

Recording Recording::read(const std::filesystem::path& path) {
  try {
    return Recording(std::make_unique<Content>(content_of(file_content(path))));
  } catch (const std::logic_error&) {
    throw RecordingError("recording " + path.string() + " " + Damaged().what());
  } catch (const std::runtime_error& error) {
    throw RecordingError("recording " + path.string() + " " + error.what());
  }
}

const RecordingHeader& Recording::header() const { return content_->header; }

std::uint64_t Recording::size() const { return content_->entries.size(); }

std::optional<Answer> Recording::find(const ExperimentIdentity& experiment, std::uint64_t occurrence) const {
  const auto first = std::ranges::lower_bound(content_->by_identity, experiment, {}, &EntryIdentity::first);
  const auto last = std::ranges::upper_bound(content_->by_identity, experiment, {}, &EntryIdentity::first);
  if (first == last) return std::nullopt;
  const auto chosen = std::min<std::uint64_t>(occurrence, static_cast<std::uint64_t>(last - first) - 1);
  const Entry& entry = content_->entries[first[static_cast<std::ptrdiff_t>(chosen)].second];
  Answer answer{{}, entry.status, std::string(entry.reason)};
  std::vector<NamedArray> arrays;
  ByteReader references(entry.arrays);
  read_references(references, [&](const ArrayReference& array) {
    arrays.push_back({std::string(array.name), content_->numbers(array.number)});
  });
  answer.arrays = Arrays(std::vector<ArrayView>(arrays.begin(), arrays.end()));
  return answer;
}

bool Recording::holds(std::string_view id) const { return content_->ids.contains(id); }

std::string Recording::nearest(const Experiment& experiment) const {
  const std::vector<Requested> requested = content_->locate(experiment.parameters);
  std::optional<Difference> best;
  std::vector<ArrayReference> recorded;
  for (const Entry& entry : content_->entries) {
    if (entry.id != experiment.id) continue;
    recorded.clear();
    ByteReader reader(entry.parameters);
    read_references(reader, [&](const ArrayReference& reference) { recorded.push_back(reference); });
    Difference difference(requested, recorded);
    if (!best || difference.size() < best->size()) best = std::move(difference);
  }
  if (!best) return "it holds no experiment " + experiment.id;
  if (best->size() == 0) return "it holds one that differs at most in long lists or in the order of parameters";
  std::string text;
  append_list(text, "has other", best->changed);
  append_list(text, "lacks", best->only_requested);
  append_list(text, "also has", best->only_recorded);
  return "the most similar one that it holds " + text;
}

}  // namespace tomograph
