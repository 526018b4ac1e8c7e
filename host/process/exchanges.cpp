#include "process/exchanges.hpp"

#include <stdexcept>
#include <utility>

#include "process/array_bytes.hpp"

namespace tomograph::host {

void ExchangeWriter::add(const Experiment& experiment, const Answer& answer) {
  ByteWriter writer(bytes_);
  writer.text(experiment.id);
  write_arrays(experiment.parameters, writer);
  writer.value(answer.status);
  writer.text(answer.reason);
  write_arrays(answer.arrays, writer);
}

std::string ExchangeWriter::take() { return std::exchange(bytes_, {}); }

Exchanges::Exchanges(std::string bytes) : bytes_(std::move(bytes)) {
  try {
    for_each([](const Experiment&, const Answer&) {});
  } catch (const Damaged&) {
    throw std::invalid_argument("damaged experiments");
  }
}

void Exchanges::for_each(const std::function<void(const Experiment&, const Answer&)>& visit) const {
  for (ByteReader reader(bytes_); !reader.at_end();) {
    Experiment experiment{std::string(reader.text()), {}};
    experiment.parameters = read_arrays(reader);
    Answer answer;
    answer.status = reader.value<tomograph_status>();
    answer.reason = reader.text();
    answer.arrays = read_arrays(reader);
    visit(experiment, answer);
  }
}

}  // namespace tomograph::host
