#include "running/export_output.hpp"

#include <algorithm>
#include <string_view>

namespace tomograph::host {
namespace {

constexpr std::size_t block_size = std::size_t{1} << 20;

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): a worker without memory ends
tomograph_status ExportOutput::write(void* context, const void* bytes, std::uint64_t count) noexcept {
  auto& output = *static_cast<ExportOutput*>(context);
  if (bytes == nullptr && count > 0) return TOMOGRAPH_INVALID;
  for (std::string_view left(static_cast<const char*>(bytes), count); !left.empty() && !output.is_broken_;) {
    const std::size_t part = std::min(left.size(), block_size - output.block_.size());
    output.block_ += left.substr(0, part);
    left.remove_prefix(part);
    if (output.block_.size() == block_size) output.flush();
  }
  return output.is_broken_ ? TOMOGRAPH_FAILED : TOMOGRAPH_OK;
}

void ExportOutput::flush() {
  if (block_.empty() || is_broken_) return;
  is_broken_ = !channel_->send_bytes(block_);
  block_.clear();
}

}  // namespace tomograph::host
