// Views of arrays, and writes through them.
#include "rewriter/reader/values/array_object.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "cudamat/functors.hpp"
#include "rewriter/expr/build.hpp"
#include "rewriter/expr/float_widths.hpp"
#include "rewriter/expr/integers.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

// In memory the diagonal's elements are rows + 1 apart: as columns of so many they are a row, but
// for the last one where no whole column is left. A matrix is in Fortran order, and an input in C
// order, where rows are columns.
Array diagonal(const Array& a, Index k) {
  const bool in_c_order = a.node()->kind == Kind::Input;
  const Index rows = a.shape(in_c_order ? 1 : 0), cols = a.shape(in_c_order ? 0 : 1);
  if (in_c_order) k = -k;
  const Index count = k >= 0 ? std::min(rows, cols - k) : std::min(rows + k, cols);
  if (count <= 0) return full({0}, 0, a.dtype());
  const Index start = k >= 0 ? k * rows : -k;
  const Array flat = in_c_order ? a.reshape({a.size()}) : a.reshape_columns({a.size()});
  const auto first_of_columns = [&](Index columns) {
    const Array part = flat.slice({Range{start, start + columns * (rows + 1)}});
    return in_c_order ? part.reshape({columns, rows + 1}).slice({Range{0, columns}, {0, 1, true}})
                      : part.reshape_columns({rows + 1, columns})
                            .slice({Range{0, 1, true}, Range{0, columns}});
  };
  if (start + count * (rows + 1) <= a.size()) return first_of_columns(count);
  const Index last = start + (count - 1) * (rows + 1);
  const Array end = flat.slice({Range{last, last + 1}});
  return count == 1 ? end : concatenate({first_of_columns(count - 1), end});
}

static std::vector<int> inverse(const std::vector<int>& axes) {
  std::vector<int> result(axes.size());
  for (std::size_t k = 0; k < axes.size(); ++k)
    result[static_cast<std::size_t>(axes[k])] = static_cast<int>(k);
  return result;
}

Array ViewStep::apply(const Array& base) const {
  switch (kind) {
    case Kind::Slice:
      return base.slice(ranges);
    case Kind::Transpose:
      return base.transpose(axes);
    case Kind::Reshape:
      return base.reshape(dims);
    case Kind::Steps:
      return base.stepped(axis, steps);
    case Kind::Diagonal:
      return rewriter::diagonal(base, diagonal);
    case Kind::Broadcast:
      return broadcast_to(base, dims);
  }
  throw cudamat::InternalError("unknown view kind");
}

Array ViewStep::write_back(const Array& base, const Array& value) const {
  switch (kind) {
    case Kind::Slice:
      return set_slice(base, ranges, value);
    case Kind::Transpose:
      return value.transpose(inverse(axes));
    case Kind::Reshape:
      return value.reshape(base.shape());
    case Kind::Steps:
      return set_stepped(base, axis, steps, value);
    case Kind::Diagonal:
    case Kind::Broadcast:
      misuse(Exception::ValueError, "assignment",
             "assignment destination is read-only; write into a copy: a.copy()");
  }
  throw cudamat::InternalError("unknown view kind");
}

ArrayObject::ArrayObject(Array value, bool contiguous, bool python)
    : value_(std::move(value)), contiguous_(contiguous), python_(python) {}

ArrayObject::ArrayObject(ObjectPtr base, ViewStep step, bool contiguous)
    : value_(step.apply(base->read())),
      contiguous_(contiguous),
      base_(std::move(base)),
      step_(std::move(step)) {
  root_ = base_->root_ ? base_->root_ : base_;
  version_ = root_->version_;
}

ArrayObject::~ArrayObject() {
  ObjectPtr next = std::move(base_);
  while (next && next.use_count() == 1) next = ObjectPtr(std::move(next->base_));
}

ArrayObject& ArrayObject::root() {
  return root_ ? *root_ : *this;
}

void ArrayObject::refuse_writes_beside(const ObjectPtr& other, const std::string& why) {
  const bool is_free = refusal().empty();
  ArrayObject& owner = root();
  if (is_free || !owner.refused_for_.empty()) owner.refused_for_.push_back(other);
  root_of(other)->is_beside_ = true;
  if (is_free) owner.refusal_ = why;
}

