// Which elements a subscript picks, axis by axis. Internal to gnumpy.
#pragma once

#include <string>
#include <vector>

#include "gnumpy/index.hpp"
#include "gnumpy/node.hpp"

namespace gnumpy::detail {

struct Selection {
  /// `count` elements of an axis, from `start` on, `stride` apart; or those with the numbers
  /// `indices`.
  struct Step {
    std::size_t axis = 0;
    Index start = 0;
    Index count = 0;
    bool by_number = false;
    std::vector<Index> indices{};
    Index stride = 1;
    NodePtr places{};  ///< the numbers in the engine's memory, where `indices` is empty

    /// Whether it is a part of the same memory, without gaps.
    [[nodiscard]] bool is_range_of_first() const { return !by_number && axis == 0 && stride == 1; }
  };

  Dims from;                ///< as the steps see it: the array's, axes indexed together as one
  std::vector<Step> steps;  ///< each on what the one before left; a range of axis 0 comes first
  Dims dims;                ///< of the result

  /// Whether it is a range of the first axis and no more: the result shares the array's memory.
  [[nodiscard]] bool is_view() const {
    return steps.empty() || (steps.size() == 1 && steps[0].is_range_of_first());
  }
  /// Of a view: its first element, counted from the array's.
  [[nodiscard]] Index first() const;
};

/// The numbers, in C order, of the elements that are not 0: a 1-D Leaf. Waits. The leaf has no more
/// elements than the engine's type has whole numbers.
NodePtr places_of(const Node& leaf, const std::source_location& where);
/// Whether masks find them so: where elements are not the host's to read.
bool finds_places(Index size);
/// The same numbers on the host.
std::vector<Index> numbers_in(const Node& places);

/// NumPy's meaning of the subscripts; throws its IndexError as CUDAMatException.
Selection select(const Dims& dims, const std::vector<Subscript>& subscripts,
                 const std::source_location& where);

/// The elements, in memory of their own.
NodePtr read(const Node& leaf, const Selection& selection, std::source_location where);

/// The statements of read().
std::string explain(const Selection& selection);

/// Puts `value`, a Leaf with selection.dims, there.
void write(const Node& leaf, const Selection& selection, const Node& value,
           const std::source_location& where);

}  // namespace gnumpy::detail
