// Lists as C++ programs that need no library of ours.
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <set>

#include "cudamat/code/step_text.hpp"
#include "rewriter/emit/print.hpp"
#include "rewriter/emit/program_text.hpp"
#include "rewriter/emit/standalone.hpp"
#include "rewriter/expr/number_in.hpp"
#include "rewriter/list/call_form.hpp"
#include "rewriter/list/edit.hpp"
#include "rewriter/list/fusion.hpp"
#include "rewriter/plan/arena.hpp"

namespace rewriter {

namespace {

using cudamat::Family;
using cudamat::FusedStep;
using cudamat::FusedTarget;
using cudamat::FusedValue;
using cudamat::Shape;
using cudamat::Spread;
using print::in_quotes;
using ValueKind = FusedValue::Kind;

constexpr std::size_t kPerFunction = 400;  ///< statements
constexpr Index kParallel = 32768;         ///< elements from which on threads share a loop

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

/// Functions of the engine for float and double, of the C library for long double.
constexpr Spelling kOurs[] = {
    {Op::exp, "exp"},         {Op::log, "log"},
    {Op::log1p, "log1p"},     {Op::expm1, "expm1"},
    {Op::tanh, "tanh"},       {Op::erf, "erf"},
    {Op::sigmoid, "sigmoid"}, {Op::log_1_plus_exp, "log_1_plus_exp"},
};

bool may_stand_alone(std::string_view text) {
  return text.find(' ') == text.npos || text.ends_with(')');
}

class CppProgram : ProgramText {
 public:
  CppProgram(const StatementList& list, const Program* program, const PrintOptions& options)
      : ProgramText(list, {NamesOf::Cpp, 2, "// ", true}),
        program_(program),
        bytes_(options.bytes_per_element),
        arena_(plan_arena(list, bytes_)),
        in_parts_(list.statements.size() > kPerFunction),
        draws_(std::any_of(list.statements.begin(), list.statements.end(), draws)) {
    for (const Statement& s : list.statements)
      if (computes(s))
        for (const Var target : targets_of(s)) written_.insert(owner(list, target));
    for (const Binding& output : list.outputs) used_.insert(output.var);
    for (auto s = list.statements.rbegin(); s != list.statements.rend(); ++s)
      if (s->kind != Kind::Free && (!defines(*s) || used_.contains(s->target)))
        for_each_variable(*s, [&](Var var) { used_.insert(var); });
  }

  std::string print();

 private:
  /// A matrix, or some rows of it, over a space.
  struct Place {
    Var var = kNoVar;
    Spread spread = Spread::Whole;
    const Statement::Rows* rows = nullptr;
    ListInteger column{};
    bool transposed = false;
  };
  struct Store {
    Place place;
    FusedValue value;
  };
  struct Reduced {
    Var var = kNoVar;
    FusedTarget target;
  };
  /// What is computed for each element of a space.
  struct Elements {
    Extents space;
    std::vector<Place> inputs;
    std::vector<std::string> numbers;
    std::vector<FusedStep> steps;
    std::vector<Store> stores;
    std::vector<Reduced> reduced{};
  };

  [[noreturn]] void refuse(const Statement& s, const std::string& text) const {
    throw cudamat::CUDAMatException(print::located(list_, s.where, "[cpp] " + text));
  }

  // numbers and names
  std::string number(double value) const;
  Extents extents(Var var) const {
    return variable(var).varying ? *variable(var).varying : Extents(variable(var).shape);
  }
  std::string text_of(const ListInteger& value) const { return print::affine_text(value, names_); }
  /// The number of a space's elements.
  std::string count_text(const Extents& space) const {
    if (space.rows.terms.empty() && space.cols.terms.empty())
      return fmt::format("{}", space.rows.constant * space.cols.constant);
    return fmt::format("({}) * ({})", text_of(space.rows), text_of(space.cols));
  }
  std::string operand(const Statement& s, std::size_t i) const {
    const auto& [var, transposed] = s.operands.at(i);
    return transposed ? fmt::format("cm::transposed({})", names_[var]) : names_[var];
  }

  /// How the statement that makes a variable begins.
  std::string declared(Var var) const {
    return (in_parts_ ? "" : "const cm::Matrix ") + names_[var];
  }

