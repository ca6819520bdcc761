// Lowering: reshape, slices, concatenation. NumPy's order is by rows, Cudamat's by columns; they
// are the same for vectors, and views of the same memory serve for those.
#include "rewriter/lower/lowering.hpp"

namespace rewriter {

// Elements in C order are the columns of the transpose, those in Fortran order the memory. A view
// without a name that would show its whole operand in the same shape is the operand.
void Lowering::reshape(const Node& node) {
  Var a = matrix(node.args[0]);
  const Shape from = out_.shape(a);
  const Shape to = matrix_shape(node.dims);
  const std::string name = name_of(node);
  if (from == to && name.empty()) return set_value(a);
  is_turned_[at_] = is_line(from) && may_stay_turned(node);
  if (is_turned_[at_]) return set_value(out_.reshape(a, to.transposed()));
  if (is_turned_[position_.at(node.args[0].get())]) return set_value(out_.reshape(a, to, name));
  if (from == to || node.by_columns || (is_line(from) && is_line(to)))
    return set_value(out_.reshape(a, to, name));
  if (!is_line(from)) {
    const Var turned = out_.empty(from.transposed());
    out_.unary(Op::transpose, a, turned);
    a = turned;
  }
  if (is_line(to)) return set_value(out_.reshape(a, to, name));
  if (out_.shape(a) != to.transposed()) a = out_.reshape(a, to.transposed());
  const Var t = out_.empty(to, name);
  out_.unary(Op::transpose, a, t);
  set_value(t);
}

// Columns are a view, rows a copy. An integer index that leaves a column makes it a row.
void Lowering::slice(const Node& node) {
  const Var a = matrix(node.args[0]);
  const Shape shape = out_.shape(a);
  const auto [rows, cols] = ranges_of(node, shape);
  const bool all_rows = rows.stop - rows.start == shape.rows;
  const bool all_cols = cols.stop - cols.start == shape.cols;
  const Shape region{rows.stop - rows.start, cols.stop - cols.start};
  const Shape wanted = matrix_shape(node.dims);
  const auto name_if = [&](bool last) {
    return last && region == wanted ? name_of(node) : std::string();
  };

  Var part = a;
  const bool as_it_is = all_rows && all_cols && (region != wanted || name_of(node).empty());
  if (!as_it_is && (!all_cols || all_rows)) part = columns(a, cols, name_if(all_rows));
  if (!all_rows) {
    const Var t = region == wanted ? fresh(node) : out_.empty(region);
    out_.call(Op::get_row_slice, t, {{part}}, {}, {rows.start, rows.stop});
    out_.add_terms(terms(rows.shift));
    part = t;
  }
  set_value(region == wanted ? part : out_.reshape(part, wanted, name_of(node)));
}

void Lowering::set_slice(const Node& node) {
  const NodePtr& value = node.args[1];
  const Var a = matrix(node.args[0]);
  is_turned_[at_] = is_turned_[position_.at(node.args[0].get())];
  const bool has_part = written_.contains(&node);  // unless that was copied on the way
  if (has_part && out_.owner(matrix(value)) == out_.owner(a)) return set_value(a);
  const bool overwrite = has_part || may_overwrite(node) || writes_through(node);
  const auto [rows, cols] = ranges_of(node, out_.shape(a));
  const Shape region{rows.stop - rows.start, cols.stop - cols.start};

  Var part = kNoVar;
  if (value->kind != Kind::Number) {
    part = apart_from(a, value, overwrite);
    // NumPy broadcasts to the shape without the axes that integers drop: where that is the columns'
    // axis, a row represents the column.
    const bool to_column =
        !is_turned_[at_] && node.ranges.size() == 2 && cols.drops_axis && !rows.drops_axis;
    if (to_column && out_.shape(part).rows == 1 && out_.shape(part).cols != 1)
      part = out_.reshape(part, out_.shape(part).transposed());
    part = expanded(part, region);
  }

  Var t = a;
  if (!overwrite) {
    t = is_turned_[at_] ? out_.empty(out_.shape(a)) : fresh(node);
    out_.assign(t, a);
  }
  if (part == kNoVar)
    fill_region(t, rows, cols, number(*value));
  else
    write_region(t, rows, cols, part);
  set_value(t);
}

Var Lowering::columns(Var of, const Range& cols, const std::string& name) {
  const Var view = out_.slice(of, cols.start, cols.stop, name);
  out_.add_terms(terms(cols.shift));
  return view;
}

void Lowering::write_region(Var t, const Range& rows, const Range& cols, Var value) {
  const Shape shape = out_.shape(t);
  const bool all_rows = rows.stop - rows.start == shape.rows;
  const bool all_cols = cols.stop - cols.start == shape.cols;
  if (all_rows && all_cols) return out_.assign(t, value);
  if (all_rows) {
    out_.call(Op::set_col_slice, t, {{value}}, {}, {cols.start, cols.stop});
    return out_.add_terms(terms(cols.shift));
  }
  if (!all_cols) t = columns(t, cols);
  out_.call(Op::set_row_slice, t, {{value}}, {}, {rows.start, rows.stop});
  out_.add_terms(terms(rows.shift));
}

void Lowering::fill_region(Var t, const Range& rows, const Range& cols, Number value) {
  const Shape shape = out_.shape(t);
  if (rows.stop - rows.start == shape.rows) {
    if (cols.stop - cols.start != shape.cols) t = columns(t, cols);
    return out_.fill(t, value);
  }
  const Var part = out_.empty({rows.stop - rows.start, cols.stop - cols.start});
  out_.fill(part, value);
  write_region(t, rows, cols, part);
}

Var Lowering::apart_from(Var memory, const NodePtr& operand, bool overwrites) {
  const Var var = matrix(operand);
  if (!overwrites || out_.owner(var) != out_.owner(memory)) return var;
  const Var copy = out_.empty(out_.shape(var));
  out_.assign(copy, var);
  return copy;
}

// Cudamat selects columns; rows are those of the transpose.
void Lowering::take(const Node& node) {
  const Var a = matrix(node.args[0]);
  const Var indices = matrix(node.args[1]);
  const Var t = fresh(node);
  const bool of_rows = node.ndim() == 2 && node.axis == 0;
  if (!of_rows) {
    out_.call(Op::select_columns, t, {{a}, {indices}});
    return set_value(t);
  }
  const Var turned = out_.empty(out_.shape(a).transposed());
  out_.unary(Op::transpose, a, turned);
  const Var taken = out_.empty(out_.shape(t).transposed());
  out_.call(Op::select_columns, taken, {{turned}, {indices}});
  out_.unary(Op::transpose, taken, t);
  set_value(t);
}

void Lowering::put(const Node& node) {
  const bool overwrite = may_overwrite(node) || writes_through(node);
  const Var a = matrix(node.args[0]);
  const Var indices = apart_from(a, node.args[1], overwrite);
  const Var values = apart_from(a, node.args[2], overwrite);
  Var t = a;
  const bool of_rows = node.ndim() == 2 && node.axis == 0;
  if (!of_rows) {
    if (!overwrite) out_.assign(t = fresh(node), a);
    out_.call(Op::set_selected_columns, t, {{indices}, {values}});
    return set_value(t);
  }
  const Var turned = out_.empty(out_.shape(a).transposed());
  out_.unary(Op::transpose, a, turned);
  const Var columns = out_.empty(out_.shape(values).transposed());
  out_.unary(Op::transpose, values, columns);
  out_.call(Op::set_selected_columns, turned, {{indices}, {columns}});
  if (!overwrite) t = fresh(node);
  out_.unary(Op::transpose, turned, t);
  set_value(t);
}

void Lowering::concatenate(const Node& node) {
  const bool by_rows = node.ndim() == 2 && node.axis == 0;
  const Var t = fresh(node);
  Index at = 0;
  for (const NodePtr& operand : node.args) {
    const Var part = matrix(operand);
    const Index end = at + (by_rows ? out_.shape(part).rows : out_.shape(part).cols);
    out_.call(by_rows ? Op::set_row_slice : Op::set_col_slice, t, {{part}}, {}, {at, end});
    at = end;
  }
  set_value(t);
}

}  // namespace rewriter
