#include "tomograph/kernel/profile_document.hpp"

#include "catch.hpp"
#include "tomograph/documents/input_error.hpp"

namespace {

using namespace tomograph;
using kernel::parse_profile;

const std::string golden = R"(name = "golden"
ctas = 28
warps_per_cta = 48
ctas_per_sm = 1
llc_miss_ratio = 0.5
[[interval]]
instructions = 21
stall = 230
read_misses = 32
)";

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(parse_profile(text, "k.toml"));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a profile needs only its intervals; its traffic follows from them") {
  const kernel::Profile profile = parse_profile(golden, "k.toml");
  CHECK(profile.intervals ==
        std::vector<kernel::Interval>{{.instructions = 21, .stall = 230, .read_misses = 32, .waits_for_miss = 1}});
  CHECK(profile.traffic.instructions == 21);
  CHECK(profile.traffic.read_requests == 32);
  CHECK(profile.traffic.memory_reads == 16);
  CHECK(profile.miss_bytes == 128);
}

TEST_CASE("equal intervals are written once, and traffic replaces what it names") {
  const kernel::Profile profile = parse_profile(golden + "times = 3\n[traffic]\nmemory_reads = 7\n", "k.toml");
  CHECK(profile.intervals.size() == 3);
  CHECK(profile.traffic.memory_reads == 7);
  CHECK(profile.traffic.read_misses == 96);
}

TEST_CASE("a text is a profile if it has intervals") {
  CHECK(kernel::is_profile(golden));
  CHECK_FALSE(kernel::is_profile("name = 'kernel'\n[[instruction]]\n"));
  CHECK_FALSE(kernel::is_profile("no toml"));
}

TEST_CASE("impossible numbers are errors with their place") {
  CHECK_THAT(error_of(golden + "stal = 3\n"), Catch::Matchers::ContainsSubstring("k.toml:10:1: interval[0].stal") &&
                                                  Catch::Matchers::ContainsSubstring("stall"));
  CHECK_THAT(error_of("name = 'x'\n" + golden.substr(golden.find('\n') + 1) + "waits_for_miss = 2\n"),
             Catch::Matchers::ContainsSubstring("k.toml:10:1: interval[0].waits_for_miss"));
  CHECK_THAT(error_of("name = 'x'\nctas = 0\nwarps_per_cta = 1\nctas_per_sm = 1\nllc_miss_ratio = 0\n[[interval]]\n"
                      "instructions = 1\n"),
             Catch::Matchers::ContainsSubstring("k.toml:2:1: ctas"));
  CHECK_THAT(error_of("name = 'x'\n"), Catch::Matchers::ContainsSubstring("interval"));
  CHECK_THAT(error_of(golden + "[traffic]\ninstructions = 10\ncycles = 9\n"),
             Catch::Matchers::ContainsSubstring("has fewer cycles than instructions"));
}
