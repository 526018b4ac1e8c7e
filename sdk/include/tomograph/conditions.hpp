#ifndef TOMOGRAPH_CONDITIONS_HPP
#define TOMOGRAPH_CONDITIONS_HPP

#include "tomograph/abi/conditions.h"
#include "tomograph/abi/host.h"

namespace tomograph {

/// Lets the host read the conditions of a device, if it wants to know. To be called in the constructor of the device.
/// `source` has `void read(tomograph_reading&) noexcept`, which runs on a thread of the host, beside everything else
/// that the device does. It must live at the same address as long as the device. See abi/conditions.h.
template <typename Source>
void offer_conditions(const tomograph_host& host, Source& source) {
  const void* extension = host.extension(host.context, TOMOGRAPH_CONDITIONS_ID);
  if (extension == nullptr) return;
  const auto read = [](void* device, tomograph_reading* reading) { static_cast<Source*>(device)->read(*reading); };
  static_cast<const tomograph_conditions*>(extension)->watch(host.context, read, &source);
}

}  // namespace tomograph

#endif
