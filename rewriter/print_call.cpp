#include <fmt/format.h>
#include <optional>

#include "rewriter/print_text.hpp"

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

  CallText& positional(const std::string& text) {
    flush();
    append(text);
    return *this;
  }
  CallText& keyword(std::string_view name, const std::string& text) {
    flush();
    append(dialect_.keywords ? fmt::format("{}={}", name, text) : text);
    return *this;
  }
  CallText& number(std::string_view name, double value) {
    return keyword(name, dialect_.number(value));
  }
  /// Left out if it is 1: with keywords wherever it stands, without them at the end.
  CallText& number_if_not_1(std::string_view name, double value) {
    if (value != 1) return number(name, value);
    if (!dialect_.keywords) ones_.emplace_back(name);
    return *this;
  }
  std::string end() {
    text_ += ')';
    return std::move(text_);
  }

 private:
  void flush() {
    for (std::size_t i = 0; i < ones_.size(); ++i) append(dialect_.number(1));
    ones_.clear();
  }
  void append(const std::string& text) {
    if (!first_) text_ += ", ";
    first_ = false;
    text_ += text;
  }

  const Dialect& dialect_;
  std::string text_;
  std::vector<std::string_view> ones_;
  bool first_ = true;
};

class Writer {
 public:
  Writer(const Dialect& dialect, const Statement& statement, const Names& names)
      : dialect_(dialect), s_(statement), row_(cudamat::row(statement.op)), names_(names) {}

  std::string text() const;

 private:
  std::string a(std::size_t i = 0) const {
    std::string text = names_[s_.operands.at(i).var];
    if (s_.operands[i].transposed) text += dialect_.transposed;
    return text;
  }
  double number(std::size_t i) const { return s_.numbers.at(i); }
  std::string integer(std::size_t i) const {
    return affine_text(s_.integers.at(i), s_.terms, names_);
  }
  const std::string& target() const { return names_[s_.target]; }
  bool in_place() const {
    return s_.operands[0].var == s_.target && !s_.operands[0].transposed &&
           row_.has(cudamat::kInPlace) && !row_.has(cudamat::kFresh) &&
           row_.family != cudamat::Family::Where;
  }

  /// a.op( or cm.op(a.
  CallText on_operand() const {
    if (row_.style != cudamat::Style::Function) return {dialect_, a() + ".", s_.op};
    CallText call(dialect_, std::string(dialect_.module), s_.op);
    call.positional(a());
    return call;
  }
  CallText on_target() const { return {dialect_, target() + ".", s_.op}; }
  std::string end(CallText& call) const {
    if (!in_place()) call.keyword("target", target());
    return call.end();
  }
  std::string moved() const;
  std::string product() const;
  std::string assigned() const;
  std::string whole() const;

  const Dialect& dialect_;
  const Statement& s_;
  const cudamat::OpRow& row_;
  const Names& names_;
};

std::string Writer::moved() const {
  if (row_.family == cudamat::Family::GetSlice) {
    CallText call = on_operand();
    return call.positional(integer(0)).positional(integer(1)).keyword("target", target()).end();
  }
  return on_target().positional(integer(0)).positional(integer(1)).positional(a()).end();
}

std::string Writer::product() const {
  if (row_.family == cudamat::Family::Product) {
    CallText call = on_operand();
    call.positional(a(1)).keyword("target", target());
    if (!s_.numbers.empty()) call.number("beta", number(0)).number("alpha", number(1));
    return call.end();
  }
  CallText call = on_target();
  call.positional(a(0)).positional(a(1));
  return call.number_if_not_1("mult", number(0)).number_if_not_1("beta", number(1)).end();
}

std::string Writer::assigned() const {
  if (s_.terms.empty()) return dialect_.number(number(0));
  const std::string text = affine_text(static_cast<Index>(number(0)), s_.terms, names_);
  return dialect_.keywords ? text : "T(" + text + ")";
}

std::string Writer::whole() const {
  CallText call = on_operand();
  if (s_.operands.size() > 1) call.positional(a(1));
  return fmt::format("{}.assign({})", target(), call.end());
}

