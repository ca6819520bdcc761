#include <algorithm>
#include <map>

#include "rewriter/emit/print.hpp"
#include "rewriter/emit/program_text.hpp"
#include "rewriter/list/edit.hpp"
#include "rewriter/list/fusion.hpp"
#include "rewriter/listing/print_text.hpp"

namespace rewriter {

namespace {

using print::in_quotes;

std::string braces(cudamat::Shape shape) {
  return fmt::format("{{{}, {}}}", shape.rows, shape.cols);
}

std::string braces(const Dims& dims) {
  return fmt::format("{{{}}}", fmt::join(dims, ", "));
}

class CppPrinter : ProgramText {
 public:
  explicit CppPrinter(const StatementList& list)
      : ProgramText(list, {NamesOf::Cpp, 2, "// ", true}) {}

  std::string print();

 private:
  /// {128, 784}, {n - i, 1}: the shape of a variable.
  std::string shape_of(Var var) const {
    const std::string text = print::shape_text(variable(var), names_);
    return "{" + text.substr(1, text.size() - 2) + "}";
  }
  void write_head();
  [[nodiscard]] bool prints_array(std::size_t dimensions) const;
  void write_download();
  void write_inputs();
  void write_statement(const Statement& statement);
  void write_constant(const Statement& statement);
  void write_free(Var var);
  void write_loop(const Statement& statement);
  void write_print(const Statement& statement);
  void write_fused(const Statement& statement);
  void write_results();

