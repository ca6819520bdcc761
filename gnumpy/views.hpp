// Parts of arrays: views, which are written to, and values. Internal to gnumpy.
#pragma once

#include <vector>

#include "gnumpy/index.hpp"
#include "gnumpy/node.hpp"

namespace gnumpy::detail {

/// What a garray made of a view holds.
NodePtr value_of(const NodePtr& view);

/// Into the elements that a view, a Leaf or a Part, shows: the value is broadcast to its shape.
void write(const NodePtr& view, NodePtr value);

}  // namespace gnumpy::detail
