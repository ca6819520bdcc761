// The plans of a program's expressions, each made once. Internal to gnumpy.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gnumpy/form.hpp"
#include "gnumpy/plan.hpp"

namespace gnumpy::detail {

/// The plan of an expression, with its numbers; for the holder of a Lock, up to its next call.
std::shared_ptr<const Plan> plan_of(const NodePtr& root, const Form& form, bool in_place);

/// A plan that is made anew.
Plan new_plan(const Node& root, const Form& form, bool in_place);

}  // namespace gnumpy::detail
