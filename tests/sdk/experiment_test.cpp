#include "tomograph/experiment.hpp"

#include "catch.hpp"

using Catch::Matchers::ContainsSubstring;
using tomograph::Answer;
using tomograph::AnswerCollector;
using tomograph::Arrays;
using tomograph::ArrayView;
using tomograph::BatchView;
using tomograph::Experiment;
using tomograph::NamedArray;

namespace {

const Experiment mixed{"com.example.x/1",
                       {{"i", std::vector<std::int64_t>{-1, 2}},
                        {"u", std::vector<std::uint32_t>{4000000000U}},
                        {"f", std::vector<double>{0.5}},
                        {"none", std::vector<double>{}}}};

}  // namespace

TEST_CASE("a batch crosses the boundary unchanged") {
  const std::vector<Experiment> batch{mixed, {"empty/1", {}}, mixed};
  const BatchView view(batch);
  REQUIRE(view.size() == 3);
  for (std::size_t i = 0; i < batch.size(); ++i) CHECK(tomograph::borrow(*view.data()[i]) == batch[i]);
}

TEST_CASE("a broken array is refused by name") {
  const double one = 1;
  tomograph_array array{sizeof(tomograph_array), TOMOGRAPH_F64, "x", &one, 1};
  CHECK(tomograph::copy(array) == NamedArray{"x", std::vector<double>{1}});
  array.element = 9;
  CHECK_THROWS_WITH(tomograph::copy(array), ContainsSubstring("'x' has an unknown element type"));
  array.data = nullptr;
  CHECK_THROWS_WITH(tomograph::copy(array), ContainsSubstring("'x' has no data"));
  array.name = nullptr;
  CHECK_THROWS_WITH(tomograph::copy(array), ContainsSubstring("no name"));
}

TEST_CASE("arrays that move stay where they lie, copies have memory of their own") {
  Arrays arrays{{"first", std::vector<std::int64_t>{1, 2, 3}}, {"second", 0.5}};
  const auto first = arrays.front().numbers<std::int64_t>();
  const Arrays copied = arrays;
  CHECK(copied == arrays);
  CHECK(copied.front().numbers<std::int64_t>().data() != first.data());
  const Arrays moved = std::move(arrays);
  CHECK(moved.front().numbers<std::int64_t>().data() == first.data());
  CHECK(moved == copied);
}

TEST_CASE("arrays that share memory keep theirs when others grow or end") {
  std::vector<Arrays> all(100);
  {
    tomograph::ArrayMemory memory;
    for (Arrays& arrays : all) arrays = memory.arrays(2);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].add({"number", static_cast<std::int64_t>(i)});
    for (std::size_t i = 0; i < all.size(); ++i) all[i].add({"many", std::vector<double>(50 * i, 0.5)});
  }
  for (std::size_t i = 0; i < all.size(); i += 2) all[i] = {};
  for (std::size_t i = 1; i < all.size(); i += 2) {
    CHECK(all[i] == Arrays{{"number", static_cast<std::int64_t>(i)}, {"many", std::vector<double>(50 * i, 0.5)}});
  }
}

TEST_CASE("arrays grow with what is added, however long") {
  Arrays arrays;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < 300; ++i) {
    arrays.add({("of " + std::to_string(i)).c_str(), numbers});
    numbers.push_back(i);
  }
  REQUIRE(arrays.size() == 300);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    CHECK(arrays[i].name() == "of " + std::to_string(i));
    const auto kept = arrays[i].numbers<std::uint32_t>();
    CHECK(std::ranges::equal(kept, std::span(numbers).first(i)));
  }
}

TEST_CASE("a borrowed experiment shows the numbers of its owner, a copy keeps them") {
  std::vector<std::int64_t> numbers{7};
  const ArrayView array("n", numbers);
  const tomograph_array* const parameters[] = {&array.crossing()};
  const tomograph_experiment crossing{sizeof(tomograph_experiment), 1, "x/1", parameters};
  const Experiment borrowed = tomograph::borrow(crossing);
  Experiment copied = borrowed;
  copied.parameters.add({"m", 1.0});
  numbers[0] = 8;
  CHECK(tomograph::numbers<std::int64_t>(borrowed.parameters, "n").front() == 8);
  CHECK(tomograph::numbers<std::int64_t>(copied.parameters, "n").front() == 7);
}

TEST_CASE("an array may be added to borrowed ones, which are owned from then on") {
  std::vector<std::int64_t> numbers(1000, 7);
  const ArrayView array("n", numbers);
  const tomograph_array* const parameters[] = {&array.crossing()};
  Arrays arrays = Arrays::borrow(parameters);
  arrays.add({"m", 1.0});
  numbers[0] = 8;
  CHECK(arrays[0].numbers<std::int64_t>()[0] == 7);
  CHECK(arrays[1].numbers<double>()[0] == 1);
}

TEST_CASE("asking for an array that is not there or of another type names it") {
  CHECK(tomograph::numbers<std::uint32_t>(mixed.parameters, "u").front() == 4000000000U);
  CHECK_THROWS_WITH(tomograph::numbers<double>(mixed.parameters, "u"), ContainsSubstring("'u' has the wrong element"));
  CHECK_THROWS_WITH(tomograph::numbers<double>(mixed.parameters, "v"), ContainsSubstring("'v' is missing"));
}

TEST_CASE("answers are collected by their place in the batch, in whatever order they come") {
  AnswerCollector collector(3);
  const auto* sink = collector.sink();
  const double one = 1;
  const ArrayView array("x", one);
  sink->refuse(sink->context, 2, TOMOGRAPH_UNSUPPORTED, "no such thing");
  sink->array(sink->context, 0, &array.crossing());
  const auto answers = collector.take();
  CHECK(answers[0] == Answer{{array}});
  CHECK(answers[1] == Answer{{}, TOMOGRAPH_FAILED, "the device gave no answer"});
  CHECK(answers[2] == Answer{{}, TOMOGRAPH_UNSUPPORTED, "no such thing"});
}

TEST_CASE("an answer to an experiment that nobody asked for is ignored") {
  AnswerCollector collector(1);
  const auto* sink = collector.sink();
  const double one = 1;
  const ArrayView array("x", one);
  sink->array(sink->context, 1, &array.crossing());
  sink->refuse(sink->context, 7, TOMOGRAPH_FAILED, nullptr);
  CHECK(collector.take().size() == 1);
}
