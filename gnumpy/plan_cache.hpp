// The plans of a program's expressions, each made once. Internal to gnumpy.
#pragma once

#include <memory>
#include <string_view>

#include "gnumpy/plan.hpp"
#include "gnumpy/structural_key.hpp"

namespace gnumpy::detail {

/// The plan of the expression of which the key is, with its numbers; for the holder of a Lock, up
/// to its next call.
std::shared_ptr<const Plan> plan_of(const NodePtr& root, const StructuralKey& key, bool in_place);

/// A new plan.
Plan make_plan(const StructuralKey& key);

}  // namespace gnumpy::detail
