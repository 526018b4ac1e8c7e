#include "cuda/chase/constant_banks.hpp"

#include <utility>

#include "tomograph/cuda/error.hpp"

namespace tomograph::cuda {

namespace {

template <int... numbers>
std::array<ConstantBank, sizeof...(numbers)> modules(std::integer_sequence<int, numbers...> /*numbers*/) {
  return {constant_bank<numbers + 1>()...};
}

}  // namespace

ConstantBanks::ConstantBanks(std::uint32_t dynamic_shared) {
  const auto all = modules(std::make_integer_sequence<int, constant_banks - 1>());
  for (std::size_t i = 0; i < all.size(); ++i) {
    Bank& bank = banks_[i];
    bank.module = all[i];
    check(bank.module.prepare(dynamic_shared), "loading a bank of constant memory");
    check(bank.module.memory(bank.memory), "finding a bank of constant memory");
    write_scratch_constant(bank.memory);
  }
}

void ConstantBanks::launch(int bank, const Wave& wave, const Shape& shape) {
  check(at(bank).module.launch(wave, shape, at(bank).stream.get()), "launching a bank of constant memory");
}

void ConstantBanks::wait() const {
  for (const Bank& bank : banks_) bank.stream.synchronize();
}

void write_scratch_constant(Address bank) {
  constexpr std::uint64_t node = constant_bytes;
  check(cudaMemcpy(pointer_to(bank + constant_bytes), &node, sizeof(node), cudaMemcpyHostToDevice),
        "writing the scratch node in constant memory");
}

}  // namespace tomograph::cuda
