#include "tomograph_program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "catch.hpp"
#include "wait_until.hpp"

namespace fs = std::filesystem;

namespace {

constexpr int cannot_run = 127;

/// Standard output or error of the process becomes a file. Opened here, so that a file limit does not apply to it
/// before the program runs.
void redirect(const fs::path& file, int descriptor) {
  const int opened = ::open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  ::dup2(opened, descriptor);
  ::close(opened);
}

[[noreturn]] void become(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(argv.front(), argv.data());
  std::_Exit(cannot_run);
}

}  // namespace

Workspace::Workspace() {
  fs::create_directory(folder_);
  if (fs::exists(DESCRIBED_PLUGINS))
    fs::copy(DESCRIBED_PLUGINS, private_.path() / "cache", fs::copy_options::recursive);
}

std::string Workspace::text(const std::string& name) const { return content_of(path(name)); }

std::string Workspace::source(const std::string& name) { return content_of(fs::path(TOMOGRAPH_SOURCE_DIR) / name); }

void Workspace::write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }

std::vector<std::string> Workspace::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

template <typename Prepare>
pid_t Workspace::start(const std::vector<std::string>& arguments, Prepare prepare) const {
#ifdef TOMOGRAPH_ALONE
  std::vector<std::string> command{TOMOGRAPH_ALONE};
#else
  std::vector<std::string> command{TOMOGRAPH_BINARY};
#endif
  command.insert(command.end(), arguments.begin(), arguments.end());
  const pid_t process = ::fork();
  if (process != 0) return process;
  redirect(private_.path() / "out", STDOUT_FILENO);
  redirect(private_.path() / "err", STDERR_FILENO);
  ::unsetenv("TOMOGRAPH_PLUGIN_PATH");
  ::setenv("XDG_CACHE_HOME", (private_.path() / "cache").c_str(), 1);
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  if (::chdir(folder_.c_str()) != 0) std::_Exit(cannot_run);
  prepare();
  become(command);
}

Ended Workspace::wait_for(pid_t process) const {
  int status = 0;
  ::waitpid(process, &status, 0);
  const int exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {exit_code, content_of(private_.path() / "out"), content_of(private_.path() / "err")};
}

Ended Workspace::run(const std::vector<std::string>& arguments) const {
  return wait_for(start(arguments, [] {}));
}

Ended Workspace::run_on_full_disk(const std::vector<std::string>& arguments, std::uint64_t limit) const {
  return wait_for(start(arguments, [limit] {
    const rlimit file_size{limit, limit};
    ::setrlimit(RLIMIT_FSIZE, &file_size);
    ::signal(SIGXFSZ, SIG_IGN);
  }));
}

Ended Workspace::run_into_full(int stream, const std::vector<std::string>& arguments) const {
  if (!fs::exists("/dev/full")) skip_here("the machine has no /dev/full");
  return wait_for(start(arguments, [stream] { ::dup2(::open("/dev/full", O_WRONLY), stream); }));
}

Ended Workspace::run_without(int stream, const std::vector<std::string>& arguments) const {
  return wait_for(start(arguments, [stream] { ::close(stream); }));
}

Ended Workspace::run_on_read_only_folder(const std::vector<std::string>& arguments) const {
  // Permissions do not bind root, so root becomes somebody else, who may only look.
  constexpr uid_t nobody = 65534;
  fs::permissions(private_.path(), fs::perms{0755});
  fs::permissions(folder_, fs::perms{0555});
  const Ended ended = wait_for(start(arguments, [] {
    if (::geteuid() == 0 && ::setuid(nobody) != 0) std::_Exit(cannot_run);
  }));
  fs::permissions(folder_, fs::perms{0755});
  if (ended.exit_code == cannot_run) skip_here("another user cannot run the program from this folder");
  return ended;
}

Ended Workspace::run_below_careless_parent(const std::vector<std::string>& arguments) const {
  return wait_for(start(arguments, [] { ::signal(SIGCHLD, SIG_IGN); }));
}

Ended Workspace::run_and_signal(const std::vector<std::string>& arguments, const std::string& text, int signal) const {
  const pid_t process = start(arguments, [] {});
  const auto has_ended = [process] {
    siginfo_t end{};
    return ::waitid(P_PID, static_cast<id_t>(process), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid == process;
  };
  const auto has_said = [&] { return content_of(private_.path() / "err").find(text) != std::string::npos; };
  const bool in_time = wait_until([&] { return has_said() || has_ended(); });
  ::kill(process, in_time ? signal : SIGKILL);
  return wait_for(process);
}

std::vector<std::string> with_plugins(std::vector<std::string> arguments, const std::vector<std::string>& fixtures) {
  for (const std::string& fixture : fixtures) {
    arguments.insert(arguments.end(), {"--plugin-dir", TOMOGRAPH_FIXTURE_DIR "/" + fixture});
  }
  return arguments;
}

Json shown_topology(const Workspace& workspace, const std::string& file) {
  return Json::parse(workspace.run({"show", "--json", file}).out).at("topology");
}

Json fact(const Json& topology, const std::string& key) {
  std::string place = "/" + key;
  std::ranges::replace(place, '.', '/');
  const Json::json_pointer pointer(place);
  return topology.contains(pointer) ? topology.at(pointer) : Json();
}

namespace {

void forget_publisher(Json& table) {
  if (table.value("source", Json()) == "api") table.erase("probe");
  for (Json& member : table) {
    if (member.is_object()) forget_publisher(member);
  }
}

}  // namespace

Json value(const Json& topology, const std::string& key) {
  const Json record = fact(topology, key);
  return record.is_null() ? Json("absent") : record.at("value");
}

Json facts(const Json& topology) {
  Json facts = topology;
  for (const char* other : {"schema_version", "provenance", "outcomes", "probes"}) facts.erase(other);
  forget_publisher(facts);
  return facts;
}
