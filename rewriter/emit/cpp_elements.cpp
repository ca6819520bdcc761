// The loops over elements of printed C++ programs, and the expressions in them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cudamat/code/step_text.hpp"
#include "rewriter/emit/cpp_statements.hpp"
#include "rewriter/expr/number_in.hpp"
#include "rewriter/list/fusion.hpp"

namespace rewriter {

namespace {

using cudamat::Family;
using cudamat::FusedStep;
using cudamat::FusedTarget;
using cudamat::FusedValue;
using ValueKind = FusedValue::Kind;

constexpr Index kParallel = 32768;  ///< elements from which on threads share a loop

/// How C++ writes an operation of {0}, {1} and {2}. The others are functors of the engine.
struct Spelling {
  Op op;
  std::string_view text;
};
constexpr Spelling kSpellings[] = {
    {Op::add, "{0} + {1}"},
    {Op::subtract, "{0} - {1}"},
    {Op::mult, "{0} * {1}"},
    {Op::divide, "{0} / {1}"},
    {Op::add_mult, "{0} + {2} * {1}"},
    {Op::subtract_mult, "{0} - {2} * {1}"},
    {Op::add_col_mult, "{0} + {2} * {1}"},
    {Op::reciprocal, "1 / {0}"},
    {Op::less_than, "T({0} < {1})"},
    {Op::greater_than, "T({0} > {1})"},
    {Op::equals, "T({0} == {1})"},
    {Op::where, "{0} != 0 ? {1} : {2}"},
    {Op::abs, "std::abs({0})"},
    {Op::sqrt, "std::sqrt({0})"},
    {Op::gamma, "std::tgamma({0})"},
    {Op::exp, "std::exp({0})"},
    {Op::log, "std::log({0})"},
    {Op::log1p, "std::log1p({0})"},
    {Op::expm1, "std::expm1({0})"},
    {Op::tanh, "std::tanh({0})"},
    {Op::erf, "std::erf({0})"},
    {Op::sin, "std::sin({0})"},
    {Op::cos, "std::cos({0})"},
    {Op::tan, "std::tan({0})"},
    {Op::arcsin, "std::asin({0})"},
    {Op::arccos, "std::acos({0})"},
    {Op::arctan, "std::atan({0})"},
    {Op::sinh, "std::sinh({0})"},
    {Op::cosh, "std::cosh({0})"},
    {Op::arcsinh, "std::asinh({0})"},
    {Op::arccosh, "std::acosh({0})"},
    {Op::arctanh, "std::atanh({0})"},
    {Op::cbrt, "std::cbrt({0})"},
    {Op::log2, "std::log2({0})"},
    {Op::log10, "std::log10({0})"},
    {Op::floor, "std::floor({0})"},
    {Op::ceil, "std::ceil({0})"},
    {Op::rint, "std::rint({0})"},
    {Op::trunc, "std::trunc({0})"},
    {Op::pow, "std::pow({0}, {1})"},
    {Op::arctan2, "std::atan2({0}, {1})"},
    {Op::hypot, "std::hypot({0}, {1})"},
    {Op::copysign, "std::copysign({0}, {1})"},
};

/// Functions of the engine for float and double on a CPU, which are not those of the C library.
constexpr Spelling kOurs[] = {
    {Op::exp, "exp"},         {Op::log, "log"},
    {Op::log1p, "log1p"},     {Op::expm1, "expm1"},
    {Op::tanh, "tanh"},       {Op::erf, "erf"},
    {Op::sigmoid, "sigmoid"}, {Op::log_1_plus_exp, "log_1_plus_exp"},
};

/// Whether it is one operand as it is: a name, a number, a call.
bool may_stand_alone(std::string_view text) {
  int depth = 0;
  return std::ranges::none_of(text, [&](char c) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    return depth == 0 && c == ' ';
  });
}

}  // namespace

// ---- numbers ----

std::string CppStatements::number(double value) const {
  const auto spelled = [this](auto in_type, const char* suffix, const char* format) {
    const bool gpu = is_for_gpu();
    if (std::isnan(in_type))
      return std::string(gpu ? "T(NAN)" : "std::numeric_limits<T>::quiet_NaN()");
    if (std::isinf(in_type))
      return std::string(in_type < 0 ? "-" : "") +
             (gpu ? "T(INFINITY)" : "std::numeric_limits<T>::infinity()");
    std::string text = fmt::format(fmt::runtime(format), in_type);
    if (text.find_first_not_of("-0123456789") == text.npos) text += ".0";
    return text + suffix;
  };
  if (bytes_ == 4) return spelled(number_in<float>(value), "f", "{}");
  if (bytes_ == 8) return spelled(number_in<double>(value), "", "{}");
  return spelled(number_in<long double>(value), "L", "{:.21g}");
}