  std::string loop_ = names_.fresh("i");
  Table<std::vector<Var>> views_;  // of each owner, those that were made and are in scope
  Table<int> made_at_;             // of each view: how deep in loops
};

void CppPrinter::write_head() {
  line("// {}Cudamat statements, for any engine's CUDAMatrix.",
       list_.source ? print::safe(list_.source->name()) + " as " : "");
  line("//");
  line("//   auto results = program<npmat::CUDAMatrix<float>>({{{{\"name\", array}}, ...}});");
  line("//");
  write_bindings("//   ", in_quotes);
  line("#pragma once\n");
  line("#include <cstdint>\n#include <limits>\n#include <map>\n#include <span>\n#include <string>");
  line("#include <utility>\n#include <vector>\n");
  if (has_fused(list_)) line("#include \"cudamat/fused_call.hpp\"");
  line("#include \"cudamat/functions.hpp\"\n#include \"npmat/npy.hpp\"\n");
  if (prints_array(0)) line("#include \"npmat/array_text.hpp\"");
  line("template <class Matrix>");
  line("std::map<std::string, npmat::Array<typename Matrix::value_type>> program(");
  line(
      "    [[maybe_unused]] const std::map<std::string, npmat::Array<typename "
      "Matrix::value_type>>& "
      "inputs) {{");
  line("  namespace cm = cudamat;");
  line("  using T = typename Matrix::value_type;");
}

/// Whether it prints an array of so many dimensions, or of more.
bool CppPrinter::prints_array(std::size_t dimensions) const {
  const auto is_one = [&](const Statement::Part& part) {
    const auto array = array_format(part.text);
    return part.kind == TextPart::Kind::Element && array && array->dims.size() >= dimensions;
  };
  return std::any_of(list_.statements.begin(), list_.statements.end(), [&](const Statement& each) {
    return std::any_of(each.parts.begin(), each.parts.end(), is_one);
  });
}

// Before the variables, whose names it must not hide.
void CppPrinter::write_download() {
  if (list_.outputs.empty() && !prints_array(0)) return;
  const bool c_order =
      prints_array(3) || std::any_of(list_.outputs.begin(), list_.outputs.end(), in_c_order);
  line("  const auto download = [](Matrix& matrix, std::vector<std::int64_t> dims{}) {{",
       c_order ? ", bool in_c_order = false" : "");
  line("    const auto& host = matrix.asarray();");
  line("    npmat::Array<T> array{{std::move(dims), {{}}}};");
  if (c_order) {
    line("    if (in_c_order) {{");
    line("      array.data.assign(host.values().begin(), host.values().end());");
    line("      return array;");
    line("    }}");
  }
  line("    array.data.reserve(host.values().size());");
  line("    for (cm::Index i = 0; i < host.shape().rows; ++i)");
  line(
      "      for (cm::Index j = 0; j < host.shape().cols; ++j) array.data.push_back(host(i, "
      "j));");
  line("    return array;");
  line("  }};");
}

void CppPrinter::write_inputs() {
  if (list_.inputs.empty()) return;
  const bool c_order = std::any_of(list_.inputs.begin(), list_.inputs.end(), in_c_order);
  line("  const auto upload = [&inputs](const std::string& name, std::vector<std::int64_t> dims,");
  line("                                cm::Shape shape{}) {{",
       c_order ? ", bool in_c_order = false" : "");
  line("    const auto found = inputs.find(name);");
  line("    if (found == inputs.end()) cm::misuse(\"program\", \"input {{}} is missing\", name);");
  line("    const npmat::Array<T>& array = found->second;");
  line("    if (array.shape != dims)");
  line("      cm::misuse(\"program\", \"input {{}} must have the shape {{}}; got {{}}\", name,");
  line("                 npmat::shape_text(dims), npmat::shape_text(array.shape));");
  if (c_order) {
    line("    if (in_c_order) {{");
    line("      cm::HostMatrix<T> host(shape);");
    line(
        "      for (std::size_t i = 0; i < array.data.size(); ++i) host.data()[i] = "
        "array.data[i];");
    line("      return Matrix(host);");
    line("    }}");
  }
  line("    return Matrix(cm::reformat<T>(std::span<const T>(array.data), shape));");
  line("  }};");
  for (const Binding& input : list_.inputs)
    line("  Matrix {} = upload({}, {}, {}{});", names_[input.var], in_quotes(input.name),
         braces(input.dims), braces(variable(input.var).shape), in_c_order(input) ? ", true" : "");
}

void CppPrinter::write_constant(const Statement& statement) {
  const cudamat::Shape shape = variable(statement.target).shape;
  const std::string& name = names_[statement.target];
  const print::Pattern pattern = print::pattern_of(statement, shape);
  if (pattern.kind == print::Pattern::Kind::Equal) {
    put("Matrix {} = Matrix::empty({});", name, braces(shape));
    return put("{}.assign({});", name, print::cpp_number(pattern.value));
  }
  if (!statement.text.empty()) put("// {}", print::one_line(statement.text));
  const std::string host = names_.fresh(name + "_host");
  put("cm::HostMatrix<T> {}({}, T(0));", host, "cm::Shape" + braces(shape));
  if (pattern.kind == print::Pattern::Kind::Eye) {
    const Index i = std::max<Index>(0, -pattern.k);
    const Index j = std::max<Index>(0, pattern.k);
    put("for (cm::Index {0} = 0; {0} < {1}; ++{0}) {2}({0} + {3}, {0} + {4}) = T(1);", loop_,
        std::min(shape.rows - i, shape.cols - j), host, i, j);
  } else {
    const std::string values = names_.fresh(name + "_values");
    out_ += fmt::format("  static const T {}[] = {{", values);  // row by row
    for (Index i = 0; i < shape.rows; ++i)
      for (Index j = 0; j < shape.cols; ++j) {
        out_ += i + j == 0 ? "" : j == 0 ? ",\n      " : ", ";
        out_ += print::cpp_number(print::constant_at(statement, shape, i, j));
      }
    line("}};");
    put("{} = cm::reformat<T>(std::span<const T>({}), {});", host, values, braces(shape));
  }
  put("Matrix {}({});", name, host);
}

// Memory lives as long as a matrix uses it, views included.
void CppPrinter::write_free(Var var) {
  for (const Var view : views_[var])
    put("{}.free_device_memory();  // a view of {}", names_[view], names_[var]);
  put("{}.free_device_memory();", names_[var]);
}

void CppPrinter::write_statement(const Statement& statement) {
  const auto made_view = [&] {
    const Var of = owner(list_, statement.target);
    views_[of].push_back(statement.target);
    made_at_[statement.target] = depth_;
  };
  switch (statement.kind) {
    case Kind::Empty:
      return put("Matrix {} = Matrix::empty({});", names_[statement.target],
                 shape_of(statement.target));
    case Kind::Constant:
      return write_constant(statement);
    case Kind::Slice:
      made_view();
      return put("Matrix {} = {}.slice({}, {});", names_[statement.target],
                 names_[statement.operands.at(0).var], integer(statement, 0),
                 integer(statement, 1));
    case Kind::Reshape:
      made_view();
      return put("Matrix {} = {}.view({});", names_[statement.target],
                 names_[statement.operands.at(0).var], shape_of(statement.target));
    case Kind::Call:
      return put("{};", print::call_text(print::kCpp, statement, names_));
    case Kind::Seed:
      return put("Matrix::init_random({});",
                 print::affine_text(statement.integers.at(0), statement.terms, names_));
    case Kind::Free:
      return write_free(statement.target);
    case Kind::Loop:
      return write_loop(statement);
    case Kind::End:
      for (std::vector<Var>& views : views_)
        std::erase_if(views, [&](Var view) { return made_at_[view] > depth_ - 1; });
      --depth_;
      return put("}}");
    case Kind::Print:
      return write_print(statement);
    case Kind::Fused:
      return write_fused(statement);
    case Kind::Custom:
      print::refuse_custom(list_, statement, "cudamat-cpp");
  }
}

// Some rows of a matrix are an argument of their own.
void CppPrinter::write_fused(const Statement& statement) {
  std::map<std::string, std::string> arguments;  // by name in the text
  const auto place = [&](Var var, const Statement::Rows* rows) {
    std::string argument = names_[var];
    if (rows != nullptr)
      argument += fmt::format(", {}, {}", print::affine_text(rows->first, names_),
                              print::affine_text(rows->last, names_));
    for (const auto& [name, known] : arguments)
      if (known == argument) return cudamat::FusedPlace{name};
    std::string name = names_[var];
    for (int i = 1; arguments.contains(name); ++i) name = fmt::format("{}_{}", names_[var], i);
    arguments.emplace(name, argument);
    return cudamat::FusedPlace{name};
  };
  const std::string text = print::fused_text(statement, names_, place);
  std::string list;
  for (const auto& [name, argument] : arguments)
    list += fmt::format("{}{{\"{}\", {}}}", list.empty() ? "" : ", ", name, argument);
  put("cm::fused<typename Matrix::engine>(\"{}\", {{{}}});", text, list);
}

void CppPrinter::write_loop(const Statement& statement) {
  const ListLoop& loop = list_.loops[statement.loop];
  const std::string condition =
      loop.has_condition() ? names_[statement.operands.at(0).var] + ".asarray()(0, 0) != T(0)" : "";
  if (!loop.has_variable()) {
    put("{} ({}) {{", loop.form == LoopForm::If ? "if" : "while", condition);
    ++depth_;
    return;
  }
  const std::string& name = names_.loop(statement.loop);
  const std::string next = loop.step == 1 ? "++" + name : fmt::format("{} += {}", name, loop.step);
  put("for (cm::Index {0} = {1}; {0} {2} {3}{5}; {4}) {{", name,
      print::affine_text(loop.first(), names_), loop.step > 0 ? "<" : ">",
      print::affine_text(loop.end(), names_), next, condition.empty() ? "" : " && " + condition);
  ++depth_;
}

void CppPrinter::write_print(const Statement& statement) {
  const print::PrintFormat print = print::print_format(statement, names_, true);
  std::string text = print.format;
  for (const print::PrintFormat::Number& number : print.numbers) {
    std::string value = number.integer;
    if (number.array) {
      text += fmt::format(", npmat::{}({}, download({}, {{}}{}).data, npmat::Elements::{})",
                          number.array->is_repr ? "array_repr" : "array_text",
                          braces(number.array->dims), names_[number.element],
                          number.array->dims.size() > 2 ? ", true" : "",
                          number.dtype == DType::Float  ? "Floats"
                          : number.dtype == DType::Bool ? "Bools"
                                                        : "Integers");
      continue;
    }
    if (number.element != kNoVar) value = names_[number.element] + ".asarray()(0, 0)";
    if (number.cut || number.dtype == DType::Int) value = "static_cast<cm::Index>(" + value + ")";
    if (number.dtype == DType::Bool) value = value + " != T(0)";
    text += ", " + value;
  }
  if (print.exception.empty()) return put("fmt::print({});", text);
  put("throw cm::CUDAMatException(fmt::format(\"{}: {{}}\", fmt::format({})));", print.exception,
      text);
}

void CppPrinter::write_results() {
  line("\n  std::map<std::string, npmat::Array<T>> outputs;");
  for (const Binding& output : list_.outputs)
    line("  outputs[{}] = download({}, {}{});", in_quotes(output.name), names_[output.var],
         braces(output.dims), in_c_order(output) ? ", true" : "");
  line("  return outputs;\n}}");
}

std::string CppPrinter::print() {
  views_.resize(list_.variables.size());
  made_at_.resize(list_.variables.size());
  write_head();
  write_download();
  write_inputs();
  write_statements([this](std::size_t i) { write_statement(list_.statements[i]); });
  write_results();
  return std::move(out_);
}

}  // namespace

std::string print_cudamat_cpp(const StatementList& list, const PrintOptions& /*options*/) {
  const StatementList hoisted = allocate_before_loops(list);
  return CppPrinter(hoisted).print();
}

}  // namespace rewriter
