#include "gnumpy/selection.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "gnumpy/errors.hpp"
#include "gnumpy/materialize.hpp"
#include "gnumpy/trace.hpp"

namespace gnumpy::detail {

namespace {

Index product(const Dims& dims, std::size_t first, std::size_t last) {
  Index size = 1;
  for (std::size_t i = first; i < last; ++i) size *= dims[i];
  return size;
}

/// Builds a Selection from left to right.
class Selector {
 public:
  Selector(const Dims& dims, const std::vector<Subscript>& subscripts,
           const std::source_location& where)
      : dims_(dims), subscripts_(subscripts), where_(where) {}

  Selection select() {
    std::size_t axes = 0;
    bool has_ellipsis = false;
    for (const Subscript& subscript : subscripts_) {
      if (std::holds_alternative<std::monostate>(subscript.held)) continue;
      if (std::holds_alternative<Ellipsis>(subscript.held)) {
        if (has_ellipsis) fail("an index can only have a single ellipsis (...)");
        has_ellipsis = true;
      } else if (!std::holds_alternative<Newaxis>(subscript.held)) {
        axes += axes_of(subscript);
      }
    }
    if (axes > dims_.size())
      fail(fmt::format("too many indices for array: array is {}-dimensional, but {} were indexed",
                       dims_.size(), axes));
    for (const Subscript& subscript : subscripts_) {
      if (std::holds_alternative<std::monostate>(subscript.held)) continue;
      if (std::holds_alternative<Ellipsis>(subscript.held))
        while (axis_ + axes < dims_.size()) whole();
      else if (std::holds_alternative<Newaxis>(subscript.held))
        result_.dims.push_back(1);
      else
        axes -= axes_of(subscript), take(subscript);
    }
    while (axis_ < dims_.size()) whole();
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { misuse("getitem", where_, what); }

  /// How many axes of the array it is for.
  static std::size_t axes_of(const Subscript& subscript) {
    const auto* const mask = std::get_if<Mask>(&subscript.held);
    return mask == nullptr ? 1 : mask->dims.size();
  }

  /// Whether other subscripts come between numbers and index arrays, which NumPy counts together.
  [[nodiscard]] bool stand_apart() const {
    const auto picks = [](const Subscript& subscript) {
      return std::holds_alternative<Index>(subscript.held) ||
             std::holds_alternative<std::vector<Index>>(subscript.held) ||
             std::holds_alternative<Mask>(subscript.held);
    };
    const auto first = std::find_if(subscripts_.begin(), subscripts_.end(), picks);
    const auto last = std::find_if(subscripts_.rbegin(), subscripts_.rend(), picks).base();
    return first < last && !std::all_of(first, last, picks);
  }

  void whole() {
    result_.from.push_back(dims_[axis_]);
    result_.dims.push_back(dims_[axis_]);
    ++axis_;
  }

  Index position(Index index, Index extent) const {
    if (index < -extent || index >= extent)
      fail(fmt::format("index {} is out of bounds for axis {} with size {}", index, axis_, extent));
    return index < 0 ? index + extent : index;
  }

  void take(const Subscript& subscript) {
    if (const auto* mask = std::get_if<Mask>(&subscript.held)) return by_mask(*mask);
    const Index extent = dims_[axis_];
    if (const auto* indices = std::get_if<std::vector<Index>>(&subscript.held)) {
      std::vector<Index> positions;
      for (const Index index : *indices) positions.push_back(position(index, extent));
      return by_number(std::move(positions), extent, 1);
    }
    const std::size_t at = result_.from.size();
    if (const auto* index = std::get_if<Index>(&subscript.held)) {
      result_.from.push_back(extent);
      result_.steps.push_back({at, position(*index, extent), 1});
      ++axis_;
      return;
    }
    const auto& range = std::get<slice>(subscript.held);
    const Index step = range.step.value_or(1);
    if (step == 0) fail("slice step cannot be zero");
    const Index low = step > 0 ? 0 : -1;
    const Index high = step > 0 ? extent : extent - 1;
    const auto bound = [&](std::optional<Index> asked, Index otherwise) {
      if (!asked) return otherwise;
      return std::clamp(*asked < 0 ? *asked + extent : *asked, low, high);
    };
    const Index start = bound(range.start, step > 0 ? low : high);
    const Index stop = bound(range.stop, step > 0 ? high : low);
    const Index distance = step > 0 ? stop - start : start - stop;
    const std::uint64_t stride = step > 0 ? static_cast<std::uint64_t>(step)
                                          : std::uint64_t{0} - static_cast<std::uint64_t>(step);
    const Index count =
        distance <= 0 ? 0
                      : static_cast<Index>(static_cast<std::uint64_t>(distance - 1) / stride) + 1;
    result_.from.push_back(extent);
    result_.dims.push_back(count);
    ++axis_;
    if (step == 1 && start == 0 && count == extent) return;
    result_.steps.push_back({at, start, count, false, {}, step});
  }

  // The axes of the mask are one, of as many elements. Without elements it fits any, as in NumPy.
  void by_mask(const Mask& mask) {
    Index extent = 1;
    for (std::size_t k = 0; k < mask.dims.size(); ++k) {
      if (mask.dims[k] != 0 && mask.dims[k] != dims_[axis_ + k])
        fail(
            fmt::format("boolean index did not match indexed array along dimension {}; dimension "
                        "is {} but corresponding boolean dimension is {}",
                        axis_ + k, dims_[axis_ + k], mask.dims[k]));
      extent *= dims_[axis_ + k];
    }
    const bool pairs = has_numbers_ && numbers_end_ == axis_;
    if (mask.places == nullptr || pairs)
      return by_number(mask.places == nullptr ? mask.at : numbers_in(*mask.places), extent,
                       mask.dims.size());
    by_number({}, extent, mask.dims.size());
    Selection::Step& step = result_.steps.back();
    step.places = mask.places;
    step.count = result_.dims[numbers_at_] = mask.places->size;
  }

  // Index arrays of neighbouring axes pick pairs: the axes become one.
  void by_number(std::vector<Index> positions, Index extent, std::size_t axes) {
    const bool second = has_numbers_ && numbers_end_ == axis_;
    axis_ += axes;
    if (!second) {
      if (has_numbers_) fail("index arrays must be for neighbouring axes");
      if (!result_.dims.empty() && stand_apart())
        fail("an index array with a slice between it and another index must come first");
      has_numbers_ = true;
      numbers_end_ = axis_;
      numbers_at_ = result_.dims.size();
      result_.steps.push_back({result_.from.size(), 0, std::ssize(positions), true, positions});
      result_.from.push_back(extent);
      result_.dims.push_back(std::ssize(positions));
      return;
    }
    Selection::Step& pairs = result_.steps.back();
    if (pairs.places != nullptr) pairs.indices = numbers_in(*std::exchange(pairs.places, nullptr));
    if (positions.size() == 1) positions.resize(pairs.indices.size(), positions[0]);
    if (pairs.indices.size() == 1) {
      pairs.indices.resize(positions.size(), pairs.indices[0]);
      pairs.count = result_.dims[numbers_at_] = std::ssize(positions);
    }
    if (pairs.indices.size() != positions.size())
      fail(
          fmt::format("shape mismatch: indexing arrays could not be broadcast together with "
                      "shapes ({},) ({},)",
                      pairs.indices.size(), positions.size()));
    for (std::size_t k = 0; k < positions.size(); ++k)
      pairs.indices[k] = pairs.indices[k] * extent + positions[k];
    result_.from.back() *= extent;
    numbers_end_ = axis_;
  }

  const Dims& dims_;
  const std::vector<Subscript>& subscripts_;
  const std::source_location& where_;
  Selection result_;
  std::size_t axis_ = 0;
  bool has_numbers_ = false;
  std::size_t numbers_end_ = 0;  // after the last axis with an index array
  std::size_t numbers_at_ = 0;   // their axis of the result
};

/// An array that is read or written step by step.
struct Part {
  NodePtr leaf;
  Dims dims;  // as the steps see it
};

/// Extents before and after the axis of a step, and between them.
struct Split {
  Index before, extent, after;

