#include "tomograph/documents/toml_nesting.hpp"

#include <string>

#include "catch.hpp"

using tomograph::line_of_deep_key;

namespace {

/// A key of that many parts.
std::string key(std::size_t parts, const std::string& part = "a") {
  std::string text = part;
  for (std::size_t i = 1; i < parts; ++i) text += "." + part;
  return text;
}

}  // namespace

TEST_CASE("a key with more parts than any that means something is found wherever keys stand") {
  CHECK(line_of_deep_key("b = 1\n" + key(33) + " = 1\n") == 2);
  CHECK(line_of_deep_key("# comment\n\n[" + key(33) + "]\n") == 3);
  CHECK(line_of_deep_key("b = { c = 1, " + key(33) + " = 1 }\n") == 1);
  CHECK(line_of_deep_key("b = [\n{ " + key(33) + " = 1 }]\n") == 2);
  for (const std::string part : {" a ", "\"=\"", "'='", "\"\\\"=\"", "\"\"", "''"}) {
    INFO(part);
    CHECK(line_of_deep_key(key(33, part) + " = 1") == 1);
  }
}

TEST_CASE("a string hides no key, however it ends") {
  const std::string deep = "\n" + key(33) + " = 1\n";
  for (const std::string text : {R"('\')", R"("\\")", R"("\"")", R"("""\"""")", "'''''\n'''''", R"("""""a""""")",
                                 R"("'")", R"('"')", R"("""\\""")"}) {
    INFO(text);
    CHECK(line_of_deep_key("b = " + text + deep).has_value());
  }
}

TEST_CASE("points of numbers, strings and comments are no parts of a key") {
  std::string numbers = "b = [";
  for (int i = 0; i < 100; ++i) numbers += "1.5, 2.5e-3,\n";
  CHECK_FALSE(line_of_deep_key(numbers + "]"));
  const std::string points(100, '.');
  for (const std::string mark : {"\"", "'", R"(""")", "'''"}) {
    CHECK_FALSE(line_of_deep_key("b = " + mark + points + mark));
  }
  CHECK_FALSE(line_of_deep_key("b = 1 # " + points));
  CHECK_FALSE(line_of_deep_key(key(32) + " = 1\n[" + key(32) + "]\n" + key(32) + " = 1\n"));
}
