#include "tomograph/kernel/trace.hpp"

#include <algorithm>
#include <bitset>

namespace tomograph::kernel {

std::uint8_t bank_words(std::span<const std::uint64_t> addresses, std::uint32_t element) {
  constexpr std::uint32_t word_bytes = 4;
  constexpr std::size_t hashes = 1024;  // many more than words, so that most are seen to be new without a search
  std::bitset<hashes> known;
  std::vector<std::uint64_t> words;
  words.reserve(addresses.size() * (element / word_bytes + 2));
  std::array<std::uint8_t, memory_banks> of_bank{};
  for (const std::uint64_t address : addresses) {
    for (std::uint64_t word = address / word_bytes; word <= (address + element - 1) / word_bytes; ++word) {
      const std::size_t hash = (word ^ word >> 10) % hashes;
      if (known[hash] && std::ranges::find(words, word) != words.end()) continue;
      known.set(hash);
      words.push_back(word);
      ++of_bank[word % memory_banks];
    }
  }
  return std::max<std::uint8_t>(1, std::ranges::max(of_bank));
}

}  // namespace tomograph::kernel
