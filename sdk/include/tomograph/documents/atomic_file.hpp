#ifndef TOMOGRAPH_ATOMIC_FILE_HPP
#define TOMOGRAPH_ATOMIC_FILE_HPP

#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tomograph {

/// A file could not be written: names the file and the reason.
class FileError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Whether a file must survive a loss of power right after it was written. Flushing it takes a disk milliseconds.
enum class Durable { no, yes };

/// Writes a file beside its target and renames it at the end. Until then the target is intact, and if `commit` is never
/// reached, nothing is left over. A process that is killed leaves ".NAME.PID.partial", which the next AtomicFile in the
/// folder removes. A device such as /dev/stdout is written to directly.
/// Every function throws FileError if the file system refuses.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// The next `write` overwrites the beginning of the file.
  void rewind();
  /// Replaces the target, whose permissions stay. No other function may be called afterwards.
  void commit(Durable durable = Durable::yes);

 private:
  class File;
  std::unique_ptr<File> file_;
};

/// Replaces or creates a file with this content through an AtomicFile. @throws FileError
void write_atomically(const std::filesystem::path& path, std::string_view content, Durable durable = Durable::yes);

/// Why `write_atomically` would fail for lack of a folder or of permission; nothing if it would not. Changes nothing.
[[nodiscard]] std::optional<std::string> writing_obstacle(const std::filesystem::path& path);

}  // namespace tomograph

#endif
