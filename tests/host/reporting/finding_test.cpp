#include "reporting/finding.hpp"

#include "catch.hpp"

using namespace tomograph::host;

TEST_CASE("a finding names both facts, both values and their difference") {
  Topology topology;
  FactRecord measured;
  measured.value = 254976;
  measured.unit = "B";
  measured.probe = "a/size";
  FactRecord nominal = measured;
  nominal.value = 262144;
  topology.facts = {{"l1_data.size", measured}, {"l1_data.nominal_size", nominal}};
  CHECK(finding_text({"l1_data.size", "l1_data.nominal_size"}, topology) ==
        "l1_data.size is 249 KiB, but 256 KiB by the API (l1_data.nominal_size), 2.7 % less");
}

TEST_CASE("what happened to the device is told in one sentence with the probes that ran") {
  CHECK(condition_finding_text(
            {{"kind", "clock-step"}, {"steps", 2}, {"low", 1.41e9}, {"high", 1.98e9}, {"probes", {"a/x", "a/y"}}}) ==
        "the SM clock stepped 2 times between 1.41 GHz and 1.98 GHz while a/x, a/y ran");
  CHECK(condition_finding_text(
            {{"kind", "throttled"}, {"reasons", {"power-cap"}}, {"probes", {"a/a", "a/b", "a/c", "a/d", "a/e"}}}) ==
        "the device was slowed down (power-cap) while a/a, a/b, a/c and 2 more ran");
  CHECK(condition_finding_text({{"kind", "neighbour"}, {"repeated", 7}, {"given_up", 2}, {"probes", {"a/x"}}}) ==
        "another program used the device while a/x ran: 7 experiments were repeated, 2 of them without success");
}

TEST_CASE("conditions are one line, and none where the device told none") {
  Topology topology;
  CHECK(conditions_line(topology).empty());
  topology.provenance["conditions"] = {
      {"samples", 9},
      {"sm_clock", {{"least", 1.98e9}, {"median", 1.98e9}, {"most", 1.98e9}, {"unit", "Hz"}}},
      {"power", {{"least", 98.5}, {"median", 300}, {"most", 412}, {"unit", "W"}}},
      {"driver_version", "580.65.06"}};
  CHECK(conditions_line(topology) == "SM 1.98 GHz, 98.5 W to 412 W, driver 580.65.06");
}
