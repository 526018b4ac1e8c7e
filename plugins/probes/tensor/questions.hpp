#ifndef TOMOGRAPH_TENSOR_QUESTIONS_HPP
#define TOMOGRAPH_TENSOR_QUESTIONS_HPP

#include <string>

#include "forms.hpp"
#include "tomograph/session.hpp"

namespace tomograph::tensor {

/// How fast does an SM multiply matrices of one type? Publishes the facts that begin with `prefix`, "tensor.fp16.".
void find_products(const Session& session, Type type, const std::string& prefix);

/// The same by instructions of warpgroups; "tensor.fp16.warpgroup.".
void find_warpgroup_products(const Session& session, Type type, const std::string& prefix);

}  // namespace tomograph::tensor

#endif
