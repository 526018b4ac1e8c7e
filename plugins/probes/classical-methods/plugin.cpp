#include "questions.hpp"
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
    declare::bytes(fact_key<level, "size">, level.scope, "Largest size without misses"),
    declare::bytes(fact_key<level, "line_size">, level.scope, "Line size, as the method sees it"),
    declare::count(fact_key<level, "sets">, level.scope, "Number of sets, as the method sees it"),
    declare::count(fact_key<level, "ways">, level.scope, "Number of ways, as the method sees it")};

/// "classical-methods/saavedra1992.texture".
template <const Level& level, Literal method>
inline constexpr const char* id_of =
    cache::detail::joined_characters<[] {
      return std::array<std::string_view, 4>{"classical-methods/", method.view(), ".", level.prefix};
    }>.data();

/// What the probes of any method have in common.
template <const Level& level, Literal method_name>
struct Published {
  static constexpr const char* id = id_of<level, method_name>;
  static constexpr const char* method = method_name.characters.data();
  static constexpr double time_budget = 60;
};

/// What both methods of averages have in common.
template <const Level& level, Literal method_name>
struct Averages : Published<level, method_name> {
  static constexpr auto provides = parameters_of_cache<level>;
};

template <const Level& level>
struct Saavedra : Averages<level, "saavedra1992"> {
  static constexpr const char* question =
      cache::sentence<level, "What does the average latency by stride say about ", " (Saavedra 1992)?">;
  static constexpr double expected_seconds = 0.2;
  static void run(const Session& session) { follow_saavedra(session, level); }
};

template <const Level& level>
struct Wong : Averages<level, "wong2010"> {
  static constexpr const char* question =
      cache::sentence<level, "What does the average latency by size say about ", " (Wong 2010)?">;
  static constexpr double expected_seconds = 0.3;
  static constexpr std::array parameters{
      parameter("stride", TOMOGRAPH_INTEGER, "8", 8, 1024, "Bytes from one load to the next, at most about a line")};
  static void run(const Session& session) { follow_wong(session, level); }
};

template <const Level& level>
struct Groessler : Published<level, "groessler2022"> {
  static constexpr const char* question =
      cache::sentence<level, "At which size do the latencies of ", " change (Größler 2022)?">;
  static constexpr double expected_seconds = 0.1;
  static constexpr auto needs = cache::needs_of<level>();
  static constexpr std::array provides{
      declare::bytes(fact_key<level, "size">, level.scope, "Size before the change point")};
  static void run(const Session& session) { follow_groessler(session, level); }
};

struct Mei {
  static constexpr const char* id = id_of<l2, "mei2017">;
  static constexpr const char* question = "How much does L2 prefetch from memory (Mei & Chu 2017)?";
  static constexpr const char* method = "mei2017";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 20;
  static constexpr auto needs =
      concatenated(cache::threshold_needs<l2>, std::array{need("l2.nominal_size"), optional_need("dram.free")});
  static constexpr std::array provides{
      fact_spec("l2.prefetch", TOMOGRAPH_TABLE, "", l2.scope, "What a load from memory fetches besides its own line")};
  static void run(const Session& session) { follow_mei(session, l2); }
};

template <const Level& level>
struct MeiStages : Published<level, "mei2017"> {
  static constexpr const char* question =
      cache::sentence<level, "Which lines of ", " miss as it overflows little by little (Mei & Chu 2017)?">;
  static constexpr double expected_seconds = 0.5;
  static constexpr auto needs = cache::needs_of<level>();
  static constexpr auto provides = concatenated(
      parameters_of_cache<level>,
      std::array{declare::text(fact_key<level, "replacement">, level.scope, "LRU if the misses are periodic"),
                 declare::list(fact_key<level, "miss_rate_by_size">, "", level.scope,
                               "Pairs: bytes walked line by line, misses per load")});
  static void run(const Session& session) { follow_mei_stages(session, level); }
};

struct MeiL2 {
  static constexpr const char* id = "classical-methods/mei2017.l2.replacement";
  static constexpr const char* question = "Are the misses of L2 periodic as it overflows (Mei & Chu 2017)?";
  static constexpr const char* method = "mei2017";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 20;
  static constexpr auto needs =
      concatenated(cache::threshold_needs<l2>, std::array{need("l2.nominal_size"), need("l2.line_size")});
  static constexpr std::array provides{declare::text("l2.replacement", l2.scope, "LRU if the misses are periodic")};
  static void run(const Session& session) { follow_mei_l2(session, l2); }
};

struct MeiTlb {
  static constexpr const char* id = "classical-methods/mei2017.tlb.l2";
  static constexpr const char* question = "Which pages miss as the second TLB overflows (Mei & Chu 2017)?";
  static constexpr const char* method = "mei2017";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{need("l2.line_size"), need("tlb.l1.miss_penalty"), need("tlb.l2.miss_penalty"),
                                    need("tlb.l2.entries"), need("tlb.l2.entry_span")};
  static constexpr std::array provides{declare::list("tlb.l2.missed_pages_by_size", "", declare::per_device,
                                                     "Pairs: bytes walked, pages that miss in each walk")};
  static void run(const Session& session) { follow_mei_tlb(session); }
};

struct Lemeire {
  static constexpr const char* id = "classical-methods/lemeire2016.constant_l1";
  static constexpr const char* question = "How long do random walks over constants take, by size (Lemeire 2016)?";
  static constexpr const char* method = "lemeire2016";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 20;
  static constexpr std::array provides{declare::list("constant_l1.random_walk_by_size", "", declare::per_sm,
                                                     "Pairs: bytes walked at random, cycles per load")};
  static void run(const Session& session) { follow_lemeire(session); }
};

}  // namespace
}  // namespace tomograph::classical_methods

using namespace tomograph;
using namespace tomograph::classical_methods;
TOMOGRAPH_PLUGIN("classical-methods", "1.0.0",
                 "Published methods of other authors, run only where asked for (--method)",
                 Probes<Saavedra<l1_data>, Saavedra<read_only>, Saavedra<texture>, Wong<l1_data>, Wong<read_only>,
                        Wong<texture>, Groessler<l1_data>, Groessler<read_only>, Groessler<texture>, Mei,
                        MeiStages<l1_data>, MeiStages<read_only>, MeiStages<texture>, MeiL2, MeiTlb, Lemeire>)
