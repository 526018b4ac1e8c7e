#include "bodies/compiled_arithmetic.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>

namespace tomograph::workloads {

namespace {

using kernel::Instruction;
using kernel::Operation;

constexpr std::int32_t no_need = Instruction::no_need;

bool is_sum(Computation computation) {
  return computation == Computation::sum || computation == Computation::difference;
}

bool is_within(const Mask& inner, const Mask& outer) { return (inner & ~outer).none(); }

/// An integer as a sum of values, each times a factor, and a constant.
struct LinearForm {
  std::map<std::int32_t, std::int64_t> factors;  ///< of values, by the positions of their instructions
  std::int64_t constant = 0;

  void add(const LinearForm& other, std::int64_t times) {
    for (const auto& [value, factor] : other.factors) {
      if ((factors[value] += factor * times) == 0) factors.erase(value);
    }
    constant += other.constant * times;
  }
};

class Compiler {
 public:
  explicit Compiler(std::vector<Written>& written) : written_(written), kept_(written.size(), true) {}

  void compile() {
    number_values();
    drop_unneeded();
    join();
  }

  [[nodiscard]] const std::vector<bool>& kept() const { return kept_; }

 private:
  using Key = std::tuple<std::type_index, std::map<std::int32_t, std::int64_t>, std::array<std::int64_t, 3>>;

  /// Replaces each value by the first that is the same.
  void number_values() {
    std::vector<std::int32_t> same(written_.size());
    for (std::size_t i = 0; i < written_.size(); ++i) {
      for (std::int32_t& need : written_[i].instruction.needs) {
        if (need != no_need) need = same[static_cast<std::size_t>(need)];
      }
      forms_.push_back(form_of(i));
      same[i] = first_of_its_value(i);
    }
  }

  /// Operand `place` of instruction i as a linear form.
  [[nodiscard]] LinearForm operand(std::size_t i, std::size_t place) const {
    const std::int32_t need = written_[i].instruction.needs[place];
    if (need != no_need) return forms_[static_cast<std::size_t>(need)];
    return {.factors = {}, .constant = written_[i].constants[place]};
  }

  [[nodiscard]] LinearForm form_of(std::size_t i) const {
    const Written& written = written_[i];
    LinearForm form;
    if (written.instruction.operation == Operation::integer && !written.is_of_loop) {
      const LinearForm first = operand(i, 0);
      const LinearForm second = operand(i, 1);
      if (is_sum(written.computation)) {
        form.add(first, 1);
        form.add(second, written.computation == Computation::sum ? 1 : -1);
        return form;
      }
      if (written.computation == Computation::product && (first.factors.empty() || second.factors.empty())) {
        first.factors.empty() ? form.add(second, first.constant) : form.add(first, second.constant);
        return form;
      }
    }
    form.factors[static_cast<std::int32_t>(i)] = 1;
    return form;
  }

  /// What makes two instructions compute the same. Nothing if nothing does.
  [[nodiscard]] std::optional<Key> key_of(std::size_t i) const {
    const Written& written = written_[i];
    if (written.computation == Computation::effect) return std::nullopt;
    if (written.computation == Computation::address) {
      constexpr std::int64_t reach = std::int64_t{1} << 21;  // elements of 4 B: constants have 24 bits, with a sign
      const LinearForm index = operand(i, 0);
      return Key{written.function, index.factors, {written.constants[1], index.constant / reach}};
    }
    std::map<std::int32_t, std::int64_t> operands;
    for (std::int32_t place = 0; place < 3; ++place) {
      operands[place] = written.instruction.needs[static_cast<std::size_t>(place)];
    }
    return Key{written.function, std::move(operands), written.constants};
  }

