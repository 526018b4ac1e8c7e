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
