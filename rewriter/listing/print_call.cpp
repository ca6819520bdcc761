#include <fmt/format.h>

#include "rewriter/list/call_form.hpp"
#include "rewriter/listing/literals.hpp"
#include "rewriter/listing/print_text.hpp"
#include "rewriter/text/unicode.hpp"

namespace rewriter::print {

namespace {

/// receiver.op(arguments), the arguments as the dialect writes them.
class CallText {
 public:
  CallText(const Dialect& dialect, const std::string& receiver, Op op)
      : dialect_(dialect), text_(receiver) {
    text_ += cudamat::name(op);
    text_ += '(';
  }

  /// By position; with a name by keyword, if the dialect has keywords.
  void put(std::string_view name, const std::string& text) {
    for (std::size_t i = 0; i < ones_; ++i) append(dialect_.number(1));
    ones_ = 0;
    append(dialect_.keywords && !name.empty() ? fmt::format("{}={}", name, text) : text);
  }
  /// Left out if it is 1: with keywords wherever it stands, without them at the end.
  void put_if_not_1(std::string_view name, double value) {
    if (value != 1)
      put(name, dialect_.number(value));
    else if (!dialect_.keywords)
      ++ones_;
  }
  std::string end() {
    text_ += ')';
    return std::move(text_);
  }

 private:
  void append(const std::string& text) {
    if (!first_) text_ += ", ";
    first_ = false;
    text_ += text;
  }

  const Dialect& dialect_;
  std::string text_;
  std::size_t ones_ = 0;  ///< omitted so far
  bool first_ = true;
};

class Writer {
 public:
  Writer(const Dialect& dialect, const Statement& statement, const ListNames& names)
      : dialect_(dialect), s_(statement), row_(cudamat::row(statement.op)), names_(names) {}

  std::string text() const;

 private:
  std::string a(std::size_t i = 0) const {
    std::string text = names_[s_.operands.at(i).var];
    if (s_.operands[i].transposed) text += dialect_.transposed;
    return text;
  }
  double number(std::size_t i) const { return s_.numbers.at(i).value(); }
  std::string integer(std::size_t i) const { return affine_text(slice_bound(s_, i), names_); }
  /// The number of an assign or of an operation.
  std::string operand_number() const {
    if (s_.terms.empty()) return dialect_.number(number(0));
    const std::string text = affine_text(static_cast<Index>(number(0)), s_.terms, names_);
    return dialect_.keywords ? text : "T(" + text + ")";
  }
  bool in_place() const {
    return s_.operands[0].var == s_.target && !s_.operands[0].transposed && may_work_in_place(row_);
  }
  /// t.op( or a.op( or cm.op(a.
  CallText begin(const CallForm& form) const {
    if (form.on_target) return {dialect_, names_[s_.target] + ".", s_.op};
    if (row_.style != cudamat::Style::Function) return {dialect_, a() + ".", s_.op};
    CallText call(dialect_, std::string(dialect_.module), s_.op);
    call.put({}, a());
    return call;
  }
  void write(const CallArgument& argument, CallText& call) const;

