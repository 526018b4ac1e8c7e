#ifndef TOMOGRAPH_BENCH_INDEPENDENT_PROGRAM_RUNNER_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_PROGRAM_RUNNER_HPP

#include <stdexcept>
#include <vector>

#include "machine.hpp"
#include "tomograph/chase.hpp"

namespace independent {

/// Thrown if the GPU cannot run a program; `what()` is the reason.
class Unsupported : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs one valid chase program, phase after phase.
class ProgramRunner {
 public:
  /// `any_sm` is the SM of actors that run anywhere. @throws Unsupported.
  ProgramRunner(Machine& machine, const tomograph::chase::Program& program, std::uint32_t any_sm);

  tomograph::chase::Result run();

 private:
  /// The nodes of a ring in the order of the visit.
  struct Nodes {
    std::uint64_t base = 0;  ///< logical address of the array
    std::int64_t start = 0;
    std::int64_t stride = 0;
    std::int64_t count = 0;
    std::vector<std::int64_t> offsets = {};  ///< where the order is not that of the addresses
    bool translated = true;
    /// Of nodes that were visited lately, by the low bits of their numbers: programs visit a node several times.
    std::vector<Address> addresses = {};

    [[nodiscard]] std::uint64_t at(std::int64_t node) const {
      const std::int64_t offset = offsets.empty() ? start + node * stride : offsets[static_cast<std::size_t>(node)];
      return base + static_cast<std::uint64_t>(offset);
    }
  };
  /// A thread of an actor.
  struct Reader {
    tomograph::chase::Path path;
    PathOfFirstLevel global_path;  ///< of loads of global memory
    std::uint32_t sm;
    std::uint32_t warp;
  };
  struct ArrayPlace {
    std::uint64_t logical = 0;
    std::uint64_t physical = 0;  ///< logical address whose memory it has: its own, unless it is an alias
  };

  void refuse_unsupported() const;
  void place_arrays();
  void write_nodes();
  /// How many nodes of a ring L2 can remember at most.
  [[nodiscard]] std::int64_t remembered(const tomograph::chase::Ring& ring) const;
  [[nodiscard]] Nodes nodes_of(const tomograph::chase::Ring& ring) const;
  [[nodiscard]] Address& address(std::size_t ring, std::int64_t node) {
    Nodes& nodes = rings_[ring];
    Address& known = nodes.addresses[static_cast<std::uint64_t>(node) & (nodes.addresses.size() - 1)];
    const std::uint64_t logical = nodes.at(node);
    if (known.logical != logical) known = new_address(ring, logical);
    return known;
  }
  [[nodiscard]] Address new_address(std::size_t ring, std::uint64_t logical) const;
  [[nodiscard]] Reader reader_of(const tomograph::chase::Actor& actor) const;
  /// Whether L2 should be told of loads in advance: they ask no cache before it.
  [[nodiscard]] bool looks_ahead(const Reader& reader) const;
  double load(const Reader& reader, Address& address);
  void run_threads(const tomograph::chase::Phase& phase);
  void run_thread(const tomograph::chase::Phase& phase, std::vector<tomograph::chase::Result::Trace>& traces);
  void run_phase(const tomograph::chase::Phase& phase, tomograph::chase::Result& result);
  [[nodiscard]] std::uint32_t sm_of(const tomograph::chase::Actor& actor) const;

  Machine& machine_;
  const tomograph::chase::Program& program_;
  std::uint32_t any_sm_;
  std::vector<ArrayPlace> places_;
  std::vector<Nodes> rings_;
};

}  // namespace independent

#endif
