#include "tomograph/experiment.hpp"

#include <array>

#include "catch.hpp"

using Catch::Matchers::ContainsSubstring;
using tomograph::Answer;
using tomograph::AnswerCollector;
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
  for (std::size_t i = 0; i < batch.size(); ++i) CHECK(tomograph::copy(*view.data()[i]) == batch[i]);
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

TEST_CASE("asking for an array that is not there or of another type names it") {
  CHECK(tomograph::numbers<std::uint32_t>(mixed.parameters, "u").front() == 4000000000U);
  CHECK_THROWS_WITH(tomograph::numbers<double>(mixed.parameters, "u"), ContainsSubstring("'u' has the wrong element"));
  CHECK_THROWS_WITH(tomograph::numbers<double>(mixed.parameters, "v"), ContainsSubstring("'v' is missing"));
}

TEST_CASE("answers are collected by their place in the batch, in whatever order they come") {
  AnswerCollector collector(3);
  const auto* sink = collector.sink();
  const NamedArray array{"x", std::vector<double>{1}};
  const tomograph_array crossing = tomograph::view(array);
  sink->refuse(sink->context, 2, TOMOGRAPH_UNSUPPORTED, "no such thing");
  sink->array(sink->context, 0, &crossing);
  const auto answers = collector.take();
  CHECK(answers[0] == Answer{{array}});
  CHECK(answers[1] == Answer{{}, TOMOGRAPH_FAILED, "the device gave no answer"});
  CHECK(answers[2] == Answer{{}, TOMOGRAPH_UNSUPPORTED, "no such thing"});
}

TEST_CASE("an answer to an experiment that nobody asked for is ignored") {
  AnswerCollector collector(1);
  const auto* sink = collector.sink();
  const NamedArray array{"x", std::vector<double>{1}};
  const tomograph_array crossing = tomograph::view(array);
  sink->array(sink->context, 1, &crossing);
  sink->refuse(sink->context, 7, TOMOGRAPH_FAILED, nullptr);
  CHECK(collector.take().size() == 1);
}
