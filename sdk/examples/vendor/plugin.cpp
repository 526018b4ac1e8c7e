#include "tomograph/plugin.hpp"

#include <array>
#include <vector>

#include "decoder_model.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace {

namespace declare = tomograph::declare;

struct Decode {
  static constexpr const char* id = "com.example.lens/decode";
  static constexpr const char* question = "What does a miss cost whose line lies compressed in L2?";
  static constexpr double expected_seconds = 0.05;
  static constexpr double time_budget = 10;
  static constexpr std::array provides{
      declare::cycles("com.example.lens.decode_latency", declare::per_device, "Time to decode one line"),
      declare::cycles("com.example.lens.compressed_miss", declare::per_device,
                      "Penalty of an L1 miss whose line must be decoded")};
  // Public facts, whichever plugin provides them.
  static constexpr std::array needs{tomograph::need("l1_data.line_size"), tomograph::need("l1_data.miss_penalty")};
  static constexpr std::array parameters{
      tomograph::parameter("ratio", TOMOGRAPH_INTEGER, "4", 1, 16, "Lines are compressed to one part in so many"),
      tomograph::parameter("blocks", TOMOGRAPH_INTEGER, "32", 8, 4096, "Lines to decode"),
      tomograph::parameter("cold", TOMOGRAPH_BOOLEAN, "true", 0, 0, "Whether the decoder starts without dictionary")};

  static void run(const tomograph::Session& session) {
    const tomograph::Arrays answer =
        session.ask(tomograph::Experiment{decode_id,
                                          {{"block_bytes", session.needed<std::int64_t>("l1_data.line_size")},
                                           {"ratio", session.parameter<std::int64_t>("ratio")},
                                           {"blocks", session.parameter<std::int64_t>("blocks")},
                                           {"cold", std::int64_t{session.parameter<bool>("cold")}}}});
    session.evidence("decode", answer);

    const auto raw = tomograph::numbers<std::uint32_t>(answer, "cycles");
    const std::vector<double> cycles(raw.begin(), raw.end());
    const auto decode = tomograph::analysis::median_interval(cycles, 0.99);
    const double median = tomograph::analysis::median(cycles);
    publish(session, "com.example.lens.decode_latency", median, decode, cycles.size());

    const tomograph::Value miss = session.fact_record("l1_data.miss_penalty").value();
    const auto penalty = miss.at("value").get<double>();
    const auto [low, high] = miss.value("interval", std::pair{penalty, penalty});
    publish(session, "com.example.lens.compressed_miss", penalty + median,
            {low + decode.low, high + decode.high, miss.at("confidence").get<double>() * decode.coverage},
            cycles.size());
  }

 private:
  static void publish(const tomograph::Session& session, const char* key, double value,
                      const tomograph::analysis::MedianInterval& interval, std::size_t samples) {
    session.publish({.key = key,
                     .value = value,
                     .method = "decode-median",
                     .confidence = interval.coverage,
                     .interval = tomograph::Interval{interval.low, interval.high},
                     .samples = samples,
                     .evidence = "decode"});
  }
};

}  // namespace

TOMOGRAPH_PLUGIN("com.example.lens", "2.3.0", "Example Corp.'s line decoder", tomograph::Probes<Decode>,
                 tomograph::Executors<DecoderModel>)
