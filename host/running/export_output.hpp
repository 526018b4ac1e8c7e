#ifndef TOMOGRAPH_HOST_RUNNING_EXPORT_OUTPUT_HPP
#define TOMOGRAPH_HOST_RUNNING_EXPORT_OUTPUT_HPP

#include <string>

#include "process/channel.hpp"
#include "tomograph/abi/exporter.h"

namespace tomograph::host {

/// Sends what an exporter writes to the host, in blocks.
class ExportOutput {
 public:
  /// `channel` must outlive the output.
  explicit ExportOutput(Channel& channel) : channel_(&channel), sink_{sizeof sink_, this, &write} {}
  ExportOutput(const ExportOutput&) = delete;
  ExportOutput& operator=(const ExportOutput&) = delete;

  [[nodiscard]] const tomograph_byte_sink* sink() const { return &sink_; }
  /// Sends the last block. To be called when the exporter has returned.
  void flush();

 private:
  static tomograph_status write(void* context, const void* bytes, std::uint64_t count) noexcept;

  Channel* channel_;
  tomograph_byte_sink sink_;
  std::string block_;
  bool is_broken_ = false;  ///< the host does not read any more
};

}  // namespace tomograph::host

#endif
