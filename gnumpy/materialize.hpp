// Evaluates the expressions of garrays. Internal to gnumpy.
//
// An expression is lowered to statements the first time that its structural key is seen
// (operations, shapes, which leaves are the same and which may be overwritten; numbers by their
// order). The resulting plan is kept and used for all later expressions with this key.
#pragma once

#include <source_location>
#include <string>

#include "gnumpy/node.hpp"

namespace gnumpy::detail {

/// Makes the node a Leaf. A Leaf that nobody but the expression refers to gives its memory to the
/// result where it can; so does `spare`, memory that is not wanted any more. Nothing is changed if
/// memory cannot be had.
void materialize(const NodePtr& node, const StoragePtr& spare = nullptr);

/// Computes the node into the leaf's memory, without materializing it, and says so; false where
/// that cannot be: the node is computed already, reads that memory, or has another shape. The node
/// must not be used any more then.
bool materialize_into(const NodePtr& node, const Node& leaf);

/// Copies the elements from `offset` on to a leaf that does not overlap them.
void assign(const Node& leaf, const StoragePtr& from, Index offset,
            const std::source_location& where);

/// Whether two leaves share elements.
bool overlaps(const Node& a, const Node& b);

/// Computes the node, an Expression of its first leaf's shape, into that leaf's memory.
void materialize_in_place(const NodePtr& node);

/// A Leaf with the value of what a garray or a view holds: it may be the one that a copy, not made
/// yet, is of.
NodePtr leaf_of(const NodePtr& held);
/// What is still to be copied of the node, for a garray or a view to hold.
NodePtr snapshot_of(const NodePtr& node);
/// A Leaf of its own memory with the node's value.
NodePtr copy_of(const NodePtr& node);

/// A leaf's memory got elements of this content, besides others or instead of them.
void note_written(const Node& leaf, Content content);

/// The statements that materialize() would run.
std::string explain(const Node& node);

}  // namespace gnumpy::detail
