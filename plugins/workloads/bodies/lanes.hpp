#ifndef TOMOGRAPH_WORKLOADS_LANES_HPP
#define TOMOGRAPH_WORKLOADS_LANES_HPP

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <type_traits>
#include <typeindex>

#include "bodies/arena.hpp"
#include "bodies/compiled_arithmetic.hpp"
#include "tomograph/kernel/trace.hpp"

/// A warp on the host: values of 32 lanes that know which instruction has produced them.
namespace tomograph::workloads {

/// Notes the instructions of one warp. While it lives, operations on Lanes of this thread are noted in it. `take` gives
/// those of compiled code (compiled_arithmetic.hpp) in its order (compiled_order.hpp).
class Recorder {
 public:
  Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder();

  [[nodiscard]] static Recorder& current();

  /// Lanes that take part.
  Mask mask = Mask().set();
  /// Loops around the present place.
  int loops = 0;

  /// Appends an instruction that has an effect. Returns its position.
  std::int32_t note(kernel::Operation operation, std::array<std::int32_t, 3> needs);
  /// Appends an instruction that gives a result: the lanes that take part, and its position, are not yet in it.
  std::int32_t note_result(Written written);
  /// Appends an access to the byte offsets `addresses` of the lanes that take part.
  std::int32_t note_access(kernel::Operation operation, std::array<std::int32_t, 3> needs,
                           const std::array<std::uint64_t, warp_lanes>& addresses);

  /// The producer of a variable after an assignment of a value with this one. In some lanes, or in a loop, the variable
  /// then is no constant: compiled code moves the constant to its register.
  std::int32_t assigned(std::int32_t producer);

  /// Accesses up to now.
  [[nodiscard]] std::size_t accesses() const { return accesses_; }

  /// Ends a run of instructions: no load moves across the end.
  void end_run() { written_.ends.push_back(written_.instructions.size()); }

  [[nodiscard]] kernel::Warp take();

 private:
  WrittenWarp written_;
  std::vector<std::uint64_t> sectors_;
  std::size_t accesses_ = 0;
  Recorder* outer_;
};

/// A constant as an operand that equals others of the same type and value.
template <typename T>
std::int64_t bits_of(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<std::int32_t>(value);
  } else {
    return value;
  }
}

/// A value of type T in each lane. An assignment changes the lanes that take part. Every operation on values that are
/// not all constant is one instruction.
template <typename T>
class Lanes {
 public:
  static constexpr std::int32_t constant = kernel::Instruction::no_need;

