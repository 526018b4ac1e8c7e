#include <array>

#include "acquire_walks.hpp"
#include "questions.hpp"

namespace tomograph::classical_methods {

void follow_lemeire(const Session& session) {
  constexpr const char* key = "constant_l1.random_walk_by_size";
  constexpr std::int64_t usual_constants = std::int64_t{60} << 10;  // most of the 64 KiB of a CUDA module
  const cache::Executor execute = cache::executor(session);
  const cache::Subject subject{.path = chase::Path::constant, .largest = usual_constants};
  std::vector<Walk> walks;
  for (std::int64_t bytes = 1024; bytes <= subject.largest; bytes = next_size(bytes)) {
    walks.push_back({bytes, chase::node_bytes, chase::Order::shuffled});
  }
  const auto cycles = averages(execute, subject, walks);
  Value pairs = Value::list();
  std::vector<double> sizes;
  for (std::size_t i = 0; i < walks.size(); ++i) {
    pairs.push_back(Value::list(walks[i].bytes, cycles[i]));
    sizes.push_back(static_cast<double>(walks[i].bytes));
  }
  session.evidence(key, std::array{cache::column("bytes", sizes), cache::column("cycles", cycles)});
  session.publish({.key = key,
                   .value = pairs,
                   .method = "lemeire2016",
                   .confidence = unverified,
                   .samples = walks.size(),
                   .evidence = key});
}

}  // namespace tomograph::classical_methods
