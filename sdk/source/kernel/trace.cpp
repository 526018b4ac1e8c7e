#include "tomograph/kernel/trace.hpp"

#include <algorithm>

namespace tomograph::kernel {

std::uint8_t bank_words(std::span<const std::uint64_t> addresses, std::uint32_t element) {
  constexpr std::uint32_t word_bytes = 4;
  // Distinct words in chains by bank.
  struct Word {
    std::uint64_t word;
    const Word* next;
  };
  std::vector<Word> words;
  words.reserve(addresses.size() * (element / word_bytes + 2));
  std::array<const Word*, memory_banks> banks{};
  std::array<std::uint8_t, memory_banks> of_bank{};
  for (const std::uint64_t address : addresses) {
    for (std::uint64_t word = address / word_bytes; word <= (address + element - 1) / word_bytes; ++word) {
      const std::size_t bank = word % memory_banks;
      const Word* same = banks[bank];
      while (same != nullptr && same->word != word) same = same->next;
      if (same != nullptr) continue;
      banks[bank] = &words.emplace_back(Word{word, banks[bank]});
      ++of_bank[bank];
    }
  }
  return std::max<std::uint8_t>(1, std::ranges::max(of_bank));
}

}  // namespace tomograph::kernel