  Lanes() = default;
  /// The same constant in all lanes.
  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  Lanes(Number number) {
    values.fill(static_cast<T>(number));
  }
  Lanes(const Lanes&) = default;
  ~Lanes() = default;
  Lanes& operator=(const Lanes& other) {
    const Mask& mask = Recorder::current().mask;
    for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
      if (mask[lane]) values[lane] = other.values[lane];
    }
    producer = Recorder::current().assigned(other.producer);
    return *this;
  }

  friend Lanes operator+(const Lanes& a, const Lanes& b) {
    return combined(Computation::sum, a, b, [](T x, T y) { return static_cast<T>(x + y); });
  }
  friend Lanes operator-(const Lanes& a, const Lanes& b) {
    return combined(Computation::difference, a, b, [](T x, T y) { return static_cast<T>(x - y); });
  }
  friend Lanes operator*(const Lanes& a, const Lanes& b) {
    return combined(Computation::product, a, b, [](T x, T y) { return static_cast<T>(x * y); });
  }
  friend Lanes operator&(const Lanes& a, const Lanes& b) {
    return combined(Computation::other, a, b, [](T x, T y) { return x & y; });
  }
  friend Lanes operator>>(const Lanes& a, const Lanes& b) {
    return combined(Computation::shift, a, b, [](T x, T y) { return x >> y; });
  }
  friend Lanes<bool> operator<(const Lanes& a, const Lanes& b) {
    return compared(a, b, [](T x, T y) { return x < y; });
  }
  friend Lanes<bool> operator<=(const Lanes& a, const Lanes& b) {
    return compared(a, b, [](T x, T y) { return x <= y; });
  }
  friend Lanes<bool> operator>(const Lanes& a, const Lanes& b) { return b < a; }
  friend Lanes<bool> operator==(const Lanes& a, const Lanes& b) {
    return compared(a, b, [](T x, T y) { return x == y; });
  }

  /// The instruction class of arithmetic on T.
  static constexpr kernel::Operation arithmetic =
      std::is_same_v<T, float> ? kernel::Operation::fp32 : kernel::Operation::integer;

  /// One instruction with up to three operands, or none if all are constants.
  template <typename F, typename... Operands>
  static Lanes computed(kernel::Operation operation, Computation computation, F f, const Operands&... operands) {
    static_assert(sizeof...(Operands) <= 3);
    Lanes result;
    for (std::size_t lane = 0; lane < warp_lanes; ++lane) result.values[lane] = f(operands.values[lane]...);
    if (((operands.producer == constant) && ...)) return result;
    Written written{.instruction = {.operation = operation}, .computation = computation, .function = typeid(F)};
    std::size_t count = 0;
    const auto add = [&](const auto& operand) {
      written.instruction.needs[count] = operand.producer;
      if (operand.producer == constant) written.constants[count] = bits_of(operand.values[0]);
      ++count;
    };
    (add(operands), ...);
    result.producer = Recorder::current().note_result(written);
    return result;
  }
  template <typename F, typename... Operands>
  static Lanes computed(kernel::Operation operation, F f, const Operands&... operands) {
    return computed(operation, Computation::other, f, operands...);
  }

  std::array<T, warp_lanes> values{};
  std::int32_t producer = constant;  ///< position of the instruction

 private:
  template <typename F>
  static Lanes combined(Computation computation, const Lanes& a, const Lanes& b, F f) {
    return computed(arithmetic, computation, f, a, b);
  }
  template <typename F>
  static Lanes<bool> compared(const Lanes& a, const Lanes& b, F f) {
    return Lanes<bool>::computed(arithmetic, Computation::comparison, f, a, b);
  }
};

inline Lanes<bool> operator&&(const Lanes<bool>& a, const Lanes<bool>& b) {
  return Lanes<bool>::computed(
      kernel::Operation::integer, Computation::conjunction, [](bool x, bool y) { return x && y; }, a, b);
}

/// The machine that executes a body on the host, one warp at a time, and notes its instructions. See device.cuh for
/// the one on the device, which has the same members.
class HostMachine {
 public:
  using Int = Lanes<std::int32_t>;
  using Float = Lanes<float>;
  using Bool = Lanes<bool>;

  /// `memory` is that of the workload; loads read it. Stores and atomics change it only if `is_executing`.
  HostMachine(std::byte* memory, std::uint32_t cta, std::uint32_t warp, bool is_executing)
      : memory_(memory), cta_(cta), warp_(warp), is_executing_(is_executing) {}

  /// Number of the thread in the grid.
  [[nodiscard]] Int thread() const;
  [[nodiscard]] static Float to_float(const Int& x) {
    return Float::computed(
        kernel::Operation::integer, [](std::int32_t v) { return static_cast<float>(v); }, x);
  }

  [[nodiscard]] static Float fma(const Float& a, const Float& b, const Float& c) {
    return Float::computed(
        kernel::Operation::fp32, [](float x, float y, float z) { return std::fma(x, y, z); }, a, b, c);
  }
  [[nodiscard]] static Float sqrt(const Float& a) {
    return Float::computed(
        kernel::Operation::special, [](float x) { return std::sqrt(x); }, a);
  }
  /// A product and a power of two.
  [[nodiscard]] static Float exp(const Float& a) {
    return Float::computed(
        kernel::Operation::special, [](float x) { return std::exp2(x); }, a * Float(std::numbers::log2e_v<float>));
  }
  /// A division is a reciprocal and a product.
  [[nodiscard]] static Float divide(const Float& a, const Float& b) {
    return a * Float::computed(
                   kernel::Operation::special, [](float x) { return 1 / x; }, b);
  }
  template <typename T>
  [[nodiscard]] static Lanes<T> select(const Bool& condition, const Lanes<T>& a, const Lanes<T>& b) {
    return Lanes<T>::computed(
        Lanes<T>::arithmetic, [](bool c, T x, T y) { return c ? x : y; }, condition, a, b);
  }
  [[nodiscard]] static Int min(const Int& a, const Int& b) {
    return Int::computed(
        kernel::Operation::integer, [](int x, int y) { return x < y ? x : y; }, a, b);
  }
  [[nodiscard]] static Int max(const Int& a, const Int& b) {
    return Int::computed(
        kernel::Operation::integer, [](int x, int y) { return x < y ? y : x; }, a, b);
  }

