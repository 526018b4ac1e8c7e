#include "conformance/elf_file.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace tomograph::host {
namespace {

/// The bytes of the file, read with care: offsets and sizes in it may be anything.
class Image {
 public:
  explicit Image(std::string bytes) : bytes_(std::move(bytes)) {}

  template <typename T>
  [[nodiscard]] T at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) throw std::runtime_error("it is cut off");
    T value{};
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  template <typename T>
  [[nodiscard]] std::vector<T> table(const Elf64_Shdr& section) const {
    if (section.sh_offset > bytes_.size() || bytes_.size() - section.sh_offset < section.sh_size) {
      throw std::runtime_error("it is cut off");
    }
    std::vector<T> entries(section.sh_size / sizeof(T));
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = at<T>(section.sh_offset + i * sizeof(T));
    return entries;
  }

  [[nodiscard]] std::string name(const Elf64_Shdr& strings, std::uint64_t offset) const {
    const std::string_view all(bytes_);
    const std::uint64_t begin = strings.sh_offset + offset;
    if (offset >= strings.sh_size || begin >= all.size()) throw std::runtime_error("it names nothing");
    return std::string(all.substr(begin, all.find('\0', begin) - begin));
  }

 private:
  std::string bytes_;
};

std::vector<Elf64_Shdr> sections(const Image& image) {
  const auto header = image.at<Elf64_Ehdr>(0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) {
    throw std::runtime_error("it is no 64-bit ELF file");
  }
  std::vector<Elf64_Shdr> found(header.e_shnum);
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i] = image.at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
  }
  return found;
}

bool is_export(const Elf64_Sym& symbol) {
  const auto visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  return symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL &&
         (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

}  // namespace

ElfFile read_elf_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("it cannot be read");
  const Image image(std::string{std::istreambuf_iterator<char>(stream), {}});
  const std::vector<Elf64_Shdr> all = sections(image);
  // Else a small file could hold any number of names.
  for (const Elf64_Word type : {Elf64_Word{SHT_DYNSYM}, Elf64_Word{SHT_DYNAMIC}}) {
    if (std::ranges::count(all, type, &Elf64_Shdr::sh_type) > 1) {
      throw std::runtime_error("it has several tables of one kind");
    }
  }
  ElfFile file;
  for (const Elf64_Shdr& section : all) {
    if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_DYNAMIC) continue;
    if (section.sh_link >= all.size()) throw std::runtime_error("it has no names");
    const Elf64_Shdr& strings = all[section.sh_link];
    if (section.sh_type == SHT_DYNSYM) {
      for (const auto& symbol : image.table<Elf64_Sym>(section)) {
        if (is_export(symbol)) file.exports.push_back(image.name(strings, symbol.st_name));
      }
    } else {
      for (const auto& entry : image.table<Elf64_Dyn>(section)) {
        if (entry.d_tag == DT_NEEDED) file.libraries.push_back(image.name(strings, entry.d_un.d_val));
      }
    }
  }
  std::ranges::sort(file.exports);
  return file;
}

}  // namespace tomograph::host