  // loops over elements
  std::string operation(Op op, const std::vector<std::string>& operands) const;
  std::string element(const Place& place, const Elements& all, bool flat) const;
  bool is_flat(const Elements& all) const;
  std::vector<std::string> values(const Elements& all, bool flat,
                                  const std::vector<FusedValue>& wanted,
                                  std::vector<std::string>& before);
  std::string value(const FusedValue& of, const Elements& all, bool flat,
                    const std::vector<std::string>& steps) const;
  void write_elements(const Elements& all);
  void write_stores(const Elements& all);
  void write_reduced(const Elements& all, const Reduced& reduced);
  Elements elements_of_call(const Statement& s) const;
  Elements elements_of_fused(const Statement& s) const;

  // statements
  void write_constant(const Statement& s);
  void write_call(const Statement& s);
  void write_reduction(const Statement& s);
  void write_loop(const Statement& s);
  void write_print(const Statement& s);
  void write_statement(std::size_t i);

  // the file
  std::string parameter(const Binding& binding, bool is_input) const;
  std::string parameters(bool typed) const;
  void write_inputs();
  void write_outputs();
  void write_run();
  void write_parts();
  void write_entry();
  void write_main();
  std::string head(const std::string& body);

  std::string type() const {
    return bytes_ == 4 ? "float" : bytes_ == 8 ? "double" : "long double";
  }

