#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

namespace fs = std::filesystem;

std::string output_of(const std::string& command) {
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::string output;
  std::array<char, 4096> part{};
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe)) output.append(part.data(), size);
  ::pclose(pipe);
  return output;
}

}  // namespace

TEST_CASE("what is loaded from where stands in the topology, with hashes") {
  const Workspace workspace;
  REQUIRE(workspace.run(with_plugins({"run", "--device", "toy:0", "--only", "toy/alpha"}, {"toy"})).exit_code == 0);
  const Json plugin = shown_topology(workspace, "topology.toml").at("provenance").at("plugins").at(0);
  CHECK(plugin.at("path") == fs::canonical(TOMOGRAPH_FIXTURE_DIR "/toy/toy.so").string());
  CHECK(plugin.at("sha256").get<std::string>().size() == 64);
}

TEST_CASE("a folder that others can write is searched only if the user allows it by name") {
  const Workspace workspace;
  fs::create_directory(workspace.path("plugins"));
  fs::copy_file(TOMOGRAPH_FIXTURE_DIR "/toy/toy.so", workspace.path("plugins/toy.so"));
  fs::permissions(workspace.path("plugins"), fs::perms{0777});
  CHECK(workspace.run({"list", "--plugin-dir", "plugins"}).exit_code == 2);
  const Ended allowed = workspace.run({"list", "--allow-plugin-dir", "plugins"});
  CHECK(allowed.exit_code == 0);
  CHECK_THAT(allowed.out, ContainsSubstring("toy/alpha"));
}

TEST_CASE("no variable of the environment brings in a folder that others can write") {
  const Workspace workspace;
  fs::create_directory(workspace.path("plugins"));
  fs::copy_file(TOMOGRAPH_FIXTURE_DIR "/toy/toy.so", workspace.path("plugins/toy.so"));
  const std::string list =
      "TOMOGRAPH_PLUGIN_PATH=" + workspace.path("plugins").string() + " " + TOMOGRAPH_BINARY + " list";
  fs::permissions(workspace.path("plugins"), fs::perms{0755});
  CHECK_THAT(output_of(list), ContainsSubstring("toy/alpha"));
  fs::permissions(workspace.path("plugins"), fs::perms{0777});
  const std::string refused = output_of(list);
  CHECK_THAT(refused, ContainsSubstring("refused plugin folder") && ContainsSubstring("chmod go-w"));
  CHECK(refused.find("toy/alpha") == std::string::npos);
}

TEST_CASE("a set-uid program takes no plugin from where its caller says") {
  if (::geteuid() != 0) skip_here("only root can make a program set-uid to somebody else");
  const Workspace workspace;
  const fs::path program = workspace.path("tomograph");
  fs::copy_file(TOMOGRAPH_BINARY, program);
  const std::string list = "TOMOGRAPH_PLUGIN_PATH=" TOMOGRAPH_FIXTURE_DIR "/toy CUDA_VISIBLE_DEVICES= XDG_CACHE_HOME=" +
                           workspace.path("cache").string() + " " + program.string() + " list";
  REQUIRE_THAT(output_of(list), ContainsSubstring("toy/alpha"));
  constexpr uid_t nobody = 65534;
  REQUIRE(::chown(program.c_str(), nobody, static_cast<gid_t>(-1)) == 0);
  REQUIRE(::chmod(program.c_str(), 04755) == 0);
  const std::string refused = output_of(list + " --plugin-dir " TOMOGRAPH_FIXTURE_DIR "/toy");
  if (refused.find("toy/alpha") != std::string::npos) skip_here("set-uid programs have no effect in this folder");
  CHECK_THAT(refused, ContainsSubstring("loads installed plugins only"));
  CHECK(output_of(list).find("toy/alpha") == std::string::npos);
}
