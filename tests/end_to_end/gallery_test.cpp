#include <algorithm>
#include <string>

#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;

TEST_CASE("the gallery is listed, and its entries are read wherever a topology is") {
  const Workspace workspace;
  const Ended list = workspace.run({"list", "gallery"});
  CHECK(list.exit_code == 0);
  CHECK_THAT(list.out, ContainsSubstring("gallery:nvidia-h200            NVIDIA H200            "));
  const Json json = Json::parse(workspace.run({"list", "gallery", "--json"}).out);
  for (const Json& entry : json.at("gallery")) {
    const auto name = entry.at("name").get<std::string>();
    INFO(name);
    CHECK_THAT(workspace.run({"show", name}).out, ContainsSubstring(entry.at("device").get<std::string>()));
    CHECK(workspace.run({"diff", name, name}).exit_code == 0);
    CHECK_THAT(workspace.run({"explain", "l2.size", name}).out, ContainsSubstring("l2.size is "));
    CHECK(workspace.run({"plan", "--given", name, "--only", "l2.size"}).exit_code == 0);
  }
}

TEST_CASE("an entry that the gallery lacks is bad input, with the nearest name or with all") {
  const Workspace workspace;
  const Ended near = workspace.run({"show", "gallery:nvidia-h20"});
  CHECK(near.exit_code == 2);
  CHECK_THAT(near.err, ContainsSubstring("there is no 'nvidia-h20' in the gallery; did you mean 'nvidia-h200'?"));
  const Ended far = workspace.run({"show", "gallery:../gallery/nvidia-h200"});
  CHECK(far.exit_code == 2);
  CHECK(std::ranges::count(far.err, '\n') == 1);
}
