#include "tomograph/cache/masks.hpp"

#include "catch.hpp"

using namespace tomograph;

TEST_CASE("masks of line numbers are stated as masks of addresses, in their order, and read back") {
  const std::vector<std::uint64_t> masks{0x21, 0x3, 0x400000000};
  const Value texts = cache::mask_texts(masks, 128);
  CHECK(texts.elements().front().get<std::string>() == "0x1080");
  CHECK(cache::masks_in(texts, 128) == masks);
  CHECK(cache::masks_in(cache::mask_texts(masks)) == masks);
}