  const Dialect& dialect_;
  const Statement& s_;
  const cudamat::OpRow& row_;
  const ListNames& names_;
};

void Writer::write(const CallArgument& argument, CallText& call) const {
  using What = CallArgument::What;
  switch (argument.what) {
    case What::Operand:
      if (argument.when == CallArgument::When::IfPresent && argument.index >= s_.operands.size())
        return;
      return call.put(argument.keyword, a(argument.index));
    case What::OperandOrNumber:
      return call.put(argument.keyword,
                      argument.index < s_.operands.size() ? a(argument.index) : operand_number());
    case What::Number:
      if (argument.when == CallArgument::When::IfPresent && s_.numbers.empty()) return;
      if (argument.when == CallArgument::When::IfNot1)
        return call.put_if_not_1(argument.keyword, number(argument.index));
      return call.put(argument.keyword, dialect_.number(number(argument.index)));
    case What::Integer:
      return call.put(argument.keyword, integer(argument.index));
    case What::Target:
      if (argument.when == CallArgument::When::IfElsewhere && in_place()) return;
      return call.put(argument.keyword, names_[s_.target]);
  }
}

std::string Writer::text() const {
  const CallForm* const form = call_form(row_);
  if (form == nullptr)
    throw cudamat::InternalError(fmt::format("a statement list has a call of {}", row_.name));
  CallText call = begin(*form);
  for (const CallArgument& argument : form->arguments) write(argument, call);
  const std::string text = call.end();
  return form->gives_number ? fmt::format("{}.assign({})", names_[s_.target], text) : text;
}

/// The program's spelling, if it says no more and no less than the data.
std::string constant_text(const Statement& statement, cudamat::Shape shape) {
  if (!statement.data) return "...";
  if (!statement.text.empty()) {
    std::string spelling = one_line(statement.text);
    const auto means = read_array(spelling);
    const auto dims = [](const auto& array) { return array.shape; };
    if (means && matrix_shape(std::visit(dims, *means)) == shape &&
        same_numbers(*means, *statement.data))
      return spelling;
  }
  return python_array(statement, shape);
}

/// Whether it needs no quotes.
bool reads_as_name(std::string_view name) {
  if (!is_identifier(name)) return false;
  for (std::size_t i = 0; i < name.size();) {
    const Character c = decode_utf8(name, i);
    if (!c.valid || (c.code >= 0x80 && name_letter(c.code) == 0)) return false;
    i += static_cast<std::size_t>(c.length);
  }
  return true;
}

/// A text as a literal whose braces are literal in a format.
std::string braced(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c;
    if (c == '{' || c == '}') result += c;
  }
  return result;
}

std::string print_text(const Statement& statement, const ListNames& names) {
  const PrintFormat print = print_format(statement, names, true, true);
  const bool prints = print.exception.empty();
  if (!prints && statement.parts.size() == 1) return fmt::format("raise {}()", print.exception);
  std::string text = (prints ? "print(" : "raise " + print.exception + "(") + print.format;
  for (const PrintFormat::Number& number : print.numbers) {
    const std::string value = number.element == kNoVar ? number.integer : names[number.element];
    const bool plain = number.dtype == DType::Float || number.element == kNoVar;
    const char* const type = number.dtype == DType::Bool ? "bool" : "int";
    text += ", " + (plain ? value : fmt::format("{}({})", type, value));
  }
  return text + ")";
}

}  // namespace

std::string affine_text(Index constant, const std::vector<Statement::Term>& terms,
                        const ListNames& names) {
  std::vector<NamedTerm> named;
  for (const auto& [loop, factor] : terms) named.push_back({factor, names.loop(loop)});
  return rewriter::affine_text(constant, named);
}

std::string shape_text(const Variable& variable, const ListNames& names) {
  if (!variable.varying) return pair(variable.shape);
  return fmt::format("({}, {})", affine_text(variable.varying->rows, names),
                     affine_text(variable.varying->cols, names));
}

namespace {

std::string range_of(std::string_view start, std::string_view stop, Index step) {
  return fmt::format("range({}, {}{})", start, stop, step == 1 ? "" : fmt::format(", {}", step));
}

}  // namespace

std::string range_text(const ListLoop& loop, const ListNames& names) {
  return range_of(affine_text(loop.first(), names), affine_text(loop.end(), names), loop.step);
}

std::string range_text(const Loop& loop) {
  return range_of(fmt::format("{}", loop.start), fmt::format("{}", loop.stop), loop.step);
}

std::string loop_text(LoopForm form, std::string_view name, std::string_view range,
                      std::string_view condition) {
  switch (form) {
    case LoopForm::For:
      return fmt::format("for {} in {}", name, range);
    case LoopForm::ForWhile:
      return fmt::format("for {} in {} while {}", name, range, condition);
    case LoopForm::While:
      return fmt::format("while {}", condition);
    case LoopForm::If:
      return fmt::format("if {}", condition);
  }
  throw cudamat::InternalError("unknown form of a loop");
}

