#include "conformance/elf_file.hpp"

#include <elf.h>

#include <cstring>

#include "catch.hpp"
#include "temporary_folder.hpp"

using tomograph::host::read_elf_file;

namespace {

/// A library of headers alone, one for a table of each type, which all claim the same bytes.
std::string library(std::initializer_list<Elf64_Word> types, std::uint64_t table_bytes = 0) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shoff = sizeof header;
  header.e_shnum = static_cast<Elf64_Half>(types.size());
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  for (const Elf64_Word type : types) {
    Elf64_Shdr section{};
    section.sh_type = type;
    section.sh_size = table_bytes;
    bytes.append(reinterpret_cast<const char*>(&section), sizeof section);
  }
  return bytes;
}

void check_refused(const std::string& bytes, const std::string& reason) {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(read_elf_file(folder.write("library.so", bytes)), Catch::Matchers::ContainsSubstring(reason));
}

}  // namespace

TEST_CASE("a library whose tables contradict each other is refused, however large they say they are") {
  check_refused(library({SHT_NULL, SHT_DYNSYM, SHT_DYNAMIC, SHT_DYNSYM}), "it has several tables of one kind");
  check_refused(library({SHT_NULL, SHT_DYNSYM}, std::uint64_t{1} << 60), "it is broken: ");
  check_refused(library({SHT_NULL, SHT_DYNSYM}).substr(0, 100), "it is broken: ");
  check_refused("no library", "it is no 64-bit ELF file");
}
