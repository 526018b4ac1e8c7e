#include "page.hpp"

#include "catch.hpp"

using namespace tomograph;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

const char* const topology = R"({
  "provenance": {"device": {"name": "cuda:0"}, "tool": {"version": "0.1.0", "revision": "abc"}, "started": "today"},
  "outcomes": {"l2.ways": {"status": "inconclusive", "reason": "a|b", "probe": "p/q"},
               "tma.latency": {"status": "skipped", "reason": "no TMA", "probe": "p/q"}},
  "device": {"name": {"value": "GPU <1>|2", "unit": "", "source": "api", "confidence": 1},
             "sm_clock": {"value": 1, "unit": "Hz", "source": "api", "confidence": 1}},
  "l2": {"size": {"value": 61469952, "unit": "B", "source": "measured", "confidence": 0.95,
                  "interval": [55574528, 62953472]},
         "latency": {"value": 281.648, "unit": "cycle", "source": "measured", "confidence": 0.999}}})";

std::string page() {
  return markdown::page(Topology(
      "h.toml", topology, R"([{"key": "l2.size", "against": "l2.nominal_size", "message": "l2.size is less"}])"));
}

}  // namespace

TEST_CASE("the page has the main facts with interval and confidence") {
  CHECK_THAT(page(), StartsWith("# GPU \\<1\\>\\|2\n\n| fact | value | interval | confidence |\n| --- |") &&
                         ContainsSubstring("| `l2.size` | 58.62 MiB | 53 to 60.04 MiB | 95 % |\n") &&
                         ContainsSubstring("| `l2.latency` | 281.6 cycles |  | 99.9 % |\n"));
  CHECK(page().find("sm_clock") == std::string::npos);
}

TEST_CASE("the page says what is uncertain, open or contradicted, and not what the device lacks") {
  CHECK_THAT(page(),
             ContainsSubstring("## Uncertain\n\n- `l2.size`: confidence 95 %\n- `l2.ways`: inconclusive, a\\|b\n"
                               "- l2.size is less\n\n"));
  CHECK(page().find("tma") == std::string::npos);
}

TEST_CASE("the page says where its facts come from") {
  CHECK_THAT(page(), ContainsSubstring("Measured on `cuda:0` with Tomograph 0.1.0 abc, started today. File `h.toml`"));
}

TEST_CASE("quantities have four digits and a unit of their size") {
  CHECK(markdown::quantity(1024, "B") == "1 KiB");
  CHECK(markdown::quantity(1023, "B") == "1023 B");
  CHECK(markdown::quantity(9.2029e12, "B/s") == "9.203 TB/s");
  CHECK(markdown::quantity(126.82134, "B/cycle") == "126.8 B/cycle");
  CHECK(markdown::quantity(1048576, "1") == "1048576");
  CHECK(markdown::quantity(1, "cycle") == "1 cycle");
  CHECK(markdown::quantity(1.5, "cycle") == "1.5 cycles");
  CHECK(markdown::quantity(0.12341, "1") == "0.1234");
  CHECK(markdown::quantity(1.2034e-6, "s") == "1.203 µs");
  CHECK(markdown::quantity(797.12e-9, "s") == "797.1 ns");
  CHECK(markdown::quantity(0.025, "s") == "25 ms");
  CHECK(markdown::quantity(2, "s") == "2 s");
}
