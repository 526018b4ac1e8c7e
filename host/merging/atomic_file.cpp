#include "merging/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

#include "reporting/input_error.hpp"

namespace tomograph::host {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const char* what, int error) {
  throw std::runtime_error(fmt::format("{}: {}: {}", path.string(), what, std::generic_category().message(error)));
}

/// An open file descriptor.
class File {
 public:
  File(const fs::path& path, int flags) : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

  /// Returns 0 or the errno of what failed.
  [[nodiscard]] int write(std::string_view content) const {
    while (!content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      if (written < 0 && errno != EINTR) return errno;
      if (written > 0) content.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
  }
  [[nodiscard]] int flush() const { return ::fsync(descriptor_) == 0 ? 0 : errno; }
  /// Closes now, since some file systems only report here that the disk is full.
  [[nodiscard]] int close() {
    const int result = ::close(descriptor_);
    descriptor_ = -1;
    return result == 0 ? 0 : errno;
  }

 private:
  int descriptor_;
};

/// Removes a file at the end of its life, unless it has been renamed.
class Temporary {
 public:
  explicit Temporary(fs::path path) : path(std::move(path)) {}
  ~Temporary() {
    std::error_code ignored;
    if (!renamed) fs::remove(path, ignored);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  fs::path path;
  bool renamed = false;
};

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

/// /dev/stdout and the like: there is nothing to rename onto.
void write_to_device(const fs::path& path, std::string_view content) {
  const File file(path, O_WRONLY);
  if (!file.is_open()) fail(path, "cannot be opened", errno);
  if (const int error = file.write(content)) fail(path, "cannot be written", error);
}

void replace(const fs::path& path, std::string_view content, const fs::file_status& old, Durable durable) {
  const auto name = fmt::format(".{}.{}.tmp", path.filename().string(), ::getpid());
  File file(folder_of(path) / name, O_WRONLY | O_CREAT | O_EXCL);
  if (!file.is_open()) fail(path, "cannot be written", errno);
  Temporary temporary(folder_of(path) / name);
  if (const int error = file.write(content)) fail(path, "cannot be written, left as it was", error);
  if (durable == Durable::yes) {
    if (const int error = file.flush()) fail(path, "cannot be written, left as it was", error);
  }
  if (const int error = file.close()) fail(path, "cannot be written, left as it was", error);
  std::error_code ignored;
  if (fs::exists(old)) fs::permissions(temporary.path, old.permissions(), ignored);
  if (::rename(temporary.path.c_str(), path.c_str()) != 0) fail(path, "cannot be replaced", errno);
  temporary.renamed = true;
  if (durable == Durable::no) return;
  const File folder(folder_of(path), O_RDONLY | O_DIRECTORY);
  if (folder.is_open()) static_cast<void>(folder.flush());  // the content is safe; only the name may need a retry
}

}  // namespace

void write_atomically(const fs::path& path, std::string_view content, Durable durable) {
  std::error_code ignored;
  const fs::file_status old = fs::status(path, ignored);
  if (fs::is_directory(old)) fail(path, "cannot be written", EISDIR);
  if (fs::exists(old) && !fs::is_regular_file(old)) return write_to_device(path, content);
  replace(fs::exists(old) ? fs::canonical(path) : path, content, old, durable);
}

void require_writable(const fs::path& path) {
  const auto refuse = [&](const std::string& message) {
    throw InputError(Problem{.file = path.string(), .message = "cannot be written: " + message});
  };
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) refuse("this is a folder");
  if (fs::exists(status) && ::access(path.c_str(), W_OK) != 0) refuse(std::generic_category().message(errno));
  if (fs::exists(status) && !fs::is_regular_file(status)) return;
  const fs::path folder = folder_of(fs::exists(status) ? fs::canonical(path) : path);
  if (::access(folder.c_str(), W_OK | X_OK) == 0 && fs::is_directory(folder, ignored)) return;
  const int error = errno;
  refuse(fs::exists(folder, ignored) && !fs::is_directory(folder, ignored)
             ? folder.string() + " is not a folder"
             : "folder " + folder.string() + ": " + std::generic_category().message(error));
}

}  // namespace tomograph::host