// ---- loops over elements ----

std::string CppStatements::operation(Op op, const std::vector<std::string>& operands) const {
  const auto of = [&](std::size_t i) { return i < operands.size() ? operands[i] : std::string(); };
  const auto within = [&](std::size_t i) {
    return may_stand_alone(of(i)) ? of(i) : "(" + of(i) + ")";
  };
  for (const Spelling& ours : kOurs)
    if (ours.op == op && bytes_ != 16 && !is_for_gpu())
      return fmt::format("cm::exp_log::{}({})", ours.text, of(0));
  for (const Spelling& spelling : kSpellings) {
    if (spelling.op != op || (op == Op::pow && is_for_gpu())) continue;
    const bool is_call = spelling.text.find("::") != spelling.text.npos;
    return fmt::format(fmt::runtime(spelling.text), is_call ? of(0) : within(0),
                       is_call ? of(1) : within(1), within(2));
  }
  return fmt::format("cm::{}{{}}({})", cudamat::code::functor(op), fmt::join(operands, ", "));
}

/// Whether one index goes over all: the matrices have the space's elements, without gaps.
bool CppStatements::is_flat(const Elements& all) const {
  const auto flat = [&](const Place& place) {
    if (place.spread == Spread::One) return place.rows == nullptr;
    const Extents extent = extents(place.var);
    return place.spread == Spread::Whole && place.rows == nullptr && !place.transposed &&
           place.column == ListInteger{} && extent.rows == all.space.rows;
  };
  return std::ranges::all_of(all.inputs, flat) &&
         std::ranges::all_of(all.stores, [&](const Store& store) { return flat(store.place); });
}

std::string CppStatements::element(const Place& place, const Elements& all, bool flat) const {
  const std::string& name = names_[place.var];
  if (flat) return fmt::format("{}[{}]", name, place.spread == Spread::One ? "0" : k_);
  const ListInteger one{1, {}};
  const bool has_rows = place.spread == Spread::Whole || place.spread == Spread::Column;
  const bool has_columns = place.spread == Spread::Whole || place.spread == Spread::Row;
  std::string row = has_rows && all.has_rows() ? i_ : "";
  std::string column = has_columns && all.has_columns() ? j_ : "";
  if (place.transposed) std::swap(row, column);
  const auto add = [&](std::string& to, const ListInteger& by) {
    if (by == ListInteger{}) return;
    to = to.empty() ? text_of(by) : fmt::format("{} + {}", to, text_of(by));
  };
  if (place.rows != nullptr) add(row, place.rows->first);
  add(column, place.column);
  const Extents extent = extents(place.var);
  if (extent.cols == one) return fmt::format("{}[{}]", name, row.empty() ? "0" : row);
  if (extent.rows == one) return fmt::format("{}[{}]", name, column.empty() ? "0" : column);
  return fmt::format("{}({}, {})", name, row.empty() ? "0" : row, column.empty() ? "0" : column);
}

std::string CppStatements::value(const FusedValue& of, const Elements& all, bool flat,
                                 const std::vector<std::string>& steps) const {
  const auto i = static_cast<std::size_t>(of.index);
  return of.kind == ValueKind::Step    ? steps[i]
         : of.kind == ValueKind::Input ? element(all.inputs[i], all, flat)
                                       : all.numbers[i];
}

/// The texts of the steps that the wanted values need; what is used more than once is a variable,
/// made in `before`.
std::vector<std::string> CppStatements::values(const Elements& all, bool flat,
                                               const std::vector<FusedValue>& wanted,
                                               std::vector<std::string>& before) {
  std::vector<int> uses(all.steps.size(), 0);
  const auto use = [&](const FusedValue& value) {
    if (value.kind == ValueKind::Step) ++uses[static_cast<std::size_t>(value.index)];
  };
  std::ranges::for_each(wanted, use);
  for (std::size_t s = all.steps.size(); s-- > 0;)
    if (uses[s] > 0) std::ranges::for_each(all.steps[s].values(), use);
  constexpr std::size_t kLong = 70;
  std::vector<std::string> texts(all.steps.size());
  for (std::size_t s = 0; s < all.steps.size(); ++s) {
    if (uses[s] == 0) continue;
    std::vector<std::string> operands;
    for (const FusedValue& each : all.steps[s].values())
      operands.push_back(value(each, all, flat, texts));
    texts[s] = operation(all.steps[s].op, operands);
    if (uses[s] < 2 && texts[s].size() < kLong) continue;
    const std::string name = fmt::format("{}{}", step_, s + 1);
    before.push_back(fmt::format("const T {} = {};", name, texts[s]));
    texts[s] = name;
  }
  return texts;
}

