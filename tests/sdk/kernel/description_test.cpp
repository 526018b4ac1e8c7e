#include "tomograph/kernel/description.hpp"

#include <filesystem>

#include "catch.hpp"
#include "tomograph/documents/input_error.hpp"
#include "tomograph/kernel/kernel_trace.hpp"

namespace kernel = tomograph::kernel;

namespace {

constexpr const char* head = R"(name = "k"
warps = 1
ctas = 1
ctas_per_sm = 1
iterations = 1
footprint = 4096
)";

std::string complaint_about(const std::string& instructions) {
  try {
    static_cast<void>(kernel::parse_description(head + instructions, "k.toml"));
  } catch (const tomograph::InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("names of instructions become numbers, and the span reaches to the end of the footprint") {
  const auto described = kernel::parse_description(std::string(head) + R"(timed = "x"
[[instruction]]
name = "i"
operation = "load"
pattern = "stride"
[[instruction]]
name = "x"
operation = "load"
pattern = "gather"
index = "i"
base = 1024
cache = "nc"
[[instruction]]
name = "sum"
operation = "fp32"
needs = ["x"]
previous = ["sum", "i"]
)",
                                                   "k.toml");
  const auto& loop = described.kernel.loop;
  CHECK(described.name == "k");
  CHECK(described.kernel.timed == 1);
  REQUIRE(loop.size() == 3);
  CHECK(std::get<kernel::Gather>(loop[1].access->pattern).index == 0);
  CHECK(loop[1].access->span == 3072);
  CHECK(loop[1].access->cache == kernel::Cache::nc);
  CHECK(loop[2].needs == std::vector<std::int64_t>{1, 5, 3});
}

TEST_CASE("a mistake in a description is told with file, line, key and the nearest right name") {
  CHECK(
      complaint_about("[[instruction]]\noperation = \"lod\"\n") ==
      "k.toml:8:1: instruction[0].operation: is \"lod\", expected one of \"integer\", \"fp32\", \"fp64\", \"special\", "
      "\"load\", \"store\", \"atomic\", \"shared_load\", \"shared_store\", \"barrier\"; did you mean 'load'?");
  CHECK(complaint_about("[[instruction]]\noperation = \"load\"\n") ==
        "k.toml:8:1: instruction[0].operation: needs the key pattern");
  CHECK(complaint_about("[[instruction]]\noperation = \"load\"\npattern = \"hash\"\nwidth = 3\n") ==
        "k.toml:10:1: instruction[0].width: has no meaning for a load with the pattern hash");
  CHECK(complaint_about("[[instruction]]\nname = \"sum\"\noperation = \"fp32\"\nneeds = [\"sun\"]\n") ==
        "k.toml:10:1: instruction[0].needs: no instruction has the name 'sun'; did you mean 'sum'?");
}

TEST_CASE("a cyclic dependence is told at its key") {
  CHECK(complaint_about("[[instruction]]\nname = \"a\"\noperation = \"fp32\"\nneeds = [\"a\"]\n")
            .starts_with("k.toml:10:1: instruction[0].needs: is cyclic"));
}

TEST_CASE("two instructions of one name are refused") {
  CHECK(complaint_about("[[instruction]]\nname = \"a\"\noperation = \"fp32\"\n[[instruction]]\nname = \"a\"\n"
                        "operation = \"fp32\"\n") ==
        "k.toml:11:1: instruction[1].name: two instructions have this name");
}

TEST_CASE("the example descriptions keep the rules, and each warp has the instructions that are counted") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TOMOGRAPH_SOURCE_DIR "/tests/fixtures/kernels")) {
    INFO(entry.path());
    const auto described = kernel::read_description(entry.path());
    const kernel::KernelTrace trace(described.name, described.kernel);
    const auto instructions = trace.warp(0, 0).instructions.size();
    CHECK(instructions ==
          static_cast<std::size_t>(described.kernel.iterations * instructions_per_iteration(described.kernel)));
    ++files;
  }
  CHECK(files >= 6);
}
