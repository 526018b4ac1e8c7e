#include "conformance/elf_file.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

namespace tomograph::host {
namespace {

using Handle = std::unique_ptr<::Elf, decltype(&::elf_end)>;

/// A file descriptor, closed at the end of its life.
class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw std::runtime_error("it cannot be read");
  }
  ~OpenFile() { ::close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

[[noreturn]] void fail() { throw std::runtime_error(std::string("it is broken: ") + ::elf_errmsg(-1)); }

/// libelf passes over a section table that the end of the file cuts off.
void require_all_sections(const Handle& elf) {
  GElf_Ehdr header{};
  std::size_t sections = 0;
  if (::gelf_getehdr(elf.get(), &header) == nullptr || ::elf_getshdrnum(elf.get(), &sections) != 0) fail();
  if (sections < header.e_shnum) throw std::runtime_error("it is broken: its section table is cut off");
}

Handle begin(const OpenFile& file) {
  ::elf_version(EV_CURRENT);
  Handle elf(::elf_begin(file.descriptor(), ELF_C_READ, nullptr), &::elf_end);
  if (!elf || ::elf_kind(elf.get()) != ELF_K_ELF || ::gelf_getclass(elf.get()) != ELFCLASS64) {
    throw std::runtime_error("it is no 64-bit ELF file");
  }
  require_all_sections(elf);
  return elf;
}

/// A table of the file, with the number of the section that holds its names.
struct Table {
  Elf_Data* data = nullptr;
  std::size_t names = 0;
  int entries = 0;
};

/// The only section of this type, or nothing. Several would let a small file hold any number of names.
std::optional<Table> table(const Handle& elf, GElf_Word type, Elf_Type entry) {
  std::optional<Table> found;
  for (Elf_Scn* section = nullptr; (section = ::elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr header{};
    if (::gelf_getshdr(section, &header) == nullptr) fail();
    if (header.sh_type != type) continue;
    if (found) throw std::runtime_error("it has several tables of one kind");
    Elf_Data* const data = ::elf_getdata(section, nullptr);
    if (data == nullptr) fail();
    const std::size_t entry_size = ::gelf_fsize(elf.get(), entry, 1, EV_CURRENT);
    found = {data, header.sh_link, static_cast<int>(data->d_buf == nullptr ? 0 : data->d_size / entry_size)};
  }
  return found;
}

std::string name(const Handle& elf, const Table& table, std::size_t offset) {
  const char* const text = ::elf_strptr(elf.get(), table.names, offset);
  if (text == nullptr) fail();
  return text;
}

bool is_export(const GElf_Sym& symbol) {
  const auto visibility = GELF_ST_VISIBILITY(symbol.st_other);
  return symbol.st_shndx != SHN_UNDEF && GELF_ST_BIND(symbol.st_info) != STB_LOCAL &&
         (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

std::vector<std::string> exports(const Handle& elf) {
  std::vector<std::string> names;
  const auto symbols = table(elf, SHT_DYNSYM, ELF_T_SYM);
  for (int i = 0; symbols && i < symbols->entries; ++i) {
    GElf_Sym symbol{};
    if (::gelf_getsym(symbols->data, i, &symbol) == nullptr) fail();
    if (is_export(symbol)) names.push_back(name(elf, *symbols, symbol.st_name));
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> needed_libraries(const Handle& elf) {
  std::vector<std::string> names;
  const auto entries = table(elf, SHT_DYNAMIC, ELF_T_DYN);
  for (int i = 0; entries && i < entries->entries; ++i) {
    GElf_Dyn entry{};
    if (::gelf_getdyn(entries->data, i, &entry) == nullptr) fail();
    if (entry.d_tag == DT_NEEDED) names.push_back(name(elf, *entries, entry.d_un.d_val));
  }
  return names;
}

}  // namespace

ElfFile read_elf_file(const std::filesystem::path& path) {
  const OpenFile file(path);
  const Handle elf = begin(file);
  return {exports(elf), needed_libraries(elf)};
}

}  // namespace tomograph::host