void CppStatements::write_stores(const Elements& all) {
  Body body{is_flat(all), {}, {}};
  std::vector<FusedValue> wanted;
  for (const Store& store : all.stores) wanted.push_back(store.value);
  const std::vector<std::string> steps = values(all, body.flat, wanted, body.lines);
  std::vector<std::string> stored;
  for (const Store& store : all.stores) {
    std::string text = value(store.value, all, body.flat, steps);
    if (all.stores.size() > 1) {  // what is stored may be an operand of what follows
      std::string name = fmt::format("{}_{}", step_, stored.size() + 1);
      body.lines.push_back(fmt::format("const T {} = {};", name, text));
      text = std::move(name);
    }
    stored.push_back(fmt::format("{} = {};", element(store.place, all, body.flat), text));
  }
  body.lines.insert(body.lines.end(), stored.begin(), stored.end());
  if (body.flat && !all.has_rows() && !all.has_columns())
    for (std::string& text : body.lines)  // of one element
      for (std::size_t at = 0; (at = text.find("[" + k_ + "]", at)) != text.npos;)
        text.replace(at, k_.size() + 2, "[0]");
  write_loops(all, body);
}

void CppStatements::write_loops(const Elements& all, const Body& body) {
  const bool varies = !all.space.rows.terms.empty() || !all.space.cols.terms.empty();
  const bool is_large = varies ? variable(all.stores[0].place.var).shape.size() >= kParallel
                               : all.space.rows.constant * all.space.cols.constant >= kParallel;
  const bool several = body.lines.size() > 1, rows = all.has_rows(), columns = all.has_columns();
  const int depth = depth_;
  const auto open = [&](const std::string& index, const std::string& count, bool inner) {
    if (depth_ == depth && is_large)
      put("#pragma omp parallel for{}", inner ? " simd" : "");
    else if (inner)
      put("#pragma GCC ivdep");
    put("for (cm::Index {0} = 0; {0} < {1}; ++{0}){2}", index, count, inner && several ? " {" : "");
    ++depth_;
  };
  if (body.flat && rows && columns) {
    open(k_, count_text(all.space), true);
  } else if (body.flat && (rows || columns)) {
    open(k_, text_of(rows ? all.space.rows : all.space.cols), true);
  } else {
    if (columns) open(j_, text_of(all.space.cols), !rows);
    if (rows) open(i_, text_of(all.space.rows), true);
  }
  if (depth_ == depth && several) put("{{"), ++depth_;
  for (const std::string& text : body.lines) put("{}", text);
  if (several) {
    --depth_;
    put("}}");
  }
  depth_ = depth;
}

void CppStatements::write_reduced(const Elements& all, const Reduced& reduced) {
  const FusedTarget& target = reduced.target;
  Body body{is_flat(all), {}, {}};
  const std::vector<std::string> steps = values(all, body.flat, {target.value}, body.lines);
  body.value = value(target.value, all, body.flat, steps);
  const std::string mult = target.mult < 0 ? number(1) : all.numbers[std::size_t(target.mult)];
  const std::string beta = target.beta < 0 ? number(0) : all.numbers[std::size_t(target.beta)];
  std::string rest;
  if (target.over_axis() == Op::mean)
    rest = fmt::format(", {}, {}, {}", mult, beta,
                       target.is_total()  ? count_text(all.space)
                       : target.axis == 0 ? text_of(all.space.rows)
                                          : text_of(all.space.cols));
  else if (target.mult >= 0 || target.beta >= 0)
    rest = fmt::format(", {}, {}", mult, beta);
  write_reduction_of(all, body, reduced, rest);
}

CppStatements::ReduceCall CppStatements::reduce_call(const Elements& all,
                                                     const Reduced& reduced) const {
  const FusedTarget& target = reduced.target;
  const Op op = target.over_axis();
  return {std::string(op == Op::mean ? "Sum" : cudamat::code::functor(op)),
          target.is_total() ? "1, " + count_text(all.space)
                            : text_of(all.space.rows) + ", " + text_of(all.space.cols),
          fmt::format("{}, {}", target.is_total() ? 1 : target.axis, names_[reduced.var])};
}

