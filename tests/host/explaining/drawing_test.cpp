#include "explaining/drawing.hpp"

#include "catch.hpp"

using namespace tomograph;
using namespace tomograph::host;
using Catch::Matchers::WithinAbs;

namespace {

using Reals = std::vector<double>;

FactRecord fact_of(const Json& value, const std::string& unit) {
  FactRecord fact;
  fact.value = value;
  fact.unit = unit;
  return fact;
}

}  // namespace

TEST_CASE("counted events are drawn as their share of the trials, and a size is marked on the footprint") {
  const Curve curve{{"footprint_B", Reals{1024, 2048, 4096}}, {"tested", Reals{8, 16, 32}}, {"hits", Reals{8, 16, 8}}};
  const Drawing drawing = drawing_of("l1_data.size", fact_of(2048, "B"), curve).value();
  CHECK(drawing.plot.x == Reals{1024, 2048, 4096});
  CHECK(drawing.plot.y == Reals{1, 1, 0.25});
  CHECK(drawing.plot.y_name == "share hits of tested");
  CHECK(drawing.plot.mark_x == 2048);
  CHECK(drawing.x_unit == "B");
}

TEST_CASE("single measurements become a distribution of those in the fact's unit") {
  Reals misses(10, 300.0);
  misses.push_back(90000);  // one in two hundred may be a straggler
  const Curve curve{{"hit_cycles", Reals(190, 30.0)}, {"miss_cycles", misses}, {"hit_cycles_by_sm", Reals{1}}};
  const Drawing drawing = drawing_of("l1_data.latency", fact_of(30, "cycle"), curve).value();
  CHECK(drawing.plot.has_bars);
  CHECK(drawing.plot.x_name == "hit_cycles, miss_cycles");
  CHECK(drawing.plot.y == Reals{190, 10});
  CHECK_THAT(drawing.plot.x.front(), WithinAbs(30, 1e-9));
  CHECK(drawing.plot.mark_x == 30);
}

TEST_CASE("of several parameters the one with most values is drawn, against the column in the fact's unit") {
  const Curve curve{{"ilp", Reals{1, 1, 1, 2, 2, 2}},
                    {"warps", Reals{1, 2, 3, 1, 2, 3}},
                    {"cycles_per_instruction", Reals{4, 2, 1.3, 2, 1, 0.7}},
                    {"low_95", Reals{4, 2, 1, 2, 1, 0.6}}};
  const Drawing drawing = drawing_of("instruction.x.completion_latency", fact_of(4, "cycle"), curve).value();
  CHECK(drawing.plot.x_name == "warps");
  CHECK(drawing.plot.y_name == "cycles_per_instruction");
  CHECK(drawing.plot.mark_y == 4);
}

TEST_CASE("of columns that come in sets the key chooses one") {
  const Curve curve{{"read.threads", Reals{32, 64}},
                    {"read.bandwidth", Reals{1, 2}},
                    {"write.threads", Reals{32, 64, 128}},
                    {"write.bandwidth", Reals{3, 4, 5}}};
  const Drawing written = drawing_of("l2.bandwidth.write", fact_of(5, "B/s"), curve).value();
  CHECK(written.plot.y == Reals{3, 4, 5});
  CHECK(written.plot.mark_y == 5);
  CHECK(drawing_of("l2.bandwidth", fact_of(5, "B/s"), curve).value().plot.y == Reals{1, 2});
}

TEST_CASE("where the columns in the fact's unit are flat, those that vary are drawn") {
  const Curve tlb{{"miss_to_miss_B", Reals(46, 64.0)},
                  {"pages_drawn", Reals{7, 8}},
                  {"full_set_extra_cycles", Reals{10, 11}},
                  {"miss_less_hit_cycles", Reals{10, 12, 13}}};
  for (const char* unit : {"B", "1", ""}) {
    const Drawing drawing = drawing_of("tlb.l1.reach", fact_of(64, unit), tlb).value();
    CHECK(drawing.plot.x_name == "full_set_extra_cycles, miss_less_hit_cycles");
    CHECK(drawing.x_unit == "cycle");
    CHECK_FALSE(drawing.plot.mark_x);
  }
  const Curve many{{"a_cycles", Reals{1, 2}}, {"b_cycles", Reals{3}}, {"c_cycles", Reals{4}}, {"d_cycles", Reals{5}}};
  const Drawing all = drawing_of("a.b", fact_of("lru", ""), many).value();
  CHECK(all.plot.x_name == "a_cycles, b_cycles, c_cycles and 1 more");
  CHECK(all.x_unit == "cycle");
  const Curve hits{{"hit_cycles", Reals(9, 30.0)}, {"miss_cycles", Reals{300, 301}}};
  CHECK(drawing_of("l1.hit_threshold.false_hit", fact_of(0, "1"), hits)->plot.x_name == "hit_cycles, miss_cycles");
  CHECK(drawing_of("a.b", fact_of("lru", ""), {{"x", Reals{1, 1}}, {"y", Reals{1, 2}}})->plot.x_name == "y");
}

TEST_CASE("a curve in which nothing varies is not drawn") {
  CHECK_FALSE(drawing_of("a.b", fact_of(64, "B"), {{"distance_B", Reals(10, 64.0)}}));
  CHECK_FALSE(drawing_of("a.b", fact_of(64, "B"), {}));
  CHECK_FALSE(drawing_of("a.b", fact_of("lru", ""), {{"x", Reals{1, 1}}, {"y", Reals{2, 2}}}));
}
