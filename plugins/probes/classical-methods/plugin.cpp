#include "methods.hpp"
#include "tomograph/cache/levels.hpp"
#include "tomograph/cache/probes.hpp"

namespace tomograph::classical_methods {
namespace {

using cache::fact_key;
using cache::l1_data;
using cache::l2;
using cache::Level;
using cache::read_only;
using cache::texture;

template <const Level& level>
constexpr std::array parameters_of_cache{
    fact_spec(fact_key<level, "size">, TOMOGRAPH_INTEGER, "B", level.scope, "Largest size without misses"),
    fact_spec(fact_key<level, "line_size">, TOMOGRAPH_INTEGER, "B", level.scope, "What the method takes for a line"),
    fact_spec(fact_key<level, "sets">, TOMOGRAPH_INTEGER, "1", level.scope, "What the method takes for sets"),
    fact_spec(fact_key<level, "ways">, TOMOGRAPH_INTEGER, "1", level.scope, "What the method takes for ways")};

/// "classical-methods/saavedra1992.texture".
template <const Level& level, cache::Literal method>
inline constexpr const char* id_of =
    cache::detail::joined_characters<[] {
      return std::array<std::string_view, 4>{"classical-methods/", method.view(), ".", level.prefix};
    }>.data();

template <const Level& level>
struct Saavedra {
  static constexpr const char* id = id_of<level, "saavedra1992">;
  static constexpr const char* question =
      cache::sentence<level, "What does the average latency by stride say of ", " (Saavedra 1992)?">;
  static constexpr const char* method = "saavedra1992";
  static constexpr double expected_seconds = 0.2;
  static constexpr double time_budget = 60;
  static constexpr auto provides = parameters_of_cache<level>;
  static void run(const Session& session) { follow_saavedra(session, level); }
};

template <const Level& level>
struct Wong {
  static constexpr const char* id = id_of<level, "wong2010">;
  static constexpr const char* question =
      cache::sentence<level, "What does the average latency by size say of ", " (Wong 2010)?">;
  static constexpr const char* method = "wong2010";
  static constexpr double expected_seconds = 0.3;
  static constexpr double time_budget = 60;
  static constexpr std::array parameters{
      parameter("stride", TOMOGRAPH_INTEGER, "8", 8, 1024, "Bytes from load to load, around the line size or less")};
  static constexpr auto provides = parameters_of_cache<level>;
  static void run(const Session& session) { follow_wong(session, level); }
};

template <const Level& level>
struct Groessler {
  static constexpr const char* id = id_of<level, "groessler2022">;
  static constexpr const char* question =
      cache::sentence<level, "At which size do the latencies of ", " change (Größler 2022)?">;
  static constexpr const char* method = "groessler2022";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 60;
  static constexpr auto needs = cache::needs_of<level>();
  static constexpr std::array provides{
      fact_spec(fact_key<level, "size">, TOMOGRAPH_INTEGER, "B", level.scope, "Size before the change point")};
  static void run(const Session& session) { follow_groessler(session, level); }
};

struct Mei {
  static constexpr const char* id = id_of<l2, "mei2017">;
  static constexpr const char* question = "How much does L2 prefetch from memory (Mei & Chu 2017)?";
  static constexpr const char* method = "mei2017";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 20;
  static constexpr auto needs = cache::joined(cache::threshold_needs<l2>, std::array{need("l2.nominal_size")});
  static constexpr std::array provides{
      fact_spec("l2.prefetch", TOMOGRAPH_TABLE, "", l2.scope, "What a load from memory brings besides its own line")};
  static void run(const Session& session) { follow_mei(session, l2); }
};

}  // namespace
}  // namespace tomograph::classical_methods

using namespace tomograph;
using namespace tomograph::classical_methods;
TOMOGRAPH_PLUGIN("classical-methods", "1.0.0",
                 "Published methods of other authors, run only where asked for (--method)",
                 Probes<Saavedra<l1_data>, Saavedra<read_only>, Saavedra<texture>, Wong<l1_data>, Wong<read_only>,
                        Wong<texture>, Groessler<l1_data>, Groessler<read_only>, Groessler<texture>, Mei>)