void CppStatements::write_reduction_of(const Elements& all, const Body& body,
                                       const Reduced& reduced, const std::string& rest) {
  const ReduceCall call = reduce_call(all, reduced);
  put("cm::reduce<cm::{}>({}, [&](cm::Index {}) {{", call.functor, call.extents, k_);
  ++depth_;
  if (!body.flat) {
    const std::string rows = text_of(all.space.rows);
    put("[[maybe_unused]] const cm::Index {} = {} % ({});", i_, k_, rows);
    put("[[maybe_unused]] const cm::Index {} = {} / ({});", j_, k_, rows);
  }
  for (const std::string& text : body.lines) put("{}", text);
  put("return {};", body.value);
  --depth_;
  put("}}, {}{});", call.target, rest);
}

void CppStatements::write_elements(const Elements& all) {
  for (const Reduced& reduced : all.reduced) write_reduced(all, reduced);
  if (!all.stores.empty()) write_stores(all);
}

CppStatements::Elements CppStatements::elements_of_call(const Statement& s) const {
  Elements all{extents(s.target), {}, {}, {}, {{{s.target}, {ValueKind::Step, 0}}}};
  for (const Number& each : s.numbers) all.numbers.push_back(number(each.value()));
  FusedStep step{s.op};
  const auto take = [&](const Place& place) {
    step.operands[static_cast<std::size_t>(step.count++)] = {ValueKind::Input,
                                                             static_cast<int>(all.inputs.size())};
    all.inputs.push_back(place);
  };
  const auto copy = [&](const Place& from, const Place& to) {
    all.inputs = {from};
    all.stores = {{to, {ValueKind::Input, 0}}};
    return all;
  };
  const Family family = cudamat::row(s.op).family;
  switch (family) {
    case Family::Assign:
      if (!s.operands.empty()) return copy({s.operands[0].var}, {s.target});
      if (!s.terms.empty())
        all.numbers = {fmt::format(
            "T({})",
            print::affine_text(static_cast<Index>(s.numbers[0].value()), s.terms, names_))};
      all.stores[0].value = {ValueKind::Number, 0};
      return all;
    case Family::Transpose: {
      Place from{s.operands[0].var};
      from.transposed = true;
      return copy(from, {s.target});
    }
    case Family::GetSlice:
    case Family::SetSlice: {
      const bool gets = family == Family::GetSlice;
      Place part{gets ? s.operands[0].var : s.target}, whole{gets ? s.target : s.operands[0].var};
      rows_.push_back({slice_bound(s, 0), slice_bound(s, 1)});
      if (s.op == Op::get_row_slice || s.op == Op::set_row_slice)
        part.rows = &rows_.back();
      else
        part.column = slice_bound(s, 0);
      all.space = extents(whole.var);
      return gets ? copy(part, whole) : copy(whole, part);
    }
    default:
      break;
  }
  if (family == Family::Scaled || family == Family::Modulate) take({s.target});
  if (const auto plain = cudamat::without_vector(s.op)) step.op = *plain;
  for (std::size_t i = 0; i < s.operands.size(); ++i) {
    const bool vector = i == 1 && (family == Family::ColBroadcast ||
                                   family == Family::RowBroadcast || family == Family::ColScaled);
    take({s.operands[i].var, !vector                          ? Spread::Whole
                             : family == Family::RowBroadcast ? Spread::Row
                                                              : Spread::Column});
  }
  for (int n = 0; n < static_cast<int>(s.numbers.size()); ++n)
    step.operands[static_cast<std::size_t>(step.count++)] = {ValueKind::Number, n};
  all.steps = {step};
  return all;
}

CppStatements::Elements CppStatements::elements_of_fused(const Statement& s) const {
  const cudamat::FusedBody& body = *s.fused;
  Elements all{fused_space(list_, s), {}, {}, body.steps, {}};
  for (const Number& each : s.numbers) all.numbers.push_back(number(each.value()));
  for (std::size_t i = 0; i < body.inputs.size(); ++i)
    all.inputs.push_back(
        {s.operands[i].var, body.inputs[i], rows_of(s, i), {}, s.operands[i].transposed});
  for (std::size_t t = 0; t < body.targets.size(); ++t)
    if (body.targets[t].is_stored())
      all.stores.push_back({{s.targets[t], Spread::Whole, rows_of(s, s.operands.size() + t)},
                            body.targets[t].value});
    else
      all.reduced.push_back({s.targets[t], body.targets[t]});
  return all;
}

}  // namespace rewriter