  template <typename T>
  [[nodiscard]] Lanes<T> load(const Array<T>& array, const Int& index) const {
    const auto addresses = addresses_of(array, index);
    const std::int32_t address = note_address(array, index);
    Lanes<T> result;
    result.producer = Recorder::current().note_access(kernel::Operation::load, {address, -1, -1}, addresses);
    for_active([&](std::size_t lane) { result.values[lane] = *at<T>(addresses[lane]); });
    return result;
  }
  template <typename T>
  void store(const Array<T>& array, const Int& index, const Lanes<T>& value) const {
    const auto addresses = addresses_of(array, index);
    const std::int32_t address = note_address(array, index);
    Recorder::current().note_access(kernel::Operation::store, {address, value.producer, -1}, addresses);
    if (!is_executing_) return;
    for_active([&](std::size_t lane) { *at<T>(addresses[lane]) = value.values[lane]; });
  }
  void atomic_add(const Array<std::int32_t>& array, const Int& index, const Int& value) const {
    const auto addresses = addresses_of(array, index);
    const std::int32_t address = note_address(array, index);
    Recorder::current().note_access(kernel::Operation::atomic, {address, value.producer, -1}, addresses);
    if (!is_executing_) return;
    for_active([&](std::size_t lane) { *at<std::int32_t>(addresses[lane]) += value.values[lane]; });
  }

  /// Executes `then` in the lanes where `condition` holds. Code that accesses memory is bracketed by two instructions,
  /// which bring the lanes together again; other code is predicated (NVIDIA's compilers for 7.0 and later).
  template <typename Then>
  void when(const Bool& condition, Then then) const {
    Recorder& recorder = Recorder::current();
    const Mask before = branch(condition);
    const std::size_t accesses = recorder.accesses();
    const bool is_skipped = recorder.mask.none();
    if (!is_skipped) then();
    recorder.mask = before;
    if (is_skipped || recorder.accesses() > accesses) {
      for (int i = 0; i < 2; ++i) recorder.note(kernel::Operation::integer, {-1, -1, -1});
    }
    recorder.end_run();
  }
  /// Executes `body` as long as `condition` gives true, lane by lane.
  template <typename Condition, typename Body>
  void loop_while(Condition condition, Body body) const {
    Recorder& recorder = Recorder::current();
    const Mask before = recorder.mask;
    ++recorder.loops;
    for (;;) {
      branch(condition());
      if (recorder.mask.none()) break;
      body();
    }
    --recorder.loops;
    recorder.mask = before;
  }

 private:
  /// Lets only the lanes where `condition` holds take part. Returns those of before.
  static Mask branch(const Bool& condition);
  template <typename T>
  static std::int32_t note_address(const Array<T>& array, const Int& index) {
    return Recorder::current().note_result(
        {.instruction = {.operation = kernel::Operation::integer, .needs = {index.producer, -1, -1}},
         .computation = Computation::address,
         .constants = {index.values[0], static_cast<std::int64_t>(array.offset)}});
  }
  template <typename T>
  [[nodiscard]] static std::array<std::uint64_t, warp_lanes> addresses_of(const Array<T>& array, const Int& index) {
    std::array<std::uint64_t, warp_lanes> addresses{};
    for_active([&](std::size_t lane) {
      addresses[lane] = array.offset + static_cast<std::uint64_t>(index.values[lane]) * sizeof(T);
    });
    return addresses;
  }
  template <typename T>
  [[nodiscard]] T* at(std::uint64_t address) const {
    return reinterpret_cast<T*>(memory_ + address);
  }
  template <typename F>
  static void for_active(F f) {
    const Mask mask = Recorder::current().mask;
    for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
      if (mask[lane]) f(lane);
    }
  }

  std::byte* memory_;
  std::uint32_t cta_;
  std::uint32_t warp_;
  bool is_executing_;
};

}  // namespace tomograph::workloads

#endif
