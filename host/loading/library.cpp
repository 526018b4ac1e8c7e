#include "loading/library.hpp"

#include <dlfcn.h>
#include <elf.h>

#define BOOST_DLL_USE_STD_FS  // else it needs Boost.Filesystem
#include <boost/dll/shared_library.hpp>
#include <cstddef>
#include <cstring>
#include <fstream>

namespace tomograph::host {
namespace {

std::optional<Elf64_Ehdr> elf_header(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!file || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
  return header;
}

bool same_architecture(const Elf64_Ehdr& a, const Elf64_Ehdr& b) {
  return a.e_machine == b.e_machine && a.e_ident[EI_CLASS] == b.e_ident[EI_CLASS] &&
         a.e_ident[EI_DATA] == b.e_ident[EI_DATA];
}

/// Bytes of the fields that are the same in every major version.
constexpr std::size_t fixed_size = offsetof(tomograph_plugin, id);

/// Size of the entry according to the library's symbol table; 0 if it has none.
std::size_t size_in_symbol_table(const tomograph_plugin* entry) {
  Dl_info info{};
  void* symbol = nullptr;
  const int found = ::dladdr1(entry, &info, &symbol, RTLD_DL_SYMENT);
  return found == 0 || symbol == nullptr ? 0 : static_cast<const Elf64_Sym*>(symbol)->st_size;
}

std::string abi_text(std::uint32_t major, std::uint32_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

/// Checks the version rule of abi/version.h. Reads only the first four fields before the version is known to match.
void check_version(const tomograph_plugin& entry) {
  using Stage = LoadError::Stage;
  const std::size_t there = size_in_symbol_table(&entry);
  if (there != 0 && there < fixed_size) {
    throw LoadError(Stage::size, "its entry has " + std::to_string(there) + " bytes, too few for any version");
  }
  if (entry.magic != TOMOGRAPH_MAGIC) {
    throw LoadError(Stage::magic, "its symbol " TOMOGRAPH_ENTRY_SYMBOL " does not start with Tomograph's magic number");
  }
  if (entry.abi_major != TOMOGRAPH_ABI_MAJOR || entry.abi_minor > TOMOGRAPH_ABI_MINOR) {
    const std::string asked = abi_text(entry.abi_major, entry.abi_minor);
    const std::string own = abi_text(TOMOGRAPH_ABI_MAJOR, TOMOGRAPH_ABI_MINOR);
    const bool is_newer = entry.abi_major > TOMOGRAPH_ABI_MAJOR ||
                          (entry.abi_major == TOMOGRAPH_ABI_MAJOR && entry.abi_minor > TOMOGRAPH_ABI_MINOR);
    throw LoadError(Stage::version, "it was built for plugin ABI " + asked + ", this program has " + own + "; " +
                                        (is_newer ? "install a Tomograph that has " + asked + ", or build" : "build") +
                                        " the plugin with the SDK of this one");
  }
  constexpr std::size_t first_size = offsetof(tomograph_plugin, executor_count);
  if (entry.struct_size < first_size) {
    throw LoadError(Stage::size, "its entry has " + std::to_string(entry.struct_size) + " bytes, expected at least " +
                                     std::to_string(first_size));
  }
  if (there != 0 && there < entry.struct_size) {
    throw LoadError(Stage::size, "its entry claims " + std::to_string(entry.struct_size) + " bytes and has " +
                                     std::to_string(there));
  }
}

}  // namespace

std::optional<std::string> not_loadable(const std::filesystem::path& path) {
  const auto header = elf_header(path);
  if (!header) return "it is not a shared library";
  const auto own = elf_header("/proc/self/exe");
  if (own && !same_architecture(*header, *own)) {
    return "it was built for another architecture (ELF machine " + std::to_string(header->e_machine) +
           ", this program runs on " + std::to_string(own->e_machine) + ")";
  }
  if (header->e_type != ET_DYN) return "it is not a shared library";
  return std::nullopt;
}

struct Library::Handle {
  boost::dll::shared_library library;
};

Library::Library(const std::filesystem::path& path) {
  using Stage = LoadError::Stage;
  if (const auto reason = not_loadable(path)) throw LoadError(Stage::library, *reason);
  // RTLD_LOCAL is 0 on Linux and the default; Boost.DLL's names for it differ in nothing but intent.
  const auto mode = boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local;
  std::error_code error;
  auto handle = std::make_unique<Handle>();
  handle->library.load(path, mode, error);
  if (error) {
    const char* detail = ::dlerror();
    throw LoadError(Stage::library,
                    "it cannot be loaded: " + (detail != nullptr ? std::string(detail) : error.message()));
  }
  if (!handle->library.has(TOMOGRAPH_ENTRY_SYMBOL)) {
    throw LoadError(Stage::symbol, "it does not export the symbol " TOMOGRAPH_ENTRY_SYMBOL ", so it is no plugin");
  }
  entry_ = &handle->library.get<const tomograph_plugin>(TOMOGRAPH_ENTRY_SYMBOL);
  handle_ = std::move(handle);
  check_version(*entry_);
}

Library::~Library() = default;
Library::Library(Library&&) noexcept = default;
Library& Library::operator=(Library&&) noexcept = default;

}  // namespace tomograph::host
