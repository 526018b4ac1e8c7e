#include "loading/catalogue.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "loading/description_cache.hpp"
#include "loading/file_hash.hpp"
#include "loading/trust.hpp"
#include "temporary_folder.hpp"
#include "tomograph/documents/input_error.hpp"
#include "wait_until.hpp"

using namespace tomograph;
using namespace tomograph::host;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

fs::path variant(const std::string& name) { return fs::path(MISBEHAVING_DIR) / name / (name + ".so"); }

/// As files or folders that the command line names.
template <typename T>
std::vector<T> as(const std::vector<fs::path>& paths) {
  std::vector<T> named;
  for (const fs::path& path : paths) named.push_back({path});
  return named;
}

std::vector<fs::path> files_in(const std::vector<fs::path>& folders) {
  std::vector<fs::path> paths;
  for (const PluginFile& file : plugin_files(as<PluginFolder>(folders))) paths.push_back(file.path);
  return paths;
}

Catalogue describe(const std::vector<fs::path>& files, std::optional<fs::path> cache = std::nullopt,
                   double time_limit = patience) {
  return catalogue(as<PluginFile>(files), {TOMOGRAPH_BINARY, std::move(cache), time_limit});
}

/// Why the file is refused, while a right one beside it is not.
std::string refusal(const fs::path& file) {
  const Catalogue result = describe({file, variant("right")});
  REQUIRE(result.plugins.size() == 1);
  CHECK(result.plugins.front().id == "fine");
  REQUIRE(result.refused.size() == 1);
  CHECK(result.refused.front().path == file);
  return result.refused.front().reason;
}

std::string complaint(const std::vector<fs::path>& folders) {
  try {
    static_cast<void>(describe(files_in(folders)));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no complaint";
}

/// A copy of the right plugin with another machine in its ELF header (bytes 18 and 19).
fs::path for_other_architecture(const TemporaryFolder& folder) {
  fs::path file = folder / "other.so";
  fs::copy_file(variant("right"), file);
  std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
  stream.seekp(18);
  stream.write("\x15\x00", 2);
  return file;
}

}  // namespace

TEST_CASE("a right plugin is described with all that it declares") {
  const Catalogue result = describe({variant("right")});
  REQUIRE(result.plugins.size() == 1);
  const PluginDescription& plugin = result.plugins.front();
  CHECK(plugin.id == "fine");
  CHECK(plugin.version == "1.2.3");
  CHECK(plugin.sha256 == sha256_of_file(variant("right")));
  REQUIRE(plugin.probes.size() == 1);
  CHECK(plugin.probes.front().id == "fine/probe");
  CHECK(plugin.probes.front().provides.front().key == "fine.fact");
  CHECK(plugin.probes.front().parameters.front().default_value == 5);
}

TEST_CASE("a library that breaks a rule of the boundary is refused, and the rule named") {
  const std::vector<std::pair<std::string, std::string>> expected{
      {"major", "built for plugin ABI 99.3, this program has 1.3"},
      {"minor", "built for plugin ABI 1.7, this program has 1.3"},
      {"magic", "magic number"},
      {"truncated", "its entry claims 112 bytes and has 16"},
      {"lying-entry", "its entry claims 176 bytes and has 112"},
      {"short-probe", "probes[0]: has struct_size 8, expected at least 80"},
      {"huge-probe", "probes[0]: has struct_size 1000000, expected at most 4096"},
      {"no-symbol", "does not export the symbol tomograph_plugin_entry"},
      {"utf8", "is not UTF-8"},
      {"null", "question: is null"},
      {"statement", "question mark"},
      {"unit", R"("KB", expected one of "B")"},
      {"key", "\"Fine.Fact\", expected a lower-case path"},
      {"reserved-key", "\"value\" is a name that the topology file uses itself"},
      {"default", "is no JSON integer"},
      {"range", "the default 11 outside its range"},
      {"prefix", R"("other/probe", expected "fine/<name>")"},
      {"count", "4000000000 elements"},
      {"budget", "no positive time budget"},
      {"twice", "declares fine.fact a second time"},
      {"foreign-experiment", R"("tomograph.chase/1", expected an id that starts with that of the plugin, "fine")"},
      {"nameless-experiment", R"("fine.echo", expected a lower-case name and a number, such as "fine.name/1")"},
      {"idle-executor", "executors[0] (fine.echo.x/1): lacks one of its three functions"},
      {"method", R"("Wong 2010", expected lower-case letters and digits)"}};
  for (const auto& [name, reason] : expected) {
    INFO(name);
    CHECK_THAT(refusal(variant(name)), ContainsSubstring(reason));
  }
}

