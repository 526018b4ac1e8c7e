#include "tomograph/documents/toml_document.hpp"

#include "catch.hpp"
#include "temporary_folder.hpp"

using namespace tomograph;

namespace {

Problem problem_of(std::string_view text) {
  try {
    static_cast<void>(parse_toml(text, "my.toml"));
  } catch (const InputError& error) {
    return error.problems().front();
  }
  return {};
}

}  // namespace

TEST_CASE("malformed TOML is refused with file, line and column") {
  const Problem problem = problem_of("device = \"cuda:0\"\ninclude = [\"a\" \"b\"]\n");
  CHECK(problem.file == "my.toml");
  CHECK(problem.line == 2);
  CHECK(problem.column == 16);
  CHECK(problem.message.starts_with("malformed TOML: "));
}

TEST_CASE("a key given twice is refused at its second place") {
  const Problem problem = problem_of("a = 1\nb = 2\na = 3\n");
  CHECK(problem.line == 3);
}

TEST_CASE("a number that is not finite is refused with its place") {
  const Problem problem = problem_of("[noise]\nspread = nan\n");
  CHECK(to_string(problem) == "my.toml:2:1: noise.spread: expected a finite number");
}

TEST_CASE("what lies deeper or is named longer than anything that means something is refused at its place") {
  std::string deep = "a";
  for (int i = 0; i < 500'000; ++i) deep += ".a";
  CHECK(to_string(problem_of("b = 1\n" + deep + " = 1\n")) == "my.toml:2: expected a key of at most 32 parts");
  std::string within = "1";
  for (int i = 0; i < 100; ++i) within = "{ a.b.c = " + within + " }";
  CHECK(to_string(problem_of("x = " + within + "\n")) == "my.toml:1:667: lies more than 200 levels deep");
  CHECK(to_string(problem_of("\n" + std::string(100'000, 'a') + " = 1\n")) ==
        "my.toml:2:1: expected a name of at most 1000 bytes, found one of 100000");
}

TEST_CASE("a file that is not there, or a folder, is refused by name") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(read_toml(folder / "none.toml"),
                    (folder / "none.toml").string() + ": cannot be read: No such file or directory");
  CHECK_THROWS_WITH(read_toml(folder.path()), folder.path().string() + ": expected a TOML file, but this is a folder");
}

TEST_CASE("integers, reals and text keep their types, dates become text") {
  const TomlDocument document = parse_toml("i = 0x10\nr = 2.0\nt = \"x\"\nd = 2026-01-02T03:04:05Z\n", "my.toml");
  CHECK(document.value.at("i").is_number_integer());
  CHECK(document.value.at("r").is_number_float());
  CHECK(document.value.at("t") == "x");
  CHECK(document.value.at("d") == "2026-01-02T03:04:05Z");
}

TEST_CASE("the schema line is found among the first comments, and only there") {
  CHECK(parse_toml("# mine\n#:schema ./x.schema.json\r\na = 1\n", "my.toml").schema == "./x.schema.json");
  CHECK(parse_toml("a = 1\n#:schema ./x.schema.json\n", "my.toml").schema.empty());
}

TEST_CASE("a place in a file is named as one would write it there") {
  const nlohmann::json root = {{"level", {{{"sets", 4}}, {{"sets", "x"}}}}};
  CHECK(toml_key(root, "/level/1/sets") == "level[1].sets");
  CHECK(toml_key(root, "/probes/data-cache~1l1.size/max_bytes") == "probes.\"data-cache/l1.size\".max_bytes");
}
