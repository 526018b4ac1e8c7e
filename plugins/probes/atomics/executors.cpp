#include "executors.hpp"

#include "kernels.hpp"

namespace tomograph::atomics {

namespace {

void expect_operation(const cuda::Gpu& gpu, std::size_t operation) {
  if (has_operation(operations[operation], gpu.capability())) return;
  throw Refused(TOMOGRAPH_UNSUPPORTED, "the GPU has no such operation");
}

template <typename Request>
Run run_of(const cuda::Gpu& gpu, const Request& request) {
  return {.space = request.space,
          .operation = request.operation,
          .laps = static_cast<std::uint32_t>(request.laps),
          .ctas = static_cast<std::uint32_t>(gpu.sms()),
          .dynamic_shared = gpu.more_than_half_of_shared_memory(),
          .stream = gpu.stream()};
}

/// Memory of a launch: words, then the times of CTAs, then a counter.
struct Memory {
  std::byte* words;
  Times* times;
  std::uint32_t* started;

  Memory(cuda::Gpu& gpu, std::size_t bytes, std::uint32_t ctas)
      : words(gpu.zeros<std::byte>(bytes + ctas * sizeof(Times) + sizeof(Times))),
        times(reinterpret_cast<Times*>(words + bytes)),
        started(reinterpret_cast<std::uint32_t*>(times + ctas)) {}
};

std::int64_t cycles_of(std::uint64_t time) { return time == not_together ? -1 : static_cast<std::int64_t>(time); }

/// The times of `ctas` CTAs.
Arrays fetched(cuda::Gpu& gpu, const Times* times, std::uint32_t ctas) {
  TimesAnswer answer;
  for (const Times& one : gpu.fetch(times, ctas)) {
    if (one.many == 0) throw Refused(TOMOGRAPH_UNSUPPORTED, "the plugin was built for GPUs without this operation");
    answer.few.push_back(cycles_of(one.few));
    answer.many.push_back(cycles_of(one.many));
  }
  return encode(answer);
}

/// In which partition and slice of L2 a word lies depends on its address. An SM that worked alone on neighbouring words
/// was 15 to 30 % faster in some processes than in others, on an H100 and an H200. So the warps of a CTA that works
/// alone use a page each, and places there that are far apart: on an H200, five SMs in five processes then agree within
/// 3 %. CTAs that work together use a page each, whose words lie side by side there: they fill slices more evenly.
constexpr std::uint32_t page_bytes = 2U << 20;
constexpr std::uint32_t piece_bytes = 4U << 10;
constexpr std::uint32_t far_apart = 17 * piece_bytes;
static_assert(page_bytes >= most_warps * words_of_thread(Space::global) * warp_lanes * line_bytes);
static_assert(page_bytes >= most_warps * piece_bytes + words_of_thread(Space::global) * far_apart);

/// Where the words of a request lie, but for the memory.
Words words_of(const ThroughputRequest& request, std::uint32_t ctas) {
  Words words{.lanes_per_word = static_cast<std::uint32_t>(request.lanes_per_word)};
  const auto width = static_cast<std::uint32_t>(operations[request.operation].bytes());
  words.word_bytes = request.place == Place::own_lines ? line_bytes : width;
  if (request.place == Place::one_line) return words;
  words.place_bytes = warp_lanes * words.word_bytes;
  words.warp_bytes = static_cast<std::uint32_t>(words_of_thread(request.space)) * words.place_bytes;
  words.page_bytes = page_bytes;
  words.pages = ctas;
  if (request.alone) {
    words.pages = static_cast<std::uint32_t>(most_warps);
    words.pages_of_warp = 1;
    words.warp_bytes = piece_bytes;
    words.place_bytes = far_apart;
  }
  return words;
}

/// Where a trial's words begin in their pages. Which slices of L2 get more of them than others depends on their
/// addresses: rates of all SMs differed by up to 6 % from run to run of an H200, whose trials all had the same ones.
std::uint32_t first_of_trial(const ThroughputRequest& request, const Words& words) {
  if (request.alone || request.space == Space::shared || words.warp_bytes == 0) return 0;
  const auto used = static_cast<std::uint32_t>(most_warps) * words.warp_bytes;
  return static_cast<std::uint32_t>(request.trial) % (page_bytes / used) * used;
}

/// Bytes of global memory that hold the words of a request.
std::size_t memory_bytes(const ThroughputRequest& request, const Words& words) {
  if (request.space == Space::shared) return 0;
  if (request.place == Place::one_line) return warp_lanes * sizeof(std::uint64_t);
  return std::size_t{words.page_bytes} * words.pages;
}

}  // namespace

Arrays answer_latency(cuda::Gpu& gpu, const Experiment& experiment) {
  const LatencyRequest request = decode_latency(experiment);
  expect_operation(gpu, request.operation);
  const Run run = run_of(gpu, request);
  const Memory memory(gpu, memory_of_chains(run.ctas), run.ctas);
  cuda::check(chase(run, memory.words, memory.times), "launching dependent atomics");
  return fetched(gpu, memory.times, run.ctas);
}

Arrays answer_throughput(cuda::Gpu& gpu, const Experiment& experiment) {
  const ThroughputRequest request = decode_throughput(experiment);
  expect_operation(gpu, request.operation);
  const Run run = run_of(gpu, request);
  Words words = words_of(request, run.ctas);
  const Memory memory(gpu, memory_bytes(request, words), run.ctas);
  words.memory = memory.words + first_of_trial(request, words);
  const auto cta = static_cast<std::int32_t>(request.trial % run.ctas);
  const bool together = request.space == Space::global && !request.alone;
  const Workers workers{.warps = static_cast<std::uint32_t>(request.warps),
                        .cta = request.alone ? cta : -1,
                        .started = together ? memory.started : nullptr};
  cuda::check(stream(run, request.returns, words, workers, memory.times), "launching atomics");
  return request.alone ? fetched(gpu, memory.times + cta, 1) : fetched(gpu, memory.times, run.ctas);
}

}  // namespace tomograph::atomics
