#include "loading/trust.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace tomograph::host {

std::optional<std::string> distrust(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::generic_category().message(errno);
  const std::string name = path.string();
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return name + " can be written by others than its owner; run: chmod go-w '" + name + "'";
  }
  if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
    return name + " belongs to another user (uid " + std::to_string(status.st_uid) +
           "); make a copy of your own, or as root run: chown root '" + name + "'";
  }
  return std::nullopt;
}

}  // namespace tomograph::host
