#include "exporting/document_names.hpp"

#include "catch.hpp"

using namespace tomograph::host;

using Names = std::vector<std::string>;

TEST_CASE("files of different names are called by these") {
  CHECK(document_names({"a/h100.toml", "b/h200.toml"}) == Names{"h100.toml", "h200.toml"});
  CHECK(document_names({"/data/topology.toml"}) == Names{"topology.toml"});
}

TEST_CASE("files of one name are told apart by as few folders as it takes") {
  CHECK(document_names({"A/topology.toml", "B/topology.toml", "B/other.toml"}) ==
        Names{"A/topology.toml", "B/topology.toml", "other.toml"});
  CHECK(document_names({"/x/A/run/topology.toml", "/x/B/run/topology.toml"}) ==
        Names{"A/run/topology.toml", "B/run/topology.toml"});
  CHECK(document_names({"/topology.toml", "/A/topology.toml"}) == Names{"/topology.toml", "A/topology.toml"});
}

TEST_CASE("a file that is given twice, however it is spelled, has one name") {
  CHECK(document_names({"A/topology.toml", "./A/../A/topology.toml"}) == Names{"topology.toml", "topology.toml"});
}
