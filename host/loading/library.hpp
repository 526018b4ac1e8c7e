#ifndef TOMOGRAPH_HOST_LOADING_LIBRARY_HPP
#define TOMOGRAPH_HOST_LOADING_LIBRARY_HPP

#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "tomograph/abi/plugin.h"

namespace tomograph::host {

/// Why the file cannot be a plugin for this machine: it is no ELF shared library, or one for another architecture.
/// Nothing if it can. Does not load the file.
[[nodiscard]] std::optional<std::string> not_loadable(const std::filesystem::path& path);

/// A library is no plugin of this ABI. `stage` is the first check that failed.
class LoadError : public std::runtime_error {
 public:
  enum class Stage { library, symbol, magic, version, size };
  LoadError(Stage stage, const std::string& reason) : std::runtime_error(reason), stage_(stage) {}
  [[nodiscard]] Stage stage() const { return stage_; }

 private:
  Stage stage_;
};

/// A plugin library in this process. Loading runs its code, so only workers do that. Plugins are never unloaded: the
/// process must end with std::_Exit, without destroying the Library.
class Library {
 public:
  /// @throws LoadError with the reason if the file cannot be loaded or is no plugin of this ABI.
  explicit Library(const std::filesystem::path& path);
  ~Library();
  Library(Library&& other) noexcept;
  Library& operator=(Library&& other) noexcept;

  [[nodiscard]] const tomograph_plugin& entry() const { return *entry_; }

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
  const tomograph_plugin* entry_ = nullptr;
};

}  // namespace tomograph::host

#endif
