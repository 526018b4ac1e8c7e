#ifndef TOMOGRAPH_CUDA_CHASE_SUBMISSION_HPP
#define TOMOGRAPH_CUDA_CHASE_SUBMISSION_HPP

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "cuda/chase/kernels.hpp"
#include "cuda/chase/schedule.hpp"
#include "tomograph/chase.hpp"

/// A submission: waves that go to the GPU with one upload and come back with one download. It turns programs into
/// descriptions for the kernels, and slots into results. No GPU is needed for that.
namespace tomograph::cuda {

/// Byte offsets of a ring's nodes in the order in which they are visited.
struct Nodes {
  std::int64_t start = 0;
  std::int64_t stride = 0;
  std::int64_t count = 0;
  std::span<const std::int64_t> list;  ///< instead of start and stride, unless empty

  [[nodiscard]] std::int64_t at(std::int64_t i) const {
    return list.empty() ? start + i * stride : list[static_cast<std::size_t>(i)];
  }
};

/// Shuffled rings. A ring that several programs of a batch have is shuffled once.
class Shuffles {
 public:
  /// Borrows from `ring` and from this object.
  [[nodiscard]] Nodes nodes(const chase::Ring& ring);

 private:
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, std::vector<std::int64_t>> shuffled_;
};

/// The place of an array.
struct Place {
  Address base = 0;           ///< in constant and in shared memory: from the start of the arrays there
  std::uint64_t texture = 0;  ///< the texture object over the array, if a load path needs one
  std::uint64_t surface = 0;  ///< the surface object of an array in texture memory
};

/// A program in a submission.
struct Entry {
  std::size_t program = 0;             ///< as in the placement
  std::vector<std::int64_t> sms;       ///< as in the placement
  std::vector<std::size_t> positions;  ///< of each part, in `parts`
  std::vector<std::uint64_t> outputs;  ///< first slot of each part
  std::size_t wave = 0;
  std::size_t first_phase = 0;
  std::vector<Place> arrays;
  std::vector<Nodes> rings;
};

struct WaveEntry {
  Demand settings;
  std::size_t first_ring = 0;
  std::size_t rings = 0;
  std::int64_t longest_ring = 0;
  std::size_t first_launch = 0;    ///< of one launch for each bank
  std::size_t first_constant = 0;  ///< in `constants`
  std::size_t constants = 0;       ///< words, those of one bank after the other
};

/// Thrown if a program that ran has no result.
struct TraceMismatch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Submission {
 public:
  explicit Submission(std::int64_t sms) : sms_(sms) {}

  /// Begins a wave; `add` adds to it.
  void begin_wave(const Demand& settings);
  /// Adds a placed program whose arrays lie at `arrays`.
  void add(const chase::Program& program, const Placement& placement, std::vector<Place> arrays, Shuffles& shuffles);

  /// The result of `entry` in the slots that came back. @throws TraceMismatch if an actor left its ring.
  [[nodiscard]] chase::Result result(const chase::Program& program, const Entry& entry,
                                     std::span<const std::uint64_t> slots) const;

  /// Bytes of the upload and of the download.
  [[nodiscard]] std::size_t traffic() const;

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] const std::vector<WaveEntry>& waves() const { return waves_; }
  [[nodiscard]] const std::vector<PartTask>& parts() const { return parts_; }
  [[nodiscard]] const std::vector<PhaseTask>& phases() const { return phases_; }
  [[nodiscard]] const std::vector<std::uint64_t>& starts() const { return starts_; }
  /// Node lists of all rings, to be sent one after the other. Borrowed from the programs and their shuffles.
  [[nodiscard]] const std::vector<std::span<const std::int64_t>>& lists() const { return lists_; }
  [[nodiscard]] std::size_t listed_nodes() const { return listed_nodes_; }
  /// Contents of constant memory in each wave that uses it, one after another.
  [[nodiscard]] const std::vector<std::uint64_t>& constants() const { return constants_; }
  /// The rings to write to global and texture memory. `lists` is the device address of the node lists.
  [[nodiscard]] std::vector<RingTask> rings(Address lists) const { return tasks(rings_, lists); }
  /// The rings that CTAs write to their shared memory.
  [[nodiscard]] std::vector<RingTask> shared_rings(Address lists) const { return tasks(shared_rings_, lists); }
  [[nodiscard]] std::size_t shared_ring_count() const { return shared_rings_.size(); }
  [[nodiscard]] std::uint64_t slots() const { return slots_; }
  /// Launches of all waves: a wave has one for each bank of constant memory.
  [[nodiscard]] std::size_t launches() const { return launches_; }
  /// Position of an SM's part of a launch in `parts`, and of its word among those that tell which parts are done.
  [[nodiscard]] std::size_t position(std::size_t launch, std::int64_t sm) const {
    return launch * static_cast<std::size_t>(sms_) + static_cast<std::size_t>(sm);
  }

 private:
  void add_rings(const Entry& entry, const chase::Program& program);
  void add_constants(const Entry& entry, const chase::Program& program);
  void add_phases(const Entry& entry, const chase::Program& program);
  void add_starts(const Entry& entry, const chase::Program& program, const chase::Phase& phase, PhaseTask& task);
  std::vector<std::uint32_t> link_phases(const Entry& entry, std::size_t phases);
  void add_parts(Entry& entry, const chase::Program& program);
  std::size_t listed(std::span<const std::int64_t> list);

  struct PendingRing {
    RingTask task;
    std::optional<std::size_t> list;  ///< position among the listed nodes
  };
  [[nodiscard]] static std::vector<RingTask> tasks(const std::vector<PendingRing>& rings, Address lists);

  std::int64_t sms_;
  std::size_t launches_ = 0;
  std::vector<Entry> entries_;
  std::vector<WaveEntry> waves_;
  std::vector<PartTask> parts_;
  std::vector<PhaseTask> phases_;
  std::vector<std::uint64_t> starts_;
  std::vector<PendingRing> rings_;
  std::vector<PendingRing> shared_rings_;
  std::vector<std::uint64_t> constants_;
  std::vector<std::span<const std::int64_t>> lists_;
  std::size_t listed_nodes_ = 0;
  std::map<const std::int64_t*, std::size_t> positions_;
  std::uint64_t slots_ = 0;
};

}  // namespace tomograph::cuda

#endif
