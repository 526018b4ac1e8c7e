#include "process/worker_output.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

namespace tomograph::host {
namespace {

constexpr std::size_t longest_line = 4096;  // as long as the lines that plugins may log

}  // namespace

bool WorkerOutput::read() {
  if (pipe_.get() < 0) return false;
  std::array<char, 65536> block{};
  const ssize_t size = ::read(pipe_.get(), block.data(), block.size());
  if (size > 0) add({block.data(), static_cast<std::size_t>(size)});
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) pipe_.reset();
  return size > 0;
}

void WorkerOutput::flush() {
  constexpr int most_blocks = 16;  // 1 MiB, since a process that the plugin started may never stop writing
  for (int i = 0; i < most_blocks && read(); ++i) {
  }
  if (!line_.empty()) end_line();
}

void WorkerOutput::add(std::string_view text) {
  for (const char c : text) {
    if (c == '\n' || line_.size() >= longest_line) end_line();
    if (c != '\n') line_ += c;
  }
}

void WorkerOutput::end_line() {
  if (take_line_) take_line_(line_);
  line_.clear();
}

}  // namespace tomograph::host
