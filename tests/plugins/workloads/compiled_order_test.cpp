#include "bodies/compiled_order.hpp"

#include <string>

#include "catch.hpp"

namespace {

using namespace tomograph;
using kernel::Operation;

/// Adds a load ('L') or an instruction ('f') that needs up to two others.
void add(std::vector<kernel::Instruction>& all, char kind, std::int32_t need = -1, std::int32_t other = -1) {
  all.push_back({.operation = kind == 'L' ? Operation::load : Operation::fp32, .needs = {need, other, -1}});
}

std::string kinds(const std::vector<kernel::Instruction>& all) {
  std::string text;
  for (const auto& one : all) text += one.operation == Operation::load ? 'L' : 'f';
  return text;
}

}  // namespace

TEST_CASE("the loads of a run come before what uses them, and what their addresses need before them") {
  // Sums of loads from computed addresses: address, load, sum; three times.
  std::vector<kernel::Instruction> all;
  for (std::int32_t i = 0; i < 9; i += 3) {
    add(all, 'f');
    add(all, 'L', i);
    add(all, 'f', i + 1, i - 1);
  }
  workloads::order_as_compiled(all, std::vector<std::size_t>{9});
  CHECK(kinds(all) == "fLfLfLfff");
  CHECK(all[6].needs[0] == 1);
  CHECK(all[8].needs[0] == 5);
  CHECK(all[8].needs[1] == 7);
}

TEST_CASE("loads that need a load come after all that do not") {
  std::vector<kernel::Instruction> all;
  for (std::int32_t i = 0; i < 6; i += 3) {
    add(all, 'L');
    add(all, 'L', i);
    add(all, 'f', i + 1);
  }
  workloads::order_as_compiled(all, std::vector<std::size_t>{6});
  CHECK(kinds(all) == "LLLLff");
  CHECK(all[2].needs[0] == 0);
  CHECK(all[3].needs[0] == 1);
}

TEST_CASE("loads do not move across the end of a run, and no more than a batch is in flight") {
  std::vector<kernel::Instruction> all;
  for (std::int32_t i = 0; i < 4; i += 2) {
    add(all, 'L');
    add(all, 'f', i);
  }
  workloads::order_as_compiled(all, std::vector<std::size_t>{2, 4});
  CHECK(kinds(all) == "LfLf");
  all.clear();
  const auto count = static_cast<std::int32_t>(workloads::loads_at_once) + 1;
  for (std::int32_t i = 0; i < 2 * count; i += 2) {
    add(all, 'L');
    add(all, 'f', i);
  }
  workloads::order_as_compiled(all, std::vector<std::size_t>{all.size()});
  CHECK(kinds(all) == std::string(workloads::loads_at_once, 'L') + std::string(workloads::loads_at_once, 'f') + "Lf");
}