const std::string& ArrayObject::refusal() {
  ArrayObject& owner = root();
  const auto is_gone = [](const auto& other) { return other.expired(); };
  if (!owner.refused_for_.empty() &&
      std::all_of(owner.refused_for_.begin(), owner.refused_for_.end(), is_gone)) {
    owner.refused_for_.clear();
    owner.refusal_.clear();
  }
  return owner.refusal_;
}

ObjectPtr ArrayObject::root_of(const ObjectPtr& object) {
  return object->root_ ? object->root_ : object;
}

const std::vector<ObjectPtr>& ArrayObject::origins() {
  const auto is_gone = [](const ObjectPtr& origin) {
    return origin.use_count() == 1 && !origin->beginning_ && !origin->is_beside_;
  };
  if (std::none_of(origins_.begin(), origins_.end(), is_gone)) return origins_;
  std::vector<ObjectPtr> left(origins_.rbegin(), origins_.rend());
  origins_.clear();
  std::unordered_set<const ArrayObject*> seen;
  while (!left.empty()) {
    ObjectPtr origin = std::move(left.back());
    left.pop_back();
    if (!is_gone(origin)) {
      if (seen.insert(origin.get()).second) origins_.push_back(std::move(origin));
      continue;
    }
    wrote_origin_ = wrote_origin_ || origin->may_be_written();
    const std::vector<ObjectPtr> before = std::exchange(origin->origins_, {});
    left.insert(left.end(), before.rbegin(), before.rend());
  }
  return origins_;
}

void ArrayObject::replace(const Array& value, std::uint64_t writes) {
  value_ = value;
  writes_ = writes;
  ++version_;
}

void ArrayObject::fix(const LoopPtr& loop, Index value) {
  for (ArrayObject* view = this; view->base_; view = view->base_.get()) {
    for (Range& range : view->step_.ranges) {
      const Affine shift = Affine{0, range.shift}.with(loop, value);
      range.start += shift.constant;
      range.stop += shift.constant;
      range.shift = shift.terms;
    }
    view->step_.steps.start = view->step_.steps.start.with(loop, value);
    view->version_ = kStale;
  }
}

void ArrayObject::forget(std::uint64_t since) {
  for (ArrayObject* view = this; view->base_; view = view->base_.get())
    if (view->value_.node()->id >= since) view->version_ = kStale;
}

void ArrayObject::stands_for_part_of(const ObjectPtr& of) {
  part_of_ = root_of(of);
  part_writes_ = part_of_->writes_;
  refuse_writes(
      "this is a view at an index that is known only at run time; write to the array itself, or to "
      "a copy");
}

Array ArrayObject::read() {
  if (is_outdated())
    misuse("index",
           "this is a view, at an index that is known only at run time, of an array that was "
           "written to since; make it a copy: x[i].copy()");
  std::vector<ArrayObject*> stale;
  for (ArrayObject* view = this; view->base_ && view->version_ != view->root_->version_;
       view = view->base_.get())
    stale.push_back(view);
  for (auto it = stale.rbegin(); it != stale.rend(); ++it) {
    (*it)->value_ = (*it)->step_.apply((*it)->base_->value_);
    (*it)->version_ = (*it)->root_->version_;
  }
  return value_;
}

void ArrayObject::count_write() {
  ++writes_;
  std::vector<ArrayObject*> left{this};
  std::unordered_set<const ArrayObject*> seen{this};
  while (!left.empty()) {
    ArrayObject& owner = *left.back();
    left.pop_back();
    const auto count = [&](const ObjectPtr& other) {
      if (other == nullptr || !seen.insert(other.get()).second) return;
      ++other->perhaps_writes_;
      left.push_back(other.get());
    };
    count(owner.beginning_);
    for (const ObjectPtr& origin : owner.origins()) count(origin);
  }
}

void ArrayObject::write(const Array& value) {
  if (!refusal().empty()) misuse("assignment", "{}", refusal());
  read();
  std::vector<std::pair<ArrayObject*, Array>> written{{this, value}};
  for (ArrayObject* view = this; view->base_; view = view->base_.get()) {
    view->base_->read();
    written.emplace_back(view->base_.get(),
                         view->step_.write_back(view->base_->value_, written.back().second));
  }
  root().count_write();
  const std::uint64_t version = ++root().version_;
  for (auto& [object, now] : written) {
    object->value_ = now;
    object->version_ = version;
  }
}

}  // namespace rewriter
