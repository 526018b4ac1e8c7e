#ifndef TOMOGRAPH_CUDA_CHASE_SUBMISSION_LAYOUT_HPP
#define TOMOGRAPH_CUDA_CHASE_SUBMISSION_LAYOUT_HPP

#include <cstddef>
#include <cstdint>

#include "cuda/chase/submission.hpp"

/// Where the parts of a submission lie in the buffers that the GPU reads and writes. Offsets are in bytes.
namespace tomograph::cuda {

inline std::size_t ring_count(const Submission& submission) {
  return submission.waves().empty() ? 0 : submission.waves().back().first_ring + submission.waves().back().rings;
}

/// The sections of the upload. All elements are aligned to at most 8 bytes, so that no gaps are needed.
struct Sections {
  explicit Sections(const Submission& submission)
      : starts(submission.listed_nodes() * sizeof(std::int64_t)),
        rings(starts + submission.starts().size() * sizeof(std::uint64_t)),
        shared_rings(rings + ring_count(submission) * sizeof(RingTask)),
        phases(shared_rings + submission.shared_ring_count() * sizeof(RingTask)),
        parts(phases + submission.phases().size() * sizeof(PhaseTask)),
        constants(parts + submission.parts().size() * sizeof(PartTask)),
        bytes(constants + submission.constants().size() * sizeof(std::uint64_t)) {}
  std::size_t starts, rings, shared_rings, phases, parts, constants, bytes;
};

/// The words that start at zero: one rendezvous per program, one word per SM and launch, one per launch.
struct State {
  explicit State(const Submission& submission)
      : claimed(submission.entries().size() * sizeof(Rendezvous)),
        started(claimed + submission.parts().size() * sizeof(std::uint32_t)),
        bytes(started + submission.launches() * sizeof(std::uint32_t)) {}
  std::size_t claimed, started, bytes;
};

/// The output: the words that tell which parts are done, then the slots.
struct Output {
  explicit Output(const Submission& submission)
      : slots((submission.parts().size() * sizeof(std::uint32_t) + 7) / 8 * 8),
        bytes(slots + submission.slots() * slot_bytes) {}
  std::size_t slots, bytes;
};

}  // namespace tomograph::cuda

#endif