PrintFormat print_format(const Statement& statement, const ListNames& names, bool keep_line_end,
                         bool keep_shapes) {
  PrintFormat result;
  std::string format;
  for (const Statement::Part& part : statement.parts) {
    if (part.kind == TextPart::Kind::Exception) {
      result.exception = part.text;
      continue;
    }
    if (part.kind == TextPart::Kind::Text) {
      format += braced(part.text);
      continue;
    }
    PrintFormat::Number number;
    number.cut = part.text.ends_with('d') && part.dtype == DType::Float &&
                 part.kind == TextPart::Kind::Element;
    number.plain = part.text.empty();
    number.array = array_format(part.text);
    const bool is_text = number.array && !keep_shapes;
    format += part.text.empty() || is_text ? "{}" : "{:" + part.text + "}";
    if (part.kind == TextPart::Kind::Integer) {
      number.integer = affine_text(part.constant, part.terms, names);
    } else {
      number.element = statement.operands.at(part.operand).var;
      number.dtype = part.dtype;
    }
    result.numbers.push_back(std::move(number));
  }
  result.ends_line = !keep_line_end && format.ends_with('\n');
  if (result.ends_line) format.pop_back();
  result.format = in_quotes(format);
  return result;
}

std::vector<int> depths(const StatementList& list) {
  std::vector<int> result;
  int depth = 0;
  for (const Statement& statement : list.statements) {
    if (statement.kind == Statement::Kind::End) --depth;
    result.push_back(depth);
    if (statement.kind == Statement::Kind::Loop) ++depth;
  }
  return result;
}

std::string call_text(const Dialect& dialect, const Statement& statement, const ListNames& names) {
  return Writer(dialect, statement, names).text();
}

std::string statement_text(const StatementList& list, const Statement& statement,
                           const ListNames& names) {
  using Kind = Statement::Kind;
  const auto variable = [&]() -> const Variable& { return list.variables[statement.target]; };
  const auto operand = [&] { return names[statement.operands.at(0).var]; };
  switch (statement.kind) {
    case Kind::Empty:
      return fmt::format("{} = cm.empty({})", names[statement.target],
                         shape_text(variable(), names));
    case Kind::Constant:
      return fmt::format("{} = cm.CUDAMatrix({})", names[statement.target],
                         constant_text(statement, variable().shape));
    case Kind::Slice:
      return fmt::format("{} = {}.slice({}, {})", names[statement.target], operand(),
                         affine_text(slice_bound(statement, 0), names),
                         affine_text(slice_bound(statement, 1), names));
    case Kind::Reshape:
      return fmt::format("{} = {}.view({})", names[statement.target], operand(),
                         shape_text(variable(), names));
    case Kind::Call:
      return call_text(kPython, statement, names);
    case Kind::Seed:
      return fmt::format("cm.CUDAMatrix.init_random({})",
                         affine_text(statement.integers.at(0), statement.terms, names));
    case Kind::Free:
      return fmt::format("{}.free_device_memory()", names[statement.target]);
    case Kind::Loop:
      return loop_text(list.loops[statement.loop].form, names.loop(statement.loop),
                       range_text(list.loops[statement.loop], names),
                       statement.operands.empty() ? "" : operand()) +
             ":";
    case Kind::End:
      return "";
    case Kind::Print:
      return print_text(statement, names);
    case Kind::Fused:
      return fmt::format("cm.fused(\"{}\")", fused_text(statement, names));
    case Kind::Custom:
      return custom_text(statement, names);
  }
  throw cudamat::InternalError("unknown statement kind");
}

std::string binding_text(const Binding& binding, const ListNames& names, bool is_input) {
  const std::string name = reads_as_name(binding.name) ? binding.name : in_quotes(binding.name);
  const std::string& var = names[binding.var];
  const std::string& first = is_input ? name : var;
  const std::string& second = is_input ? var : name;
  return fmt::format("{} {}{}: {}", is_input ? "input" : "output", first,
                     first == second ? "" : " as " + second, dims_text(binding));
}

}  // namespace rewriter::print