std::string Writer::text() const {
  using cudamat::Family;
  switch (row_.family) {
    case Family::Unary:
    case Family::Transpose:
    case Family::Scan: {
      CallText call = on_operand();
      return end(call);
    }
    case Family::UnaryScalar: {
      CallText call = on_operand();
      call.positional(dialect_.number(number(0)));
      return end(call);
    }
    case Family::Binary:
    case Family::ColBroadcast:
    case Family::RowBroadcast:
    case Family::ColScaled: {
      CallText call = on_operand();
      if (s_.operands.size() > 1) call.positional(a(1));
      if (!s_.numbers.empty()) call.positional(dialect_.number(number(0)));
      return end(call);
    }
    case Family::Where: {
      CallText call = on_operand();
      call.positional(a(1)).positional(a(2));
      return end(call);
    }
    case Family::Reduction:
    case Family::ArgReduction: {
      CallText call = on_operand();
      call.keyword("axis", integer(0)).keyword("target", target());
      if (!s_.numbers.empty()) call.number("mult", number(0));
      return call.end();
    }
    case Family::Accumulate: {
      CallText call = on_target();
      call.positional(a()).keyword("axis", integer(0));
      return call.number_if_not_1("mult", number(0)).number_if_not_1("beta", number(1)).end();
    }
    case Family::Scaled: {
      CallText call = on_target();
      call.positional(a());
      return number(0) == 1 ? call.end() : call.positional(dialect_.number(number(0))).end();
    }
    case Family::Modulate:
      return on_target().positional(a()).end();
    case Family::Assign:
      return on_target().positional(s_.operands.empty() ? assigned() : a()).end();
    case Family::Fill:
      return on_target().end();
    case Family::Whole:
      return whole();
    case Family::Product:
    case Family::AddProduct:
      return product();
    case Family::GetSlice:
    case Family::SetSlice:
      return moved();
    case Family::Correlate:
    case Family::Select:
    case Family::PerRow:
    case Family::Composite:
      break;
  }
  throw cudamat::InternalError(fmt::format("a statement list has a call of {}", row_.name));
}

std::string constant_text(const Statement& statement, cudamat::Shape shape) {
  if (!statement.text.empty()) return one_line(statement.text);
  if (shape.size() > 64 || !statement.data) return "...";
  return python_array(statement, shape);
}

/// A text as a literal whose braces stand for themselves in a format.
std::string braced(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c;
    if (c == '{' || c == '}') result += c;
  }
  return result;
}

std::string print_text(const Statement& statement, const Names& names) {
  const PrintFormat print = print_format(statement, names, true);
  std::string text = "print(" + print.format;
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
                        const Names& names) {
  std::vector<NamedTerm> named;
  for (const auto& [loop, factor] : terms) named.push_back({factor, names.loop(loop)});
  return rewriter::affine_text(constant, named);
}

std::string range_text(const Loop& loop) {
  return fmt::format("range({}, {}{})", loop.start, loop.stop,
                     loop.step == 1 ? "" : fmt::format(", {}", loop.step));
}

PrintFormat print_format(const Statement& statement, const Names& names, bool keep_line_end) {
  PrintFormat result;
  std::string format;
  for (const Statement::Part& part : statement.parts) {
    if (part.kind == TextPart::Kind::Text) {
      format += braced(part.text);
      continue;
    }
    PrintFormat::Number number;
    number.cut = part.text.ends_with('d') && part.dtype == DType::Float &&
                 part.kind == TextPart::Kind::Element;
    format += part.text.empty() ? "{}" : "{:" + part.text + "}";
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

std::string call_text(const Dialect& dialect, const Statement& statement, const Names& names) {
  return Writer(dialect, statement, names).text();
}

std::string statement_text(const StatementList& list, const Statement& statement,
                           const Names& names) {
  using Kind = Statement::Kind;
  const auto shape = [&] {
    return list.variables[static_cast<std::size_t>(statement.target)].shape;
  };
  const auto operand = [&] { return names[statement.operands.at(0).var]; };
  switch (statement.kind) {
    case Kind::Empty:
      return fmt::format("{} = cm.empty({})", names[statement.target], pair(shape()));
    case Kind::Constant:
      return fmt::format("{} = cm.CUDAMatrix({})", names[statement.target],
                         constant_text(statement, shape()));
    case Kind::Slice:
      return fmt::format("{} = {}.slice({}, {})", names[statement.target], operand(),
                         affine_text(statement.integers.at(0), statement.terms, names),
                         affine_text(statement.integers.at(1), statement.terms, names));
    case Kind::Reshape:
      return fmt::format("{} = {}.view({})", names[statement.target], operand(), pair(shape()));
    case Kind::Call:
      return call_text(kPython, statement, names);
    case Kind::Seed:
      return fmt::format("cm.CUDAMatrix.init_random({})", statement.integers.at(0));
    case Kind::Free:
      return fmt::format("{}.free_device_memory()", names[statement.target]);
    case Kind::Loop:
      return fmt::format("for {} in {}:", names.loop(statement.loop),
                         range_text(list.loops[static_cast<std::size_t>(statement.loop)]));
    case Kind::End:
      return "";
    case Kind::Print:
      return print_text(statement, names);
  }
  throw cudamat::InternalError("a statement of no kind");
}

}  // namespace rewriter::print
