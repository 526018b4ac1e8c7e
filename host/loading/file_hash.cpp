#include "loading/file_hash.hpp"

#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <vector>

namespace tomograph::host {
namespace {

class Sha256 {
 public:
  Sha256() {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) {
      throw std::runtime_error("OpenSSL offers no SHA-256");
    }
  }

  void add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }

  [[nodiscard]] std::string hexadecimal() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    EVP_DigestFinal_ex(context_.get(), digest.data(), &length);
    std::string text;
    for (unsigned i = 0; i < length; ++i) {
      constexpr const char* digits = "0123456789abcdef";
      text += digits[digest.at(i) >> 4];
      text += digits[digest.at(i) & 15];
    }
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
};

}  // namespace

std::string sha256_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot be read");
  Sha256 hash;
  std::vector<char> block(std::size_t{1} << 20);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    hash.add({block.data(), static_cast<std::size_t>(file.gcount())});
  }
  return hash.hexadecimal();
}

std::string sha256_of_text(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return hash.hexadecimal();
}

}  // namespace tomograph::host
