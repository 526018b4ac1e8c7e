#include "tomograph/plugin.hpp"

#include <exception>

namespace tomograph::detail {

tomograph_status guarded(const tomograph_host& host, void (*body)(void*), void* argument) noexcept {
  try {
    body(argument);
    return TOMOGRAPH_OK;
  } catch (const Skip& skip) {
    host.skip(host.context, skip.category.c_str(), skip.what());
    return TOMOGRAPH_SKIPPED;
  } catch (const DeviceLost& lost) {
    host.error(host.context, lost.what());
    return TOMOGRAPH_DEVICE_LOST;
  } catch (const Disturbed& disturbed) {
    host.error(host.context, disturbed.what());
    return TOMOGRAPH_DISTURBED;
  } catch (const Refused& refused) {
    host.error(host.context, refused.what());
    return refused.status;
  } catch (const std::exception& error) {
    host.error(host.context, error.what());
    return TOMOGRAPH_FAILED;
  } catch (...) {
    host.error(host.context, "an exception that is not a std::exception");
    return TOMOGRAPH_FAILED;
  }
}

void deliver(const std::vector<Answer>& answers, const tomograph_result_sink& sink) {
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Answer& answer = answers[i];
    if (answer.status != TOMOGRAPH_OK) {
      sink.refuse(sink.context, i, answer.status, answer.reason.c_str());
      continue;
    }
    for (const ArrayView& array : answer.arrays) sink.array(sink.context, i, &array.crossing());
  }
}

}  // namespace tomograph::detail
