#include "documents/writable_file.hpp"

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
