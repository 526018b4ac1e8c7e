#include <xxhash.h>

#include <memory>
#include <variant>

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
  void add(const Numbers& numbers) {
    add_number(numbers.index());
    std::visit(
        [&]<typename T>(const std::vector<T>& values) {
          add_number(values.size());
          XXH3_128bits_update(state_.get(), values.data(), values.size() * sizeof(T));
        },
        numbers);
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
  for (const NamedArray& parameter : experiment.parameters) {
    hash.add(parameter.name);
    hash.add(parameter.numbers);
  }
  return hash.result();
}

ExperimentIdentity recording::identity(const Numbers& numbers) {
  Hash hash;
  hash.add(numbers);
  return hash.result();
}

}  // namespace tomograph