  Split(const Dims& dims, std::size_t axis)
      : before(product(dims, 0, axis)),
        extent(dims[axis]),
        after(product(dims, axis + 1, dims.size())) {}
};

/// Calls use(picks) with what the engine is to pick, or numbered(places) where it has the numbers.
template <class Use, class Numbered>
void with_picks(const Split& split, const Selection::Step& step, const Use& use,
                const Numbered& numbered) {
  Picks picks{split.before, split.extent, split.after, step.count, step.start, step.stride};
  if (step.places == nullptr) {
    if (step.by_number) picks.indices = step.indices;
    return use(picks);
  }
  if (split.before == 1)
    return numbered(Block{step.places->storage->data(), step.places->offset, 0});
  const std::vector<Index> indices = numbers_in(*step.places);
  picks.indices = indices;
  use(picks);
}

/// The statement that reads what the step picks.
std::string text_of(const Split& split, const Selection::Step& step) {
  if (step.by_number || step.stride != 1) return "x.select_columns(indices, target=t)";
  return fmt::format("x.get_row_slice({}, {}, target=t)", step.start * split.after,
                     (step.start + step.count) * split.after);
}

Part apply(const Part& part, const Selection::Step& step, const std::source_location& where) {
  const Split split(part.dims, step.axis);
  const Node& from = *part.leaf;
  Dims dims = part.dims;
  dims[step.axis] = step.count;
  if (step.is_range_of_first())
    return {make_leaf(from.storage, from.offset + step.start * split.after, dims, where), dims};
  const NodePtr to = make_empty(dims, where);
  if (to->size == 0) return {to, dims};
  to->storage->content = from.content();
  const Block source{from.storage->data(), from.offset, 0}, target{to->storage->data(), 0, 0};
  with_picks(
      split, step, [&](const Picks& picks) { engine().pick(picks, source, target); },
      [&](const Block& at) {
        engine().gather(split.after, split.extent, step.count, at, source, target);
      });
  ran(*to, where, "{}", text_of(split, step));
  return {to, dims};
}

void put(const Part& part, const Selection::Step& step, const Node& value,
         const std::source_location& where) {
  if (value.size == 0) return;
  const Split split(part.dims, step.axis);
  const Node& to = *part.leaf;
  const Block source{value.storage->data(), value.offset, 0},
      target{to.storage->data(), to.offset, 0};
  with_picks(
      split, step, [&](const Picks& picks) { engine().put(picks, source, target); },
      [&](const Block& at) {
        engine().scatter(split.after, split.extent, step.count, at, source, target);
      });
  if (step.by_number || step.stride != 1)
    ran(value, where, "t.set_selected_columns(indices, x)");
  else
    ran(value, where, "t.set_row_slice({}, {}, x)", step.start * split.after,
        (step.start + step.count) * split.after);
}

}  // namespace

Index Selection::first() const {
  return steps.empty() ? 0 : steps[0].start * product(from, 1, from.size());
}

Selection select(const Dims& dims, const std::vector<Subscript>& subscripts,
                 const std::source_location& where) {
  return Selector(dims, subscripts, where).select();
}

NodePtr read(const Node& leaf, const Selection& selection, std::source_location where) {
  Part part{make_leaf(leaf.storage, leaf.offset, selection.from, where), selection.from};
  for (const Selection::Step& step : selection.steps) part = apply(part, step, where);
  return make_leaf(part.leaf->storage, part.leaf->offset, selection.dims, where);
}

std::string explain(const Selection& selection) {
  std::string text;
  Dims dims = selection.from;
  for (const Selection::Step& step : selection.steps) {
    const Split split(dims, step.axis);
    dims[step.axis] = step.count;
    const Index rows = dims.back();
    if (!step.is_range_of_first())
      text += statement_text(text_of(split, step), rows,
                             rows == 0 ? 0 : product(dims, 0, dims.size()) / rows);
  }
  return text;
}

void write(const Node& leaf, const Selection& selection, const Node& value,
           const std::source_location& where) {
  if (value.size == 0) return;
  std::vector<Part> parts{
      {make_leaf(leaf.storage, leaf.offset, selection.from, leaf.where), selection.from}};
  for (std::size_t k = 0; k + 1 < selection.steps.size(); ++k)
    parts.push_back(apply(parts[k], selection.steps[k], where));
  if (selection.steps.empty()) {
    assign(leaf, value.storage, value.offset, where);
    return;
  }
  const Node* from = &value;
  for (std::size_t k = selection.steps.size(); k-- > 0;) {
    put(parts[k], selection.steps[k], *from, where);
    from = parts[k].leaf.get();
    // A range of the first axis is a part of the array itself: nothing is left to put back.
    if (k > 0 && parts[k].leaf->storage == leaf.storage) return;
  }
}

}  // namespace gnumpy::detail