TEST_CASE("a plugin from before a field was appended to a descriptor loads without it") {
  const Catalogue result = describe({variant("older")});
  REQUIRE(result.plugins.size() == 1);
  CHECK(result.plugins.front().probes.front().method.empty());
  CHECK(result.plugins.front().probes.front().uses_links == LinkUse::none);
  CHECK_FALSE(result.plugins.front().probes.front().shares_device);
  CHECK(describe({variant("before-executors")}).plugins.at(0).executors.empty());
}

TEST_CASE("a plugin is described with the executors that it brings") {
  const Catalogue result = describe({variant("executor")});
  REQUIRE(result.plugins.size() == 1);
  REQUIRE(result.plugins.front().executors.size() == 1);
  CHECK(result.plugins.front().executors.front().experiment == "fine.echo.x/1");
  const std::map<std::string, std::string> served{{"fine.echo.x/1", variant("executor").string()}};
  CHECK(executors_for("gadget", result.plugins) == served);
  CHECK(executors_for("cuda", result.plugins).empty());
}

TEST_CASE("a library that crashes on loading is refused and disturbs no other") {
  CHECK_THAT(refusal(variant("crash")), ContainsSubstring("SIGABRT"));
}

TEST_CASE("a library that hangs on loading is refused and disturbs no other") {
  Catalogue result;
  // The limit holds for the right library too, which a busy machine may keep for longer.
  for (double limit = 0.3; result.plugins.empty() && limit < patience; limit *= 4) {
    result = describe({variant("hang"), variant("right")}, std::nullopt, limit);
    REQUIRE_FALSE(result.refused.empty());
    CHECK(result.refused.front().path == variant("hang"));
    CHECK_THAT(result.refused.front().reason, ContainsSubstring("longer than"));
  }
  REQUIRE(result.plugins.size() == 1);
  CHECK(result.plugins.front().id == "fine");
}

TEST_CASE("a library that prints on loading is described all the same") {
  CHECK(describe({variant("prints")}).plugins.size() == 1);
}

TEST_CASE("what is no library, or one for another machine, is refused before any of its code runs") {
  const TemporaryFolder folder;
  CHECK_THAT(refusal(folder.write("text.so", "hello")), ContainsSubstring("not a shared library"));
  CHECK_THAT(refusal(folder.write("empty.so", "")), ContainsSubstring("not a shared library"));
  CHECK_THAT(refusal(for_other_architecture(folder)), ContainsSubstring("another architecture"));
}

TEST_CASE("a library that others can write is refused with the cure") {
  const TemporaryFolder folder;
  const fs::path file = folder / "open.so";
  fs::copy_file(variant("right"), file);
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  CHECK_THAT(refusal(file), ContainsSubstring("can be written by others") && ContainsSubstring("chmod go-w"));
}

TEST_CASE("a folder that others can write is an error with the cure") {
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms::others_write, fs::perm_options::add);
  CHECK_THAT(complaint({folder.path()}), ContainsSubstring("chmod go-w"));
  CHECK_THAT(complaint({folder / "missing"}), ContainsSubstring("no such plugin folder"));
}

