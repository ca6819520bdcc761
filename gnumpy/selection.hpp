// The elements that a subscript selects, axis by axis. Internal to gnumpy.
#pragma once

#include <string>
#include <vector>

#include "gnumpy/index.hpp"
#include "gnumpy/node.hpp"

namespace gnumpy::detail {

struct Selection {
  /// `count` elements of an axis, beginning with `start`, `stride` apart; or the elements at
  /// `indices`.
  struct Step {
    std::size_t axis = 0;
    Index start = 0;
    Index count = 0;
    bool by_number = false;
    std::vector<Index> indices{};
    Index stride = 1;
    NodePtr places{};  ///< the indices in the engine's memory, if `indices` is empty

    /// Whether the result is a contiguous part of the same memory.
    [[nodiscard]] bool is_range_of_first() const { return !by_number && axis == 0 && stride == 1; }
  };

  Dims from;                ///< of the array, with axes that are indexed together as one
  std::vector<Step> steps;  ///< each on the result of the previous one; a range of axis 0 first
  Dims dims;                ///< of the result

  /// Whether it is only a range of the first axis, so that the result shares the array's memory.
  [[nodiscard]] bool is_view() const {
    return steps.empty() || (steps.size() == 1 && steps[0].is_range_of_first());
  }
  /// The offset of a view's first element in the array.
  [[nodiscard]] Index first() const;
};

/// The indices, in C order, of the elements that are not 0: a 1-D Leaf. Waits. The leaf has at most
/// as many elements as the engine's type has exact integers.
NodePtr places_of(const Node& leaf, const std::source_location& where);
/// Whether masks use places_of(): if the host cannot read the elements.
bool finds_places(Index size);
/// The same indices on the host.
std::vector<Index> numbers_in(const Node& places);

/// The selection of the subscripts, as in NumPy; its IndexError is a CUDAMatException.
Selection select(const Dims& dims, const std::vector<Subscript>& subscripts,
                 const std::source_location& where);

/// A copy of the elements.
NodePtr read(const Node& leaf, const Selection& selection, std::source_location where);

/// The statements of read().
std::string explain(const Selection& selection);

/// Writes `value`, a Leaf with selection.dims, to the elements.
void write(const Node& leaf, const Selection& selection, const Node& value,
           const std::source_location& where);

}  // namespace gnumpy::detail