  /// The position of the first instruction that computes what instruction i does, in at least its lanes.
  std::int32_t first_of_its_value(std::size_t i) {
    const auto position = static_cast<std::int32_t>(i);
    const auto& [factors, constant] = forms_[i];
    const bool is_another = constant == 0 && factors.size() == 1 && factors.begin()->second == 1;
    if (is_another && factors.begin()->first != position) return factors.begin()->first;
    const std::optional<Key> key = key_of(i);
    if (!key) return position;
    if (written_[i].computation == Computation::address && std::get<1>(*key).empty()) return no_need;
    std::vector<std::int32_t>& earlier = values_[*key];
    const auto found = std::ranges::find_if(earlier, [&](std::int32_t one) {
      return is_within(written_[i].mask, written_[static_cast<std::size_t>(one)].mask);
    });
    if (found != earlier.end()) return *found;
    earlier.push_back(position);
    return position;
  }

  void drop_unneeded() {
    std::vector<bool> is_needed(written_.size(), false);
    for (std::size_t i = written_.size(); i-- > 0;) {
      kept_[i] = is_needed[i] || written_[i].computation == Computation::effect;
      if (!kept_[i]) continue;
      for (const std::int32_t need : written_[i].instruction.needs) {
        if (need != no_need) is_needed[static_cast<std::size_t>(need)] = true;
      }
    }
  }

  void join() {
    std::vector<std::vector<std::size_t>> users(written_.size());
    for (std::size_t i = 0; i < written_.size(); ++i) {
      if (!kept_[i]) continue;
      for (const std::int32_t need : written_[i].instruction.needs) {
        if (need != no_need) users[static_cast<std::size_t>(need)].push_back(i);
      }
    }
    std::vector<bool> has_joined(written_.size(), false);
    for (std::size_t part = 0; part < written_.size(); ++part) {
      const bool joins = kept_[part] && !has_joined[part] && !users[part].empty() &&
                         std::ranges::all_of(users[part], [&](std::size_t user) {
                           return !has_joined[user] && may_join(written_[part], written_[user]);
                         });
      if (!joins) continue;
      kept_[part] = false;
      for (const std::size_t user : users[part]) {
        has_joined[user] = true;
        take_needs(user, part);
      }
    }
  }

  static bool may_join(const Written& part, const Written& whole) {
    if (part.computation == Computation::comparison) return whole.computation == Computation::conjunction;
    if (!is_sum(whole.computation)) return false;
    if (part.computation == Computation::product) return true;
    return whole.instruction.operation == Operation::integer &&
           (is_sum(part.computation) || part.computation == Computation::shift);
  }

  /// `user` needs what `part` needs, in place of it.
  void take_needs(std::size_t user, std::size_t part) {
    std::vector<std::int32_t> needs;
    const auto add = [&](std::int32_t need) {
      if (need != no_need && std::ranges::find(needs, need) == needs.end()) needs.push_back(need);
    };
    for (const std::int32_t need : written_[user].instruction.needs) {
      if (need != static_cast<std::int32_t>(part)) add(need);
    }
    for (const std::int32_t need : written_[part].instruction.needs) add(need);
    auto& all = written_[user].instruction.needs;
    all.fill(no_need);
    std::ranges::copy(needs, all.begin());
  }

  std::vector<Written>& written_;
  std::vector<bool> kept_;
  std::vector<LinearForm> forms_;
  std::map<Key, std::vector<std::int32_t>> values_;
};

}  // namespace

void compile_arithmetic(WrittenWarp& warp) {
  Compiler compiler(warp.instructions);
  compiler.compile();
  std::vector<std::int32_t> place(warp.instructions.size());
  std::vector<Written> kept;
  std::size_t run = 0;
  for (std::size_t i = 0; i < warp.instructions.size(); ++i) {
    while (run < warp.ends.size() && warp.ends[run] == i) warp.ends[run++] = kept.size();
    place[i] = static_cast<std::int32_t>(kept.size());
    if (compiler.kept()[i]) kept.push_back(warp.instructions[i]);
  }
  while (run < warp.ends.size()) warp.ends[run++] = kept.size();
  for (Written& written : kept) {
    for (std::int32_t& need : written.instruction.needs) {
      if (need != no_need) need = place[static_cast<std::size_t>(need)];
    }
  }
  warp.instructions = std::move(kept);
}

}  // namespace tomograph::workloads
