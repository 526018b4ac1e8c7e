#include "documents/writable_file.hpp"

#include <fstream>

#include "catch.hpp"
#include "temporary_folder.hpp"
#include "tomograph/documents/input_error.hpp"

using namespace tomograph;
using namespace tomograph::host;

TEST_CASE("an output file that cannot be written is bad input, and the message names the file and the reason") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(require_writable(folder.path()), InputError);
  CHECK_THROWS_WITH(require_writable(folder.path()), folder.path().string() + ": cannot be written: this is a folder");
  CHECK_NOTHROW(require_writable(folder / "new.toml"));
}

TEST_CASE("an output may be neither a file that is read nor another output, by whatever path") {
  const TemporaryFolder folder;
  std::ofstream(folder / "in.toml") << "text";
  std::filesystem::create_symlink(folder / "in.toml", folder / "link.toml");
  const auto output = [&](const std::string& name) { return NamedFile{"--output", folder / name}; };
  const std::vector<NamedFile> inputs{{"TOPOLOGY", folder / "in.toml"}, {"--config", folder / "none.toml"}};
  const std::string reason = " is read by this command (TOPOLOGY), so it cannot be its --output";
  for (const char* name : {"in.toml", "./in.toml", "link.toml"}) {
    CHECK_THROWS_WITH(require_separate({output(name)}, inputs), (folder / name).string() + ":" + reason);
  }
  CHECK_THROWS_WITH(
      require_separate({output("new.toml"), {"--record", folder / "a/../new.toml"}}, inputs),
      (folder / "a/../new.toml").string() + ": is written by this command (--output), so it cannot be its --record");
  CHECK_NOTHROW(require_separate({output("new.toml"), {"--evidence", {}}, {"--record", folder / "run.rec"}}, inputs));
  CHECK_NOTHROW(require_separate({output("none.toml")}, inputs));
  CHECK_NOTHROW(require_separate({{"--output", "/dev/null"}, {"--evidence", "/dev/null"}}, {{"FILE", "/dev/null"}}));
}
