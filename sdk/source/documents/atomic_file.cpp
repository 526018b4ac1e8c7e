#include "tomograph/documents/atomic_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <string>
#include <system_error>
#include <utility>

namespace tomograph {
namespace {

namespace fs = std::filesystem;

std::string reason_of(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail(const fs::path& path, const std::string& what, int error) {
  throw FileError(path.string() + ": " + what + ": " + reason_of(error));
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

/// An open file descriptor. Functions return 0 or the errno of what failed.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] bool is_open() const { return number_ >= 0; }

  [[nodiscard]] int write(std::string_view content) const {
    while (!content.empty()) {
      const ssize_t written = ::write(number_, content.data(), content.size());
      if (written < 0 && errno != EINTR) return errno;
      if (written > 0) content.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
  }
  /// Whether nobody else holds the lock. It is held until the descriptor is closed, also by a process that is killed.
  [[nodiscard]] bool lock() const { return ::flock(number_, LOCK_EX | LOCK_NB) == 0; }
  [[nodiscard]] int rewind() const { return ::lseek(number_, 0, SEEK_SET) < 0 ? errno : 0; }
  [[nodiscard]] int flush() const { return ::fsync(number_) == 0 ? 0 : errno; }
  /// Some file systems report only here that the disk is full.
  [[nodiscard]] int close() { return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

 private:
  int number_;
};

constexpr std::string_view partial_suffix = ".partial";

fs::path partial_beside(const fs::path& target) {
  return folder_of(target) /
         ("." + target.filename().string() + "." + std::to_string(::getpid()) + std::string(partial_suffix));
}

/// The process that writes `.NAME.PID.partial`; 0 if the file is called otherwise.
pid_t writer_of(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(partial_suffix)) return 0;
  name.remove_suffix(partial_suffix.size());
  const std::string_view digits = name.substr(name.rfind('.') + 1);
  pid_t writer = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), writer);
  return error == std::errc() && end == digits.data() + digits.size() ? writer : 0;
}

/// Whether the process that began the file is gone. Its lock tells a living writer in another container, where numbers
/// of processes differ, and an earlier process that had our number.
bool is_abandoned(const fs::path& file, pid_t writer) {
  const bool may_live = ::kill(writer, 0) == 0 || errno != ESRCH;
  if (may_live && writer != ::getpid()) return false;
  const Descriptor descriptor(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  return descriptor.is_open() && descriptor.lock();
}

/// Removes what killed processes left in the folder.
void remove_abandoned(const fs::path& folder) {
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    const pid_t writer = writer_of(entry->path().filename().string());
    std::error_code failed;
    if (writer > 0 && entry->is_regular_file(failed) && is_abandoned(entry->path(), writer)) {
      fs::remove(entry->path(), failed);
    }
  }
}

/// The new file beside the target, after those of killed processes are gone.
fs::path prepared_beside(const fs::path& target) {
  remove_abandoned(folder_of(target));
  return partial_beside(target);
}

/// Where links lead, also to a file that is not there yet.
fs::path end_of_links(const fs::path& path) {
  constexpr int most_links = 40;  // as Linux follows
  fs::path end = path;
  for (int links = 0; fs::is_symlink(fs::symlink_status(end)); ++links) {
    if (links == most_links) fail(path, "cannot be written", ELOOP);
    end = folder_of(end) / fs::read_symlink(end);
  }
  return end;
}

/// Where the file is written: through links, so that a link stays a link.
fs::path place_of(const fs::path& target, const fs::file_status& status) {
  if (fs::is_directory(status)) fail(target, "cannot be written", EISDIR);
  return fs::exists(status) && !fs::is_regular_file(status) ? target : end_of_links(target);
}

/// Why the system cannot look for a file: its links lead in a circle, or its name is too long.
std::optional<std::string> naming_obstacle(const fs::path& path) {
  std::error_code error;
  if (fs::status(path, error).type() != fs::file_type::none) return std::nullopt;
  return error.message();
}

fs::file_status status_of(const fs::path& path) {
  std::error_code ignored;
  return fs::status(path, ignored);
}

}  // namespace

class AtomicFile::File {
 public:
  explicit File(const fs::path& target)
      : target_(target),
        old_(status_of(target)),
        place_(place_of(target, old_)),
        is_device_(fs::exists(old_) && !fs::is_regular_file(old_)),
        written_(is_device_ ? place_ : prepared_beside(place_)),
        descriptor_(written_, is_device_ ? O_WRONLY : O_WRONLY | O_CREAT | O_EXCL) {
    if (!descriptor_.is_open()) fail(target_, "cannot be written", errno);
    if (!is_device_) static_cast<void>(descriptor_.lock());  // a file system without locks: the number alone protects
  }
  ~File() {
    std::error_code ignored;
    if (!is_device_ && !in_place_) fs::remove(written_, ignored);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void write(std::string_view bytes) const { require(descriptor_.write(bytes)); }
  void rewind() const { require(descriptor_.rewind()); }

  void commit(Durable durable) {
    if (durable == Durable::yes && !is_device_) require(descriptor_.flush());
    require(descriptor_.close());
    if (is_device_) return;
    std::error_code ignored;
    if (fs::exists(old_)) fs::permissions(written_, old_.permissions(), ignored);
    if (::rename(written_.c_str(), place_.c_str()) != 0) fail(target_, "cannot be replaced", errno);
    in_place_ = true;
    if (durable == Durable::no) return;
    const Descriptor folder(folder_of(place_), O_RDONLY | O_DIRECTORY);
    if (folder.is_open())
      static_cast<void>(folder.flush());  // the content is safe already, at worst under the old name
  }

 private:
  void require(int error) const {
    if (error != 0) fail(target_, is_device_ ? "cannot be written" : "cannot be written, left as it was", error);
  }

  fs::path target_;
  fs::file_status old_;
  fs::path place_;
  bool is_device_;
  fs::path written_;
  Descriptor descriptor_;
  bool in_place_ = false;
};

AtomicFile::AtomicFile(const fs::path& target) : file_(std::make_unique<File>(target)) {}
AtomicFile::~AtomicFile() = default;
void AtomicFile::write(std::string_view bytes) { file_->write(bytes); }
void AtomicFile::rewind() { file_->rewind(); }
void AtomicFile::commit(Durable durable) { file_->commit(durable); }

void write_atomically(const fs::path& path, std::string_view content, Durable durable) {
  AtomicFile file(path);
  file.write(content);
  file.commit(durable);
}

std::optional<std::string> writing_obstacle(const fs::path& path) {
  if (auto obstacle = naming_obstacle(path)) return obstacle;
  const fs::file_status status = status_of(path);
  if (fs::is_directory(status)) return "this is a folder";
  if (fs::exists(status) && ::access(path.c_str(), W_OK) != 0) return reason_of(errno);
  if (fs::exists(status) && !fs::is_regular_file(status)) return std::nullopt;
  const fs::path place = end_of_links(path);
  if (auto obstacle = naming_obstacle(partial_beside(place))) return obstacle;
  const fs::path folder = folder_of(place);
  std::error_code ignored;
  if (::access(folder.c_str(), W_OK | X_OK) == 0 && fs::is_directory(folder, ignored)) return std::nullopt;
  const int error = errno;
  if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored)) return folder.string() + " is not a folder";
  return "folder " + folder.string() + ": " + reason_of(error);
}

}  // namespace tomograph
