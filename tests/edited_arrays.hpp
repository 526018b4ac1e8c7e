#ifndef TOMOGRAPH_TESTS_EDITED_ARRAYS_HPP
#define TOMOGRAPH_TESTS_EDITED_ARRAYS_HPP

#include <string_view>

#include "tomograph/experiment.hpp"

namespace tomograph {

/// The arrays whose names `keep` holds for.
template <typename Keep>
Arrays only(const Arrays& arrays, Keep keep) {
  Arrays kept;
  for (const ArrayView& array : arrays) {
    if (keep(array.name())) kept.add(array);
  }
  return kept;
}

inline Arrays without(const Arrays& arrays, std::string_view name) {
  return only(arrays, [&](std::string_view other) { return other != name; });
}

/// The arrays with `array` in the place of the one of its name.
inline Arrays with(const Arrays& arrays, const ArrayView& array) {
  Arrays edited;
  for (const ArrayView& old : arrays) edited.add(old.name() == array.name() ? array : old);
  return edited;
}

}  // namespace tomograph

#endif
