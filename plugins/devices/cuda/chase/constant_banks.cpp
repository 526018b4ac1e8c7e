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

ConstantBanks::Event::Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "creating an event"); }

ConstantBanks::Event::~Event() { static_cast<void>(cudaEventDestroy(event_)); }

ConstantBanks::ConstantBanks(std::uint32_t dynamic_shared) {
  const auto all = modules(std::make_integer_sequence<int, constant_banks - 1>());
  for (std::size_t i = 0; i < all.size(); ++i) {
    Bank& bank = banks_[i];
    bank.module = all[i];
    check(bank.module.prepare(dynamic_shared), "loading a bank of constant memory");
    check(bank.module.memory(bank.memory), "looking for a bank of constant memory");
    write_scratch_constant(bank.memory);
  }
}

void ConstantBanks::begin_after(const Stream& stream) {
  check(cudaEventRecord(begun_.get(), stream.get()), "marking the begin of a wave");
  for (const Bank& bank : banks_) {
    check(cudaStreamWaitEvent(bank.stream.get(), begun_.get(), 0), "waiting for the begin of a wave");
  }
}

void ConstantBanks::launch(int bank, const Wave& wave, const Shape& shape) {
  check(at(bank).module.launch(wave, shape, at(bank).stream.get()), "launching a bank of constant memory");
}

void ConstantBanks::end_before(const Stream& stream) {
  for (const Bank& bank : banks_) {
    check(cudaEventRecord(bank.ended.get(), bank.stream.get()), "marking the end of a wave");
    check(cudaStreamWaitEvent(stream.get(), bank.ended.get(), 0), "waiting for the end of a wave");
  }
}

void write_scratch_constant(Address bank) {
  constexpr std::uint64_t node = constant_bytes;
  check(cudaMemcpy(reinterpret_cast<void*>(bank + constant_bytes), &node, sizeof(node), cudaMemcpyHostToDevice),
        "writing the scratch node in constant memory");
}

}  // namespace tomograph::cuda