  const Program* program_;
  int bytes_;
  Arena arena_;
  bool in_parts_;
  bool draws_;
  std::set<Var> written_;  ///< owners
  std::set<Var> used_;     ///< the others need not be made
  std::map<std::pair<bool, std::string>, std::string> parameters_;
  std::string i_ = names_.fresh("i"), j_ = names_.fresh("j"), k_ = names_.fresh("k");
  std::string memory_ = names_.fresh("memory"), random_ = names_.fresh("random");
  std::string step_ = names_.fresh("v");
  mutable std::deque<Statement::Rows> rows_;  // of slices
};

// ---- numbers ----

std::string CppProgram::number(double value) const {
  const auto spelled = [](auto in_type, const char* suffix, const char* format) {
    if (std::isnan(in_type)) return std::string("std::numeric_limits<T>::quiet_NaN()");
    if (std::isinf(in_type))
      return std::string(in_type < 0 ? "-" : "") + "std::numeric_limits<T>::infinity()";
    std::string text = fmt::format(fmt::runtime(format), in_type);
    if (text.find_first_not_of("-0123456789") == text.npos) text += ".0";
    return text + suffix;
  };
  if (bytes_ == 4) return spelled(number_in<float>(value), "f", "{}");
  if (bytes_ == 8) return spelled(number_in<double>(value), "", "{}");
  return spelled(number_in<long double>(value), "L", "{:.21g}");
}

// ---- loops over elements ----

std::string CppProgram::operation(Op op, const std::vector<std::string>& operands) const {
  const auto of = [&](std::size_t i) { return i < operands.size() ? operands[i] : std::string(); };
  const auto within = [&](std::size_t i) {
    return may_stand_alone(of(i)) ? of(i) : "(" + of(i) + ")";
  };
  for (const Spelling& spelling : kSpellings) {
    if (spelling.op != op) continue;
    const bool is_call = spelling.text.find("::") != spelling.text.npos;
    return fmt::format(fmt::runtime(spelling.text), is_call ? of(0) : within(0),
                       is_call ? of(1) : within(1), within(2));
  }
  for (const Spelling& ours : kOurs)
    if (ours.op == op && bytes_ != 16) return fmt::format("cm::exp_log::{}({})", ours.text, of(0));
  return fmt::format("cm::{}{{}}({})", cudamat::code::functor(op), fmt::join(operands, ", "));
}

/// Whether one index goes over all: the matrices have the space's elements, without gaps.
bool CppProgram::is_flat(const Elements& all) const {
  const auto flat = [&](const Place& place) {
    if (place.spread == Spread::One) return place.rows == nullptr;
    const Extents extent = extents(place.var);
    return place.spread == Spread::Whole && place.rows == nullptr && !place.transposed &&
           place.column == ListInteger{} && extent.rows == all.space.rows;
  };
  return std::ranges::all_of(all.inputs, flat) &&
         std::ranges::all_of(all.stores, [&](const Store& store) { return flat(store.place); });
}

std::string CppProgram::element(const Place& place, const Elements& all, bool flat) const {
  const std::string& name = names_[place.var];
  if (flat) return fmt::format("{}[{}]", name, place.spread == Spread::One ? "0" : k_);
  const ListInteger one{1, {}};
  const bool has_rows = place.spread == Spread::Whole || place.spread == Spread::Column;
  const bool has_columns = place.spread == Spread::Whole || place.spread == Spread::Row;
  std::string row = has_rows && all.space.rows != one ? i_ : "";
  std::string column = has_columns && all.space.cols != one ? j_ : "";
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

std::string CppProgram::value(const FusedValue& of, const Elements& all, bool flat,
                              const std::vector<std::string>& steps) const {
  const auto i = static_cast<std::size_t>(of.index);
  return of.kind == ValueKind::Step    ? steps[i]
         : of.kind == ValueKind::Input ? element(all.inputs[i], all, flat)
                                       : all.numbers[i];
}

/// The texts of the steps that the wanted values need; what is used more than once is a variable,
/// made in `before`.
std::vector<std::string> CppProgram::values(const Elements& all, bool flat,
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

void CppProgram::write_stores(const Elements& all) {
  const ListInteger one{1, {}};
  const bool flat = is_flat(all);
  std::vector<std::string> lines;
  std::vector<FusedValue> wanted;
  for (const Store& store : all.stores) wanted.push_back(store.value);
  const std::vector<std::string> steps = values(all, flat, wanted, lines);
  std::vector<std::string> stored;
  for (const Store& store : all.stores) {
    std::string text = value(store.value, all, flat, steps);
    if (all.stores.size() > 1) {  // what is stored may be an operand of what follows
      std::string name = fmt::format("{}_{}", step_, stored.size() + 1);
      lines.push_back(fmt::format("const T {} = {};", name, text));
      text = std::move(name);
    }
    stored.push_back(fmt::format("{} = {};", element(store.place, all, flat), text));
  }
  lines.insert(lines.end(), stored.begin(), stored.end());
  const bool varies = !all.space.rows.terms.empty() || !all.space.cols.terms.empty();
  const bool is_large = varies ? variable(all.stores[0].place.var).shape.size() >= kParallel
                               : all.space.rows.constant * all.space.cols.constant >= kParallel;
  const auto open = [&](const std::string& index, const ListInteger& count, bool outer,
                        bool inner) {
    if (outer && is_large)
      put("#pragma omp parallel for{}", inner ? " simd" : "");
    else if (inner)
      put("#pragma GCC ivdep");
    put("for (cm::Index {0} = 0; {0} < {1}; ++{0}){2}", index, text_of(count),
        inner && lines.size() > 1 ? " {" : "");
    ++depth_;
  };
  const int depth = depth_;
  if (flat && all.space.rows != one && all.space.cols != one) {
    const std::string count = count_text(all.space);
    put("{}", is_large ? "#pragma omp parallel for simd" : "#pragma GCC ivdep");
    put("for (cm::Index {0} = 0; {0} < {1}; ++{0}){2}", k_, count, lines.size() > 1 ? " {" : "");
    ++depth_;
  } else if (flat) {
    const ListInteger count = all.space.rows == one ? all.space.cols : all.space.rows;
    if (count != one) open(k_, count, true, true);
  } else {
    const bool rows = all.space.rows != one, columns = all.space.cols != one;
    if (columns) open(j_, all.space.cols, true, !rows);
    if (rows) open(i_, all.space.rows, !columns, true);
  }
  if (depth_ == depth && flat)
    for (std::string& text : lines)  // of one element
      for (std::size_t at = 0; (at = text.find("[" + k_ + "]", at)) != text.npos;)
        text.replace(at, k_.size() + 2, "[0]");
  const bool block = depth_ == depth && lines.size() > 1;
  if (block) put("{{"), ++depth_;
  for (const std::string& text : lines) put("{}", text);
  const bool braces = lines.size() > 1 && depth_ > depth;
  if (braces) {
    --depth_;
    put("}}");
  }
  depth_ = depth;
}

void CppProgram::write_reduced(const Elements& all, const Reduced& reduced) {
  const FusedTarget& target = reduced.target;
  const bool flat = is_flat(all);
  std::vector<std::string> lines;
  const std::vector<std::string> steps = values(all, flat, {target.value}, lines);
  const std::string result = value(target.value, all, flat, steps);
  const std::string rows = text_of(all.space.rows), cols = text_of(all.space.cols);
  const bool total = target.is_total();
  const Op op = target.over_axis();
  const std::string mult = target.mult < 0 ? number(1) : all.numbers[std::size_t(target.mult)];
  const std::string beta = target.beta < 0 ? number(0) : all.numbers[std::size_t(target.beta)];
  std::string rest;
  if (op == Op::mean)
    rest = fmt::format(", {}, {}, {}", mult, beta,
                       total              ? count_text(all.space)
                       : target.axis == 0 ? rows
                                          : cols);
  else if (target.mult >= 0 || target.beta >= 0)
    rest = fmt::format(", {}, {}", mult, beta);
  put("cm::reduce<cm::{}>({}, [&](cm::Index {}) {{",
      op == Op::mean ? "Sum" : cudamat::code::functor(op),
      total ? "1, " + count_text(all.space) : rows + ", " + cols, k_);
  ++depth_;
  if (!flat) {
    put("[[maybe_unused]] const cm::Index {} = {} % ({});", i_, k_, rows);
    put("[[maybe_unused]] const cm::Index {} = {} / ({});", j_, k_, rows);
  }
  for (const std::string& text : lines) put("{}", text);
  put("return {};", result);
  --depth_;
  put("}}, {}, {}{});", total ? 1 : target.axis, names_[reduced.var], rest);
}

void CppProgram::write_elements(const Elements& all) {
  for (const Reduced& reduced : all.reduced) write_reduced(all, reduced);
  if (!all.stores.empty()) write_stores(all);
}

CppProgram::Elements CppProgram::elements_of_call(const Statement& s) const {
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

CppProgram::Elements CppProgram::elements_of_fused(const Statement& s) const {
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

// ---- statements ----

void CppProgram::write_constant(const Statement& s) {
  const Shape shape = variable(s.target).shape;
  const std::string& name = names_[s.target];
  const print::Pattern pattern = print::pattern_of(s, shape);
  using Made = print::Pattern::Kind;
  if (pattern.kind == Made::Equal || pattern.kind == Made::Eye) {
    put("std::fill_n({0}.data, {0}.size(), {1});", name,
        number(pattern.kind == Made::Eye ? 0 : pattern.value));
    if (pattern.kind == Made::Equal) return;
    const Index i = std::max<Index>(0, -pattern.k), j = std::max<Index>(0, pattern.k);
    const Index count = std::min(shape.rows - i, shape.cols - j);
    if (count > 0)
      put("for (cm::Index {0} = 0; {0} < {1}; ++{0}) {2}({0} + {3}, {0} + {4}) = 1;", k_, count,
          name, i, j);
    return;
  }
  if (!s.text.empty()) put("// {}", print::one_line(s.text));
  const std::string data = names_.fresh(name + "_values");
  put("static const T {}[] = {{  // column by column", data);
  std::string text;
  for (Index j = 0; j < shape.cols; ++j)
    for (Index i = 0; i < shape.rows; ++i) {
      const std::string each = number(print::constant_at(s, shape, i, j)) + ", ";
      if (text.size() + each.size() > 90) put("    {}", std::exchange(text, ""));
      text += each;
    }
  if (!text.empty()) put("    {}", text);
  put("}};");
  put("std::copy_n({0}, {1}.size(), {1}.data);", data, name);
}

void CppProgram::write_reduction(const Statement& s) {
  const auto& [var, transposed] = s.operands.at(0);
  const auto axis = transposed ? 1 - s.integers.at(0) : s.integers.at(0);
  const std::string& a = names_[var];
  const std::string& t = names_[s.target];
  std::string factors;
  for (const Number& each : s.numbers) factors += ", " + number(each.value());
  if (cudamat::row(s.op).family == Family::ArgReduction)
    return put("cm::find<cm::{}>({}, {}, {});", cudamat::code::functor(s.op), a, axis, t);
  if (s.op == Op::mean) return put("cm::mean({}, {}, {}{});", a, axis, t, factors);
  put("cm::reduce<cm::{}>({}, {}, {}{});", cudamat::code::functor(s.op), a, axis, t, factors);
}

void CppProgram::write_call(const Statement& s) {
  const std::string& t = names_[s.target];
  const auto of = [&](std::size_t i) { return names_[s.operands.at(i).var]; };
  switch (cudamat::row(s.op).family) {
    case Family::Reduction:
    case Family::ArgReduction:
    case Family::Accumulate:
      return write_reduction(s);
    case Family::Whole:
      return put("{}[0] = cm::{}({}{});", t, s.op == Op::total_sum ? "total" : cudamat::name(s.op),
                 of(0), s.operands.size() > 1 ? ", " + of(1) : "");
    case Family::Fill:
      return put("cm::{}({}, {});", cudamat::name(s.op), random_, t);
    case Family::Product:
    case Family::AddProduct: {
      const ProductFactors factors = product_factors(s);
      std::string rest;
      if (factors.alpha != 1 || factors.beta != 0)
        rest = fmt::format(", {}, {}", number(factors.alpha), number(factors.beta));
      return put("cm::dot({}, {}, {}{});", operand(s, 0), operand(s, 1), t, rest);
    }
    case Family::Select:
      if (s.op == Op::select_columns)
        return put("cm::select_columns({}, {}, {});", of(0), of(1), t);
      return put("cm::set_selected_columns({}, {}, {});", t, of(0), of(1));
    case Family::Scan:
    case Family::Sort:
      return put("cm::{}({}, {});", cudamat::name(s.op), of(0), t);
    case Family::Solver:
      if (s.op == Op::bincount)
        return put("cm::bincount({}, {});", s.operands.size() > 1 ? of(0) + ", " + of(1) : of(0),
                   t);
      if (s.operands.size() == 1)
        return put("cm::solver(cm::Op::{}, {}, {});", cudamat::name(s.op), of(0), t);
      return put("cm::solver(cm::Op::{}, {}, {}, {}, {});", cudamat::name(s.op), of(0), of(1),
                 s.numbers.empty() ? "0" : number(s.numbers[0].value()), t);
    case Family::Correlate:
    case Family::PerRow:
    case Family::Composite:
      refuse(s, fmt::format("{} has no C++ text", cudamat::name(s.op)));
    default:
      return write_elements(elements_of_call(s));
  }
}

void CppProgram::write_loop(const Statement& s) {
  const ListLoop& loop = list_.loops[s.loop];
  const std::string condition =
      loop.has_condition() ? names_[s.operands.at(0).var] + "[0] != 0" : "";
  if (!loop.has_variable()) {
    put("{} ({}) {{", loop.form == LoopForm::If ? "if" : "while", condition);
  } else {
    const std::string& name = names_.loop(s.loop);
    const std::string next =
        loop.step == 1 ? "++" + name : fmt::format("{} += {}", name, loop.step);
    put("for (cm::Index {0} = {1}; {0} {2} {3}{5}; {4}) {{", name, text_of(loop.first()),
        loop.step > 0 ? "<" : ">", text_of(loop.end()), next,
        condition.empty() ? "" : " && " + condition);
  }
  ++depth_;
}

void CppProgram::write_print(const Statement& s) {
  std::string text, exception;
  const auto add = [&](const std::string& piece) { text += (text.empty() ? "" : " + ") + piece; };
  for (const Statement::Part& part : s.parts) {
    if (part.kind == TextPart::Kind::Exception)
      exception = part.text + ": ";
    else if (part.kind == TextPart::Kind::Text)
      add(fmt::format("std::string({})", in_quotes(part.text)));
    else if (part.kind == TextPart::Kind::Integer)
      add(fmt::format("cm::integer_text({}, {})",
                      print::affine_text(part.constant, part.terms, names_), in_quotes(part.text)));
    else {
      const std::string element = names_[s.operands.at(part.operand).var] + "[0]";
      if (part.dtype == DType::Bool && part.text.empty())
        add(fmt::format("cm::boolean_text({})", element));
      else if (part.dtype != DType::Float)
        add(fmt::format("cm::integer_text(cm::Index({}), {})", element, in_quotes(part.text)));
      else
        add(fmt::format("cm::text({}, {})", element, in_quotes(part.text)));
    }
  }
  if (text.empty()) text = "std::string()";
  if (!exception.empty()) return put("cm::fail({} + {});", in_quotes(exception), text);
  put("std::fputs(({}).c_str(), stdout);", text);
}

void CppProgram::write_statement(std::size_t index) {
  const Statement& s = list_.statements[index];
  if (defines(s) && !used_.contains(s.target)) return;
  const auto made = [&] {
    const auto [rows, cols] = extents(s.target);
    put("{} = {}.matrix({}, {}, {});", declared(s.target), memory_, arena_.offsets[s.target],
        text_of(rows), text_of(cols));
  };
  const auto from = [&] { return names_[s.operands.at(0).var]; };
  switch (s.kind) {
    case Kind::Empty:
      return made();
    case Kind::Constant:
      made();
      return write_constant(s);
    case Kind::Slice:
      return put("{} = {}.slice({}, {});", declared(s.target), from(), integer(s, 0),
                 integer(s, 1));
    case Kind::Reshape: {
      const auto [rows, cols] = extents(s.target);
      return put("{} = {}.view({}, {});", declared(s.target), from(), text_of(rows), text_of(cols));
    }
    case Kind::Call:
      return write_call(s);
    case Kind::Fused:
      return write_elements(elements_of_fused(s));
    case Kind::Seed:
      if (draws_) put("{} = {{{}, 0}};", random_, s.integers.at(0));
      return;
    case Kind::Loop:
      return write_loop(s);
    case Kind::End:
      --depth_;
      return put("}}");
    case Kind::Print:
      return write_print(s);
    case Kind::Free:
      return;
    case Kind::Custom:
      print::refuse_custom(list_, s, "cpp");
  }
}

// ---- the file ----

/// The name of the pointer to an input's or an output's elements.
std::string CppProgram::parameter(const Binding& binding, bool is_input) const {
  return parameters_.at({is_input, binding.name});
}

/// The pointers to the arrays, perhaps with their types.
std::string CppProgram::parameters(bool typed) const {
  std::vector<std::string> all;
  for (const bool is_input : {true, false})
    for (const Binding& binding : is_input ? list_.inputs : list_.outputs)
      all.push_back((typed && (in_parts_ || (is_input && !used_.contains(binding.var)))
                         ? "[[maybe_unused]] "
                         : "") +
                    std::string(!typed     ? ""
                                : is_input ? "const T* "
                                           : "T* ") +
                    parameter(binding, is_input));
  return fmt::format("{}", fmt::join(all, ", "));
}

/// program(): the sizes are checked, and exceptions become its result.
void CppProgram::write_entry() {
  std::vector<std::string> all, checks;
  for (const bool is_input : {true, false})
    for (const Binding& binding : is_input ? list_.inputs : list_.outputs) {
      const std::string name = parameter(binding, is_input);
      all.push_back(fmt::format("{0}T* {1}, std::size_t {1}_size", is_input ? "const " : "", name));
      Index size = 1;
      for (const Index extent : binding.dims) size *= extent;
      checks.push_back(
          fmt::format("if ({}_size != {}) cm::fail({});", name, size,
                      in_quotes(fmt::format("{} must have {} elements", binding.name, size))));
    }
  line("\nextern \"C\" const char* program_error() {{\n  return error_text.c_str();\n}}\n");
  line("extern \"C\" int program({}) {{", fmt::join(all, ",\n                       "));
  line("  error_text.clear();\n  try {{");
  for (const std::string& check : checks) line("    {}", check);
  line("    run({});\n    return 0;", parameters(false));
  line("  }} catch (const std::exception& error) {{\n    error_text = error.what();");
  line("    return 1;\n  }}\n}}");
}

void CppProgram::write_inputs() {
  for (const Binding& input : list_.inputs) {
    if (!used_.contains(input.var)) continue;
    const std::string& name = names_[input.var];
    const std::string from = parameter(input, true);
    const Shape shape = variable(input.var).shape;
    const bool as_it_is = in_c_order(input) || shape.rows == 1 || shape.cols == 1;
    if (as_it_is && !written_.contains(input.var)) {
      put("{} = cm::Matrix{{const_cast<T*>({}), {}, {}}};", declared(input.var), from, shape.rows,
          shape.cols);
      continue;
    }
    put("{} = {}.matrix({}, {}, {});", declared(input.var), memory_, arena_.offsets[input.var],
        shape.rows, shape.cols);
    if (as_it_is)
      put("std::copy_n({0}, {1}.size(), {1}.data);", from, name);
    else
      put("cm::read_rows({}, {});", from, name);
  }
}

void CppProgram::write_outputs() {
  for (const Binding& output : list_.outputs) {
    const std::string& name = names_[output.var];
    const Shape shape = variable(output.var).shape;
    if (in_c_order(output) || shape.rows == 1 || shape.cols == 1)
      put("std::copy_n({0}.data, {0}.size(), {1});", name, parameter(output, false));
    else
      put("cm::write_rows({}, {});", name, parameter(output, false));
  }
}

/// One function.
void CppProgram::write_run() {
  line("void run({}) {{", parameters(true));
  put("const cm::Memory {}({});", memory_, std::max(arena_.bytes, Index(1)));
  if (draws_) put("cm::Stream {};", random_);
  write_inputs();
  if (!list_.source) out_ += '\n';
  write_statements([this](std::size_t i) { write_statement(i); });
  out_ += '\n';
  write_outputs();
  line("}}");
}

/// Several, since compilers take minutes for one of thousands of statements.
void CppProgram::write_parts() {
  constexpr std::size_t kPart = 12000;  // characters
  line("struct Run {{");
  put("const cm::Memory {}{{{}}};", memory_, std::max(arena_.bytes, Index(1)));
  if (draws_) put("cm::Stream {};", random_);
  std::string names;
  for (std::size_t var = 0; var < list_.variables.size(); ++var) {
    names += (names.empty() ? "" : ", ") + names_[static_cast<Var>(var)];
    if (names.size() > 80) put("cm::Matrix {};", std::exchange(names, ""));
  }
  if (!names.empty()) put("cm::Matrix {};", names);
  ++depth_;
  const auto function = [&](const std::string& head) {
    --depth_;
    out_ += '\n';
    put("void {} {{", head);
    ++depth_;
  };
  const auto end = [&] {
    --depth_;
    put("}}");
    ++depth_;
  };
  function(fmt::format("begin({})", parameters(true)));
  write_inputs();
  end();
  int parts = 1;
  const int depth = depth_;
  function("part1()");
  std::size_t start = out_.size();
  write_statements([&](std::size_t i) {
    write_statement(i);
    if (depth_ != depth || out_.size() - start < kPart || i + 1 == list_.statements.size()) return;
    end();
    function(fmt::format("part{}()", ++parts));
    start = out_.size();
  });
  end();
  function(fmt::format("end({})", parameters(true)));
  write_outputs();
  end();
  --depth_;
  line("}};\n");
  line("void run({}) {{", parameters(true));
  put("Run all;");
  put("all.begin({});", parameters(false));
  for (int part = 1; part <= parts; ++part) put("all.part{}();", part);
  put("all.end({});", parameters(false));
  line("}}");
}

/// How C++ and NumPy call the type of results in T, which is of so many bytes.
std::pair<std::string, std::string> stored_type(DType dtype, int bytes) {
  switch (dtype) {
    case DType::Bool:
      return {"bool", "|b1"};
    case DType::Int8:
      return {"std::int8_t", "|i1"};
    case DType::Uint8:
      return {"std::uint8_t", "|u1"};
    case DType::Int16:
      return {"std::int16_t", "<i2"};
    case DType::Uint16:
      return {"std::uint16_t", "<u2"};
    case DType::Int32:
      return {"std::int32_t", "<i4"};
    case DType::Uint32:
      return {"std::uint32_t", "<u4"};
    case DType::Int:
      return {"std::int64_t", "<i8"};
    case DType::Uint64:
      return {"std::uint64_t", "<u8"};
    case DType::Float:
      break;
  }
  return {"T", fmt::format("<f{}", bytes)};
}

std::string braced(const Dims& dims) {
  return fmt::format("{{{}}}", fmt::join(dims, ", "));
}

void CppProgram::write_main() {
  line("\n#ifndef NO_MAIN");
  line("int main({}) try {{",
       list_.inputs.empty() && list_.outputs.empty() ? "" : "int count, char** values");
  if (!list_.inputs.empty() || !list_.outputs.empty()) {
    std::string names;
    for (const Binding& input : list_.inputs)
      names += (names.empty() ? "" : ", ") + in_quotes(input.name);
    line("  cm::check_arguments(count, values, {{{}}});", names);
  }
  for (const Binding& input : list_.inputs)
    line("  cm::Array {} = cm::argument(count, values, {}, {});", parameter(input, true),
         in_quotes(input.name), braced(input.dims));
  for (const Binding& output : list_.outputs)
    line("  cm::Array {} = cm::empty({});", parameter(output, false), braced(output.dims));
  std::vector<std::string> given;
  for (const bool is_input : {true, false})
    for (const Binding& binding : is_input ? list_.inputs : list_.outputs)
      given.push_back(
          fmt::format("{0}.data.data(), {0}.data.size()", parameter(binding, is_input)));
  line("  if (program({}) != 0)", fmt::join(given, ",\n              "));
  line("    cm::fail(program_error());");
  if (!list_.outputs.empty()) line("  const std::string to = cm::results_folder(count, values);");
  for (const Binding& output : list_.outputs) {
    DType dtype = DType::Float;
    std::string cut;
    if (program_ != nullptr) {
      for (const auto& [name, node] : program_->results)
        if (name == output.name && node != nullptr) dtype = node->dtype;
      const auto length = program_->lengths.find(output.name);
      if (length != program_->lengths.end())
        for (const Binding& other : list_.outputs)
          if (other.name == length->second.result)
            cut = fmt::format(", {}, cm::Index({}.data[0])", length->second.axis,
                              parameter(other, false));
    }
    const std::string name = parameter(output, false);
    if (!cut.empty()) line("  cm::cut({}{});", name, cut);
    const auto [type, spelled] = stored_type(dtype, bytes_);
    line("  cm::give<{}>({}, {}, \"{}\", to);", type, in_quotes(output.name), name, spelled);
  }
  line("  return 0;");
  line("}} catch (const std::exception& error) {{");
  line("  std::fprintf(stderr, \"%s\\n\", error.what());");
  line("  return 1;");
  line("}}");
  line("#endif");
}

/// What stands before the program.
std::string CppProgram::head(const std::string& body) {
  emit::StandaloneText standalone = emit::standalone_text(body);
  const bool uses_blas = standalone.text.find("NO_BLAS") != std::string::npos;
  out_.clear();
  line("// {}C++17, without a library of its own.",
       list_.source ? print::safe(list_.source->name()) + " as " : "");
  line("//");
  line("//   g++ -O3 -march=native -ffp-contract=off -fopenmp FILE.cpp{}",
       uses_blas ? " -lopenblas" : "");
  if (uses_blas)
    line(
        "//\n// Products and factorisations are those of a CBLAS and LAPACK; with -DNO_BLAS of "
        "plain loops.");
  line(
      "//\n// program() takes arrays in C order, and their numbers of elements; it returns 0, or "
      "1 if it\n// failed: program_error() says why. As a program of its own (without -DNO_MAIN) "
      "it reads and\n// writes .npy files; without a folder for the results it prints them:");
  std::string usage;
  for (const Binding& input : list_.inputs) usage += fmt::format(" {0}={0}.npy", input.name);
  line("//\n//   ./a.out{} [FOLDER]\n//", usage);
  write_bindings("//   ", [](const std::string& name) { return name; });
  bool first = true;
  for (const auto& [number, remark] : list_.remarks) {
    if (!remark.starts_with("ignored")) continue;
    if (std::exchange(first, false)) line("//\n// Not in this program:\n//");
    line("//   {}: {}  # {}", print::line_label(list_, number), print::source_line(list_, number),
         print::one_line(remark));
  }
  std::set<std::string> includes(standalone.includes.begin(), standalone.includes.end());
  includes.insert({"<algorithm>", "<cmath>", "<cstdio>", "<exception>", "<limits>", "<string>"});
  out_ += '\n';
  for (const std::string& name : includes) line("#include {}", name);
  if (bytes_ == 16) line("\n#define NO_BLAS  // which has no long double");
  line("\nusing T = {};", type());
  return std::move(out_) + standalone.text;
}

std::string CppProgram::print() {
  for (const bool is_input : {true, false})
    for (const Binding& binding : is_input ? list_.inputs : list_.outputs) {
      std::string name = binding.name + (is_input ? "_in" : "_out");
      for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
      parameters_[{is_input, binding.name}] = names_.fresh(name);
    }
  line("\nnamespace {{\n\nstd::string error_text;\n");
  if (in_parts_)
    write_parts();
  else
    write_run();
  line("\n}}  // namespace");
  write_entry();
  write_main();
  const std::string body = std::exchange(out_, {});
  return head(body) + body;
}

}  // namespace

std::string print_cpp_program(const StatementList& list, const Program* program,
                              const PrintOptions& options) {
  const bool is_plain = std::ranges::all_of(list.statements, [](const Statement& s) {
    return s.kind != Statement::Kind::Fused || (s.fused->is_plain() && !s.fused->draws());
  });
  const StatementList plain = is_plain ? list : unfused(list);
  return CppProgram(allocate_before_loops(plain), program, options).print();
}

}  // namespace rewriter
