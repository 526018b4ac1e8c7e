#include "process/exchanges.hpp"

#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

namespace tomograph::host {
namespace {

using Bytes = std::vector<std::uint8_t>;

template <typename T>
void append(Bytes& bytes, std::span<const T> values) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(values.data());
  bytes.insert(bytes.end(), first, first + values.size_bytes());
}

template <typename T>
void append(Bytes& bytes, const T& value) {
  append(bytes, std::span(&value, 1));
}

void append_text(Bytes& bytes, std::string_view text) {
  append(bytes, text.size());
  append(bytes, std::span(text));
}

void append_arrays(Bytes& bytes, const Arrays& arrays) {
  append(bytes, arrays.size());
  for (const ArrayView& array : arrays) {
    append_text(bytes, array.name());
    append(bytes, array.element());
    append(bytes, array.size());
    array.visit([&](auto numbers) { append(bytes, numbers); });
  }
}

class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool at_end() const { return position_ == bytes_.size(); }

  template <typename T>
  T value() {
    T result;
    std::memcpy(&result, take(sizeof(T)).data(), sizeof(T));
    return result;
  }
  std::string text() {
    const auto taken = take(value<std::size_t>());
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }
  Arrays arrays() {
    Arrays read;
    for (auto left = value<std::size_t>(); left > 0; --left) {
      const std::string name = text();
      switch (value<tomograph_element>()) {
        case TOMOGRAPH_I64: read.add({name.c_str(), numbers<std::int64_t>()}); break;
        case TOMOGRAPH_U32: read.add({name.c_str(), numbers<std::uint32_t>()}); break;
        case TOMOGRAPH_F64: read.add({name.c_str(), numbers<double>()}); break;
        default: throw std::invalid_argument("an array of unknown type");
      }
    }
    return read;
  }

 private:
  std::span<const std::uint8_t> take(std::size_t size) {
    if (size > bytes_.size() - position_) throw std::invalid_argument("experiments that end too early");
    return bytes_.subspan(std::exchange(position_, position_ + size), size);
  }
  template <typename T>
  std::vector<T> numbers() {
    const auto count = value<std::size_t>();
    if (count > bytes_.size() / sizeof(T)) throw std::invalid_argument("experiments that end too early");
    const auto taken = take(count * sizeof(T));
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), taken.data(), taken.size());
    return values;
  }

  std::span<const std::uint8_t> bytes_;
  std::size_t position_ = 0;
};

}  // namespace

void ExchangeWriter::add(const Experiment& experiment, const Answer& answer) {
  append_text(bytes_, experiment.id);
  append_arrays(bytes_, experiment.parameters);
  append(bytes_, answer.status);
  append_text(bytes_, answer.reason);
  append_arrays(bytes_, answer.arrays);
}

std::vector<std::uint8_t> ExchangeWriter::take() { return std::exchange(bytes_, {}); }

Exchanges::Exchanges(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {
  for_each([](const Experiment&, const Answer&) {});
}

void Exchanges::for_each(const std::function<void(const Experiment&, const Answer&)>& visit) const {
  for (Reader reader(bytes_); !reader.at_end();) {
    Experiment experiment{reader.text(), {}};
    experiment.parameters = reader.arrays();
    Answer answer;
    answer.status = reader.value<tomograph_status>();
    answer.reason = reader.text();
    answer.arrays = reader.arrays();
    visit(experiment, answer);
  }
}

}  // namespace tomograph::host
