// Parts of subscripts: basic indices, and arrays as indices. Internal to the reader.
#pragma once

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// An index as NumPy reads it: a range for each axis of the array, then steps on axes of what the
/// ranges leave, and the shape with None's axes in.
struct BasicIndex {
  std::vector<Range> ranges;
  std::vector<std::pair<int, Steps>> steps;
  Dims shape;             ///< of the result
  bool new_axes = false;  ///< shape has axes that None made
  bool ellipsis = false;
};

/// A place on an axis of this extent that some iterations have outside of it, or count from its
/// end.
struct EdgeOfAxis {
  Affine at;
  Index extent = 0;
};

/// Such a place is not supported in one loop.
class OverEdge : public cudamat::CUDAMatException {
 public:
  OverEdge(EdgeOfAxis edge, const std::string& message)
      : cudamat::CUDAMatException("index", message),
        edge_(std::make_shared<const EdgeOfAxis>(std::move(edge))) {}
  [[nodiscard]] const EdgeOfAxis& edge() const { return *edge_; }

 private:
  std::shared_ptr<const EdgeOfAxis> edge_;  // shared: copying an exception must not throw
};

/// Reads an index of ints, slices, None and `...` on an array of this shape. Throws where NumPy
/// raises.
BasicIndex basic_index(const Dims& dims, const std::vector<Value>& index);

/// The position of an index on an axis. Throws if it is out of bounds in an iteration.
Range index_position(const Value& index, Index extent, int axis);

/// The part of the array that the index names; the array itself where that is all of it.
ObjectPtr view(const ObjectPtr& object, const BasicIndex& index);

/// Whether the ranges are all of the array.
bool whole(const std::vector<Range>& ranges, const Dims& dims);

/// Raises an error for what is not among `size` items of a list or tuple.
void check_item(Index at, Index size, std::string_view kind);

/// x[index...] and x[index...] = value, where arrays are among the indices; masks are static.
Value array_subscript(const ObjectPtr& array, const std::vector<Value>& index);

void assign_array_subscript(const ObjectPtr& array, const std::vector<Value>& index,
                            const Value& value);

/// Whether an array is among the indices.
bool has_arrays(const std::vector<Value>& index);

}  // namespace rewriter
