#include "tomograph/fact.hpp"

template class nlohmann::basic_json<>;
