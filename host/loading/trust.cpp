#include "loading/trust.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

namespace tomograph::host {
namespace {

/// Whether the owner is the only member of the group. Some systems give each user a private group and a umask of 002;
/// then the group may write. Debian's OpenSSH has the same rule.
bool is_private_group(gid_t group, uid_t owner) {
  std::array<char, 16384> group_text{};
  std::array<char, 16384> owner_text{};
  struct group group_entry {};
  passwd owner_entry{};
  struct group* found_group = nullptr;
  passwd* found_owner = nullptr;
  ::getgrgid_r(group, &group_entry, group_text.data(), group_text.size(), &found_group);
  ::getpwuid_r(owner, &owner_entry, owner_text.data(), owner_text.size(), &found_owner);
  if (found_group == nullptr || found_owner == nullptr) return false;
  const std::string_view name = owner_entry.pw_name;
  if (owner_entry.pw_gid != group || name != group_entry.gr_name) return false;
  for (char** member = group_entry.gr_mem; *member != nullptr; ++member) {
    if (name != *member) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> distrust(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::generic_category().message(errno);
  const std::string name = path.string();
  const bool by_group = (status.st_mode & S_IWGRP) != 0 && !is_private_group(status.st_gid, status.st_uid);
  if (by_group || (status.st_mode & S_IWOTH) != 0) {
    return name + " can be written by others than its owner; run: chmod go-w '" + name + "'";
  }
  if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
    return name + " belongs to another user (uid " + std::to_string(status.st_uid) +
           "); make a copy of your own, or as root run: chown root '" + name + "'";
  }
  return std::nullopt;
}

std::optional<std::string> distrust_way_to(const std::filesystem::path& folder, const std::filesystem::path& program) {
  for (std::filesystem::path above = folder.parent_path(); above != above.parent_path(); above = above.parent_path()) {
    const auto shared = std::mismatch(above.begin(), above.end(), program.begin(), program.end());
    if (shared.first == above.end()) return std::nullopt;
    struct stat status {};
    if (::stat(above.c_str(), &status) != 0) return std::generic_category().message(errno);
    if ((status.st_mode & S_ISVTX) != 0) continue;  // as in /tmp, where nobody can move the files of others
    if (auto reason = distrust(above)) return reason;
  }
  return std::nullopt;
}

bool has_borrowed_rights() { return ::getauxval(AT_SECURE) != 0; }

}  // namespace tomograph::host
