#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <map>
#include <utility>

#include "format.hpp"
#include "tomograph/documents/atomic_file.hpp"

namespace tomograph {

namespace {

using recording::Preamble;
using recording::Tag;

/// Higher levels take several times longer and make the file hardly smaller.
constexpr int compression_level = 12;
/// Large enough that the time of a write call does not count.
constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

/// Calls `write`; what the file system refuses becomes a RecordingError.
template <typename Write>
auto as_recording_error(Write write) {
  try {
    return write();
  } catch (const FileError& error) {
    throw RecordingError(std::string("cannot write recording ") + error.what());
  }
}

}  // namespace

class RecordingWriter::File {
 public:
  File(const std::filesystem::path& path, const RecordingHeader& header)
      : file_(path), compressor_(ZSTD_createCCtx(), &ZSTD_freeCCtx), hash_(XXH3_createState(), &XXH3_freeState) {
    if (compressor_ == nullptr || hash_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_compressionLevel, compression_level);
    XXH3_64bits_reset(hash_.get());
    const std::string room(recording::payload_offset, '\0');
    file_.write(room);
    const Value table{{"tool_version", header.tool_version},
                      {"device", header.device},
                      {"device_name", header.device_name},
                      {"facts", header.facts}};
    ByteWriter(content_).text(to_json(table));
  }

  void add(const Experiment& experiment, const Answer& answer) {
    std::vector<ArrayView> stored;
    std::ranges::copy_if(experiment.parameters, std::back_inserter(stored), recording::is_stored);
    const auto parameters = array_numbers(stored);
    const auto arrays = array_numbers(answer.arrays);
    ByteWriter writer(content_);
    writer.value(Tag::experiment);
    writer.value(identity(experiment));
    writer.text(experiment.id);
    reference(stored, parameters, writer);
    writer.value(answer.status);
    writer.text(answer.reason);
    reference(answer.arrays, arrays, writer);
    ++experiments_;
    if (content_.size() >= buffer_bytes) compress(ZSTD_e_continue);
  }

  void finish() {
    ByteWriter writer(content_);
    writer.value(Tag::end);
    writer.value(experiments_);
    compress(ZSTD_e_end);
    XXH3_64bits_update(hash_.get(), &preamble_.content_bytes, sizeof preamble_.content_bytes);
    XXH3_64bits_update(hash_.get(), &preamble_.payload_bytes, sizeof preamble_.payload_bytes);
    preamble_.checksum = XXH3_64bits_digest(hash_.get());
    file_.rewind();
    file_.write({recording::magic.data(), recording::magic.size()});
    file_.write({reinterpret_cast<const char*>(&preamble_), sizeof preamble_});
    file_.commit();
  }

 private:
  /// The numbers under which the arrays' contents are stored. Equal contents, such as the node lists of repeated
  /// programs, are stored once.
  std::vector<std::uint32_t> array_numbers(std::span<const ArrayView> arrays) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(arrays.size());
    for (const ArrayView& array : arrays) {
      const auto [known, is_new] =
          stored_.try_emplace(recording::identity(array), static_cast<std::uint32_t>(stored_.size()));
      if (is_new) {
        ByteWriter(content_).value(Tag::array);
        recording::pack(array, content_);
      }
      numbers.push_back(known->second);
    }
    return numbers;
  }

  static void reference(std::span<const ArrayView> arrays, const std::vector<std::uint32_t>& numbers,
                        ByteWriter& writer) {
    writer.value(static_cast<std::uint32_t>(arrays.size()));
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      writer.text(arrays[i].name());
      writer.value(numbers[i]);
    }
  }

  void compress(ZSTD_EndDirective directive) {
    preamble_.content_bytes += content_.size();
    ZSTD_inBuffer input{content_.data(), content_.size(), 0};
    std::size_t rest = 0;
    do {
      ZSTD_outBuffer output{compressed_.data(), compressed_.size(), 0};
      rest = ZSTD_compressStream2(compressor_.get(), &output, &input, directive);
      if (ZSTD_isError(rest) != 0) {
        throw FileError(std::string("it cannot be compressed: ") + ZSTD_getErrorName(rest));
      }
      XXH3_64bits_update(hash_.get(), compressed_.data(), output.pos);
      file_.write({compressed_.data(), output.pos});
      preamble_.payload_bytes += output.pos;
    } while (directive == ZSTD_e_end ? rest != 0 : input.pos < input.size);
    content_.clear();
  }

  AtomicFile file_;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> compressor_;
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> hash_;
  std::map<ExperimentIdentity, std::uint32_t> stored_;
  std::string content_;  ///< not yet compressed
  std::string compressed_ = std::string(buffer_bytes, '\0');
  Preamble preamble_;
  std::uint64_t experiments_ = 0;
};

RecordingWriter::RecordingWriter(const std::filesystem::path& path, const RecordingHeader& header)
    : file_(as_recording_error([&] { return std::make_unique<File>(path, header); })) {}
RecordingWriter::~RecordingWriter() = default;
RecordingWriter::RecordingWriter(RecordingWriter&&) noexcept = default;
RecordingWriter& RecordingWriter::operator=(RecordingWriter&&) noexcept = default;

void RecordingWriter::add(const Experiment& experiment, const Answer& answer) {
  as_recording_error([&] { file_->add(experiment, answer); });
}

void RecordingWriter::finish() {
  as_recording_error([&] { file_->finish(); });
  file_.reset();
}

}  // namespace tomograph
