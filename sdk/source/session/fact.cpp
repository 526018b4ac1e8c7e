#include "tomograph/session/fact.hpp"

template class nlohmann::basic_json<>;
