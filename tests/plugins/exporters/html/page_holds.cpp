#include <catch.hpp>
#include <string>

#include "page.hpp"

namespace {

std::string joined(std::span<const std::string_view> pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

}  // namespace

TEST_CASE("the page around the data is whole") {
  const std::string head = joined(tomograph::html::page_head());
  const std::string tail = joined(tomograph::html::page_tail());
  CHECK(head.starts_with("<!doctype html>"));
  CHECK(head.ends_with("id=\"data\">"));
  CHECK(tail.starts_with("</script>"));
  CHECK(tail.ends_with("</html>\n"));
}

TEST_CASE("the page names no address to load from") {
  const std::string page = joined(tomograph::html::page_head()) + joined(tomograph::html::page_tail());
  for (const char* const part : {"src=\"", "href=\"http", "@import", "url(http", "fetch(", "XMLHttpRequest"}) {
    INFO(part);
    CHECK(page.find(part) == std::string::npos);
  }
}
