#include "bodies/compiled_arithmetic.hpp"

#include <ostream>

#include "bodies/lanes.hpp"
#include "catch.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::workloads;
using Int = HostMachine::Int;
using Float = HostMachine::Float;

struct Count {
  std::size_t integers = 0;
  std::size_t floats = 0;
  std::size_t accesses = 0;
  friend bool operator==(const Count&, const Count&) = default;
  friend std::ostream& operator<<(std::ostream& stream, const Count& count) {
    return stream << count.integers << " integers, " << count.floats << " floats, " << count.accesses << " accesses";
  }
};

constexpr std::uint32_t elements = 65536;
Layout layout;
const Array<std::int32_t> words = layout.add<std::int32_t>(elements);
const Array<float> floats = layout.add<float>(elements);

/// Instructions of a warp that executes `body`, beside the one that gives the number of its thread.
template <typename Body>
Count count(Body body) {
  std::vector<std::byte> memory(layout.bytes());
  Recorder recorder;
  const HostMachine machine(memory.data(), 0, 0, false);
  body(machine, machine.thread());
  Count sum;
  for (const kernel::Instruction& one : recorder.take().instructions) {
    if (one.sector_count > 0) {
      ++sum.accesses;
    } else {
      ++(one.operation == kernel::Operation::integer ? sum.integers : sum.floats);
    }
  }
  --sum.integers;
  return sum;
}

}  // namespace

TEST_CASE("addresses that differ by a constant are one, and a constant one is none") {
  CHECK(count([](const HostMachine& m, const Int& thread) {
          Float sum = m.load(floats, Int(7)) + m.load(floats, Int(8));
          for (int i = 0; i < 4; ++i) sum = sum + m.load(floats, (thread + i) * 3 - thread);
          m.store(floats, thread * 2 + 5, sum);
        }) == Count{.integers = 2, .floats = 5, .accesses = 7});  // the index, 2 thread, and its address
}

TEST_CASE("addresses of two arrays are two, and one that a constant does not reach is another") {
  CHECK(count([](const HostMachine& m, const Int& thread) {
          m.store(floats, thread, m.load(floats, thread));
          m.store(words, thread, Int(1));
        }) == Count{.integers = 2, .floats = 0, .accesses = 3});
  CHECK(count([](const HostMachine& m, const Int& thread) {
          m.store(words, thread, Int(1));
          m.store(words, thread + (1 << 22), Int(1));
        }) == Count{.integers = 3, .floats = 0, .accesses = 2});
}

TEST_CASE("what was computed in the same lanes is not computed again, in fewer lanes neither, in more it is") {
  CHECK(count([](const HostMachine& m, const Int& thread) {
          m.when(thread < Int(5), [&] { m.store(words, thread, thread & 3); });
          m.store(words, thread, thread & 3);
          m.when(thread < Int(6), [&] { m.store(words, thread, thread & 3); });
        }) == Count{.integers = 2 * 4 + 2 + 2, .floats = 0, .accesses = 3});
}

TEST_CASE("a product joins all sums that need it, or none if another instruction needs it, too") {
  const auto body = [](bool is_needed) {
    return count([&](const HostMachine& m, const Int& thread) {
      const Float x = m.load(floats, thread);
      const Float product = x * x;
      m.store(floats, thread, (product + Float(1)) * (Float(2) - product));
      if (is_needed) m.store(floats, thread, product);
    });
  };
  CHECK(body(false) == Count{.integers = 1, .floats = 3, .accesses = 2});
  CHECK(body(true) == Count{.integers = 1, .floats = 4, .accesses = 3});
}

TEST_CASE("integers are added three at a time, also after a shift, and comparisons join a conjunction") {
  CHECK(count([](const HostMachine& m, const Int& thread) {
          const Int a = thread & 3, b = thread & 5, c = thread & 9;
          m.store(words, Int(0), a + b + c);
          m.store(words, Int(1), a + (b >> 2));
          m.when(a < b && b < c, [&] { m.store(words, Int(2), c); });
        }) == Count{.integers = 3 + 1 + 1 + 2 + 3, .floats = 0, .accesses = 3});
}

TEST_CASE("the variable of a loop is counted, and what does not vary in the loop is computed once") {
  const auto loop = [](std::int32_t iterations) {
    return count([&](const HostMachine& m, const Int& thread) {
      Int i = 0;
      Float sum = 0.0F;
      m.loop_while([&] { return i < iterations; },
                   [&] {
                     sum = m.fma(m.load(floats, (thread & 7) * 11 + i), Float(2), sum);
                     i = i + 1;
                   });
      m.store(floats, thread, sum);
    });
  };
  const Count few = loop(10);
  const Count many = loop(20);
  CHECK(many.integers - few.integers == 10 * 5);  // index, address, next i, comparison, branch
  CHECK(many.floats - few.floats == 10);
}

TEST_CASE("what nothing needs is not computed") {
  CHECK(count([](const HostMachine& m, const Int& thread) {
          static_cast<void>((thread & 3) * thread);
          m.store(words, thread, Int(1));
        }) == Count{.integers = 1, .floats = 0, .accesses = 1});
}
