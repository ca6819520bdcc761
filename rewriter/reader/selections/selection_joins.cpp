// Masked selections that are joined with other arrays.
#include <algorithm>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/selections/packed.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/selections/selection_calls.hpp"
#include "rewriter/reader/table/trees.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

namespace {

/// All parts beside all masks.
std::optional<Value> one_behind_another(const Call& call) {
  if (call.name != "np.concatenate" || call.arguments.size() != 1) return std::nullopt;
  const auto* sequence = call.arguments[0].as<Sequence>();
  const Value axis = call.keywords.empty() ? Value{std::int64_t{0}} : call.keywords[0].second;
  const bool is_named = call.keywords.size() == 1 && call.keywords[0].first == "axis";
  if (sequence == nullptr || (!is_named && !call.keywords.empty())) return std::nullopt;
  const bool is_flat = axis.is_none();
  if (!is_flat && (!axis.is_number() || axis.real() != 0)) return std::nullopt;
  const std::vector<Value> parts(sequence->items.begin(), sequence->items.end());
  if (std::none_of(parts.begin(), parts.end(), is_selection)) return std::nullopt;
  std::vector<Array> wholes, masks;
  for (const Value& part : parts) {
    if (const auto selection = selection_of(part)) {
      const Selection s = in_one_axis(*selection);
      if (s.first != 0 || (is_flat && s.others() != 1)) return std::nullopt;
      wholes.push_back(s.whole);
      masks.push_back(s.mask);
    } else {
      Array whole = to_array(part, "an array");
      if (is_flat) whole = raveled(whole);
      if (whole.ndim() == 0)
        misuse(Exception::ValueError, call.name, "zero-dimensional arrays cannot be concatenated");
      masks.push_back(all_of(whole).mask);
      wholes.push_back(whole);
    }
  }
  return select(concatenate(wholes), concatenate(masks), 0);
}

/// By one mask: as rows of a new axis, or along an axis that is not the mask's.
std::optional<Value> stacked_selections(const Call& call) {
  if (!has_word("np.array np.concatenate", call.name)) return std::nullopt;
  const auto* sequence = call.arguments.size() == 1 ? call.arguments[0].as<Sequence>() : nullptr;
  if (sequence == nullptr) return std::nullopt;
  const auto of_mask = std::find_if(sequence->items.begin(), sequence->items.end(), is_selection);
  if (of_mask == sequence->items.end()) return std::nullopt;
  const Selection like = in_one_axis(*selection_of(*of_mask));
  int axis = 0;
  for (const auto& [name, value] : call.keywords) {
    if (name != "axis" || !value.is_number()) return std::nullopt;
    axis = detail::normalize_axis(call.name, static_cast<int>(value.integer("the axis")),
                                  like.whole.ndim());
  }
  const bool adds_axis = call.name == "np.array";
  if (adds_axis ? like.whole.ndim() > 1 || !call.keywords.empty() : axis == like.first)
    return std::nullopt;
  std::vector<Selection> parts;
  for (const Value& item : sequence->items) {
    const auto selection = selection_of(item);
    if (selection) {
      parts.push_back(in_one_axis(*selection));
    } else {
      const Array whole = to_array(item, "an array");
      if (whole.ndim() != like.whole.ndim()) return std::nullopt;
      parts.push_back({whole, full({whole.shape(like.first)}, 1, DType::Bool), like.first});
    }
    if (parts.back().first != like.first || parts.back().whole.ndim() != like.whole.ndim())
      return std::nullopt;
  }
  parts = by_one_mask(std::move(parts));
  std::vector<Array> wholes;
  for (const Selection& part : parts)
    wholes.push_back(adds_axis ? with_axis(part.whole, 0) : part.whole);
  return select(concatenate(wholes, axis), parts[0].mask, like.first + (adds_axis ? 1 : 0));
}

/// Rows of which masks select columns, one below the other.
std::optional<Value> below_each_other(const Call& call) {
  const auto* sequence = call.arguments.size() == 1 ? call.arguments[0].as<Sequence>() : nullptr;
  if (call.name != "np.concatenate" || sequence == nullptr || !call.keywords.empty())
    return std::nullopt;
  std::vector<Selection> parts;
  bool selects = false;
  for (const Value& item : sequence->items) {
    const auto selection = selection_of(item);
    selects = selects || selection;
    if (selection && (selection->first != 1 || selection->others() == 0)) return std::nullopt;
    const Array whole = selection ? Array(1) : to_array(item, "an array");
    if (!selection && whole.ndim() != 2) return std::nullopt;
    parts.push_back(selection ? in_one_axis(*selection)
                              : Selection{whole, full({whole.shape(1)}, 1, DType::Bool), 1});
    if (parts.back().whole.ndim() != 2) return std::nullopt;
  }
  if (!selects) return std::nullopt;
  parts = by_one_mask(std::move(parts));
  std::vector<Array> wholes;
  for (const Selection& part : parts) wholes.push_back(part.whole);
  return select(concatenate(wholes), parts[0].mask, 1);
}

}  // namespace

std::optional<Value> joined_selections(const Call& call) {
  if (auto result = below_each_other(call)) return result;
  if (auto result = one_behind_another(call)) return result;
  return stacked_selections(call);
}

}  // namespace rewriter