TEST_CASE("who claims a name that another plugin has is refused, both files are named, the first one stays") {
  const auto check_conflict = [](const std::vector<fs::path>& files, const std::string& name,
                                 const fs::path& installation = {}) {
    const Catalogue result = catalogue(as<PluginFile>(files), {TOMOGRAPH_BINARY, std::nullopt, patience, installation});
    const bool is_installed = files.back().parent_path() == installation;
    const fs::path& first = is_installed ? files.back() : files.front();
    const fs::path& second = is_installed ? files.front() : files.back();
    REQUIRE(result.plugins.size() == 1);
    CHECK(result.plugins.front().path == first);
    REQUIRE(result.refused.size() == 1);
    CHECK(result.refused.front().path == second);
    CHECK_THAT(result.refused.front().reason,
               ContainsSubstring("the " + name + " is also in " + first.string()) && ContainsSubstring("remove"));
  };
  check_conflict({variant("right"), variant("prints")}, "plugin id fine");
  check_conflict({variant("prints"), variant("right")}, "plugin id fine");
  check_conflict({variant("prints"), variant("right")}, "plugin id fine", variant("right").parent_path());
  check_conflict({variant("device"), variant("device-again")}, "device gadget");
  check_conflict({variant("executor"), variant("executor-again")}, "executor of fine.echo.x/1 on gadget");
}

TEST_CASE("an earlier folder's file replaces one of the same name, and an equal copy is loaded once") {
  const TemporaryFolder first;
  const TemporaryFolder second;
  fs::copy_file(variant("right"), first / "x.so");
  fs::copy_file(variant("prints"), second / "x.so");
  fs::copy_file(variant("right"), second / "copy.so");
  const std::vector<fs::path> folders{first.path(), second.path()};
  const Catalogue result = describe(files_in(folders));
  REQUIRE(result.plugins.size() == 1);
  CHECK(result.plugins.front().path == fs::canonical(first / "x.so"));
}

TEST_CASE("a folder that another could be put in the place of is refused, unless the program lies there too") {
  const TemporaryFolder folder;
  const fs::path open = folder / "open";
  const fs::path plugins = open / "plugins";
  fs::create_directories(plugins);
  fs::permissions(plugins, fs::perms{0755});
  fs::permissions(open, fs::perms{0777});
  CHECK_THAT(complaint({plugins}),
             ContainsSubstring("open can be written by others") && ContainsSubstring("--allow-plugin-dir"));
  CHECK(distrust_way_to(fs::canonical(plugins), fs::canonical(plugins) / "bin/tomograph") == std::nullopt);
  fs::permissions(open, fs::perms{0755});
  CHECK(complaint({plugins}) == "no complaint");
}

TEST_CASE("a folder that the user vouches for is searched whoever can write there") {
  const TemporaryFolder folder;
  fs::copy_file(variant("right"), folder / "right.so");
  fs::permissions(folder.path(), fs::perms{0777});
  const std::vector<PluginFolder> folders{{folder.path(), true}};
  const Catalogue result = catalogue(plugin_files(folders), {TOMOGRAPH_BINARY, std::nullopt, patience});
  CHECK(result.plugins.size() == 1);
}

TEST_CASE("the environment names folders by absolute path only") {
  ::setenv("TOMOGRAPH_PLUGIN_PATH", "/one::relative:.:/two", 1);
  CHECK(environment_plugin_dirs() == std::vector<fs::path>{"/one", "/two"});
  ::unsetenv("TOMOGRAPH_PLUGIN_PATH");
  CHECK(environment_plugin_dirs().empty());
}

TEST_CASE("a description is cached by content and found again wherever the file lies") {
  const TemporaryFolder folder;
  const fs::path cache = folder / "cache/descriptions";
  REQUIRE(describe({variant("right")}, cache).plugins.size() == 1);
  const std::string hash = sha256_of_file(variant("right"));
  REQUIRE(fs::exists(cache / (hash + ".json")));
  // A worker that cannot be started proves that none was needed.
  const fs::path moved = folder / "moved.so";
  fs::copy_file(variant("right"), moved);
  const Catalogue cached = catalogue(as<PluginFile>({moved}), {"/no/such/program", cache, patience});
  REQUIRE(cached.plugins.size() == 1);
  CHECK(cached.plugins.front().path == moved);
  CHECK(cached.plugins.front().probes.size() == 1);
}

TEST_CASE("a broken cache is ignored and replaced") {
  const TemporaryFolder folder;
  const std::string hash = sha256_of_file(variant("right"));
  folder.write(hash + ".json", "{\"made_by\": ");
  CHECK(describe({variant("right")}, folder.path()).plugins.size() == 1);
  CHECK(DescriptionCache(folder.path()).find(hash));
}
