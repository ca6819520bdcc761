#include "rewriter/emit/cpp_statements.hpp"

#include <algorithm>

#include "cudamat/code/step_text.hpp"
#include "rewriter/list/call_form.hpp"

namespace rewriter {

using cudamat::Family;
using cudamat::Shape;
using print::in_quotes;

namespace {

constexpr std::size_t kPerFunction = 400;  ///< statements

}  // namespace

CppStatements::CppStatements(const StatementList& list, int bytes_per_element)
    : ProgramText(list, {NamesOf::Cpp, 2, "// ", true}),
      bytes_(bytes_per_element),
      arena_(plan_arena(list, bytes_)),
      in_parts_(list.statements.size() > kPerFunction),
      draws_(std::any_of(list.statements.begin(), list.statements.end(), draws)) {
  step_ = numbered_name("v");
  for (const Binding& output : list.outputs) used_.insert(output.var);
  for (auto s = list.statements.rbegin(); s != list.statements.rend(); ++s)
    if (s->kind != Kind::Free && (!defines(*s) || used_.contains(s->target)))
      for_each_variable(*s, [&](Var var) { used_.insert(var); });
}

/// The name, perhaps made longer, with which no name of the list begins that goes on with a number.
std::string CppStatements::numbered_name(std::string name) const {
  const auto is_taken = [&](const std::string& by) {
    return by.starts_with(name) && by.find_first_not_of("_0123456789", name.size()) == by.npos;
  };
  const auto any = [&] {
    for (std::size_t var = 0; var < list_.variables.size(); ++var)
      if (is_taken(names_[static_cast<Var>(var)])) return true;
    for (std::size_t loop = 0; loop < list_.loops.size(); ++loop)
      if (is_taken(names_.loop(static_cast<int>(loop)))) return true;
    return false;
  };
  while (any()) name += '_';
  return name;
}

void CppStatements::write_filled(const std::string& matrix, const std::string& value) {
  put("std::fill_n({0}.data, {0}.size(), {1});", matrix, value);
}

void CppStatements::write_eye(const std::string& matrix, Index i, Index j, Index count) {
  write_filled(matrix, number(0));
  if (count > 0)
    put("for (cm::Index {0} = 0; {0} < {1}; ++{0}) {2}({0} + {3}, {0} + {4}) = 1;", k_, count,
        matrix, i, j);
}

void CppStatements::write_copied(const std::string& array, const std::string& matrix) {
  put("std::copy_n({0}, {1}.size(), {1}.data);", array, matrix);
}

void CppStatements::write_whole(const std::string& target, std::string_view function,
                                const std::string& operands) {
  put("{}[0] = cm::{}({});", target, function, operands);
}

void CppStatements::write_constant(const Statement& s) {
  const Shape shape = variable(s.target).shape;
  const std::string& name = names_[s.target];
  const print::Pattern pattern = print::pattern_of(s, shape);
  using Made = print::Pattern::Kind;
  if (pattern.kind == Made::Equal || pattern.kind == Made::Eye) {
    if (pattern.kind == Made::Equal) return write_filled(name, number(pattern.value));
    const Index i = std::max<Index>(0, -pattern.k), j = std::max<Index>(0, pattern.k);
    return write_eye(name, i, j, std::min(shape.rows - i, shape.cols - j));
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
  write_copied(data, name);
}

void CppStatements::write_reduction(const Statement& s) {
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

void CppStatements::write_call(const Statement& s) {
  const std::string& t = names_[s.target];
  const auto of = [&](std::size_t i) { return names_[s.operands.at(i).var]; };
  switch (cudamat::row(s.op).family) {
    case Family::Reduction:
    case Family::ArgReduction:
    case Family::Accumulate:
      return write_reduction(s);
    case Family::Whole:
      return write_whole(t, s.op == Op::total_sum ? "total" : cudamat::name(s.op),
                         s.operands.size() > 1 ? of(0) + ", " + of(1) : of(0));
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
      refuse(s, fmt::format("{} is not supported", cudamat::name(s.op)));
    default:
      return write_elements(elements_of_call(s));
  }
}

void CppStatements::write_loop(const Statement& s) {
  const ListLoop& loop = list_.loops[s.loop];
  const std::string condition =
      loop.has_condition() ? first(names_[s.operands.at(0).var]) + " != 0" : "";
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

std::string CppStatements::array_text(const ArrayFormat& array, DType dtype,
                                      const std::string& matrix) {
  return fmt::format("cm::{}({{{}}}, cm::{}({}), cm::Elements::{})",
                     array.is_repr ? "array_repr" : "array_text", fmt::join(array.dims, ", "),
                     array.dims.size() > 2 ? "columns_of" : "rows_of", matrix,
                     dtype == DType::Float  ? "Floats"
                     : dtype == DType::Bool ? "Bools"
                                            : "Integers");
}

void CppStatements::write_print(const Statement& s) {
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
    else if (const auto array = array_format(part.text))
      add(array_text(*array, part.dtype, names_[s.operands.at(part.operand).var]));
    else {
      const std::string element = first(names_[s.operands.at(part.operand).var]);
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

void CppStatements::write_statement(std::size_t index) {
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
      if (const auto check = checks_.find(index); check != checks_.end())
        put("cm::check({}, {});", names_[s.operands.at(1).var], in_quotes(check->second));
      return write_call(s);
    case Kind::Fused:
      return write_elements(elements_of_fused(s));
    case Kind::Seed:
      if (draws_) put("{} = {{{}, 0}};", random_, text_of({s.integers.at(0), s.terms}));
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
      print::refuse_custom(list_, s, std::string(form()));
  }
}

}  // namespace rewriter
