#include <xxhash.h>

#include <memory>

#include "format.hpp"

namespace tomograph {

namespace {

/// Hashes a sequence of fields; every field of variable length is preceded by its length.
class Hash {
 public:
  Hash() : state_(XXH3_createState(), &XXH3_freeState) {
    if (state_ == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(state_.get());
  }

  void add(std::string_view text) {
    add_number(text.size());
    XXH3_128bits_update(state_.get(), text.data(), text.size());
  }
  void add_numbers(const ArrayView& array) {
    add_number(recording::code_of(array.element()));
    add_number(array.size());
    array.visit([&](auto numbers) { XXH3_128bits_update(state_.get(), numbers.data(), numbers.size_bytes()); });
  }
  [[nodiscard]] ExperimentIdentity result() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
    return {hash.high64, hash.low64};
  }

 private:
  void add_number(std::uint64_t number) { XXH3_128bits_update(state_.get(), &number, sizeof number); }

  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

}  // namespace

ExperimentIdentity identity(const Experiment& experiment) {
  Hash hash;
  hash.add(experiment.id);
  for (const ArrayView& parameter : experiment.parameters) {
    hash.add(parameter.name());
    hash.add_numbers(parameter);
  }
  return hash.result();
}

ExperimentIdentity recording::identity(const ArrayView& array) {
  Hash hash;
  hash.add_numbers(array);
  return hash.result();
}

}  // namespace tomograph
