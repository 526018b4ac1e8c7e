#include "tomograph/kernel/trace.hpp"

#include <algorithm>

namespace tomograph::kernel {

std::uint8_t bank_words(std::span<const std::uint64_t> addresses, std::uint32_t element) {
  constexpr std::uint32_t word_bytes = 4;
  std::vector<std::uint64_t> words;
  for (const std::uint64_t address : addresses) {
    for (std::uint64_t word = address / word_bytes; word <= (address + element - 1) / word_bytes; ++word) {
      words.push_back(word);
    }
  }
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::array<std::uint8_t, memory_banks> of_bank{};
  for (const std::uint64_t word : words) ++of_bank[word % memory_banks];
  return std::max<std::uint8_t>(1, std::ranges::max(of_bank));
}

}  // namespace tomograph::kernel
